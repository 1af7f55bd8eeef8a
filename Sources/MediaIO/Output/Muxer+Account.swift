internal import Synchronization

/// The account of a run: what was read of the source, compared with what its finished output holds.
extension Muxer {
    /// Returns the properties and packets of the source that the output lacks, in words; nil if it lacks none.
    ///
    /// Pipes, devices and network outputs cannot be read; for them the result is nil.
    ///
    /// - Parameter read: The completed file, after all its packets were read; nil to read it now.
    package func losses(in read: Demuxer? = nil) -> String? {
        let (offered, late, copiesVideo) = lock.withLock { ($0.offered, $0.unplanned, $0.copiesVideo) }
        guard var source = layout.inventory, let temporary = target.sink.temporaryFile,
            let output = (read ?? readAgain(temporary, copiesVideo)).map(MediaInventory.init(of:))
        else { return nil }
        for index in source.streams.indices { source.streams[index].tally = offered[index] }
        let comparison = InventoryComparison(
            container: container, written: layout.written.map(\.source),
            reported: Set(skippedStreams.compactMap(\.stream.derivedRole)),
            video: layout.written.first { $0.place == layout.videoPlace }?.source, encodesVideo: !copiesVideo)
        let losses =
            comparison.losses(from: source, to: output)
            + late.sorted { $0.key < $1.key }.map { index, tally in
                "stream \(index), which begins only at \(Demuxer.text(tally.start?.seconds ?? 0)) s"
            }
        guard !losses.isEmpty else { return nil }
        let isPoor = ![.mp4, .mov, .matroska].contains(container)
        let remedy = isPoor ? " (MP4, QuickTime and Matroska support more than \(container.displayName))" : ""
        return "\(path): not preserved from the input: \(losses.joined(separator: "; "))" + remedy
    }

    /// Opens the completed file, and reads its packets, without decoding. The packets of encoded video are not compared,
    /// so a file of nothing else is only opened.
    private func readAgain(_ file: String, _ copiesVideo: Bool) -> Demuxer? {
        guard let demuxer = try? Demuxer(path: file, settings: limits) else { return nil }
        guard copiesVideo || layout.written.count > 1 else { return demuxer }
        do { while try demuxer.readPacket() != nil {} } catch { return nil }
        return demuxer
    }
}
