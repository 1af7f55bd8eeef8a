internal import CFFmpeg
internal import Synchronization

/// The account of a run: what was read of the source, compared with what its finished output holds.
extension Muxer {
    /// Returns the properties and packets of the source that the output lacks, in words; nil if it lacks none.
    ///
    /// Pipes, devices and network outputs cannot be read; for them the result is nil.
    ///
    /// - Parameter read: The completed file, after all its packets were read; nil to read it now.
    package func losses(in read: Demuxer? = nil) -> String? {
        guard var source = sourceInventory, case .file(let temporary) = sink,
            let output = (read ?? readAgain(temporary)).map(MediaInventory.init(of:))
        else { return nil }
        let (offered, late) = lock.withLock { ($0.offered, $0.unplanned) }
        for index in source.streams.indices { source.streams[index].tally = offered[index] }
        let comparison = InventoryComparison(
            container: container, written: writtenStreams.map(\.source),
            reported: Set(skippedStreams.compactMap(\.stream.derivedRole)),
            video: writtenStreams.first { $0.place == videoPlace }?.source, encodesVideo: !copiesVideo)
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
    private func readAgain(_ file: String) -> Demuxer? {
        guard let demuxer = try? Demuxer(path: file, settings: limits) else { return nil }
        guard copiesVideo || writtenStreams.count > 1 else { return demuxer }
        do { while try demuxer.readPacket() != nil {} } catch { return nil }
        return demuxer
    }
}
