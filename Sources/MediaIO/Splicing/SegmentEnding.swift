import Synchronization

/// Fits the end of an encoded segment of H.264 to a ``RecoveryPoint``, at which copying resumes.
///
/// The encoder's pictures get other slice headers: the last ones before the point those of its ``SegmentTail``, and the
/// point's leading pictures, which are encoded as I pictures, those of the pictures that they replace. So after them, a
/// decoder's references have the same numbers as in the source, and copied pictures need no change.
///
/// One thread records the source's packets; another thread converts the encoder's.
package final class SegmentEnding: Sendable {
    /// The source's parameters, and their parameter set.
    let sequence: SequenceLimits
    let sequenceUnit: [UInt8]
    private let finder: RecoveryPointFinder
    private let framing: NALFraming
    private let tail: SegmentTail
    /// The presentation times of the tail's pictures, in ticks, sorted.
    package let tailTimes: [Int64]
    /// The presentation times of the leading pictures, in ticks, in the order of decoding.
    private let leadingTimes: [Int64]
    /// The headers of the source's leading pictures by their presentation times.
    private let leading = Mutex([Int64: AVCSliceHeader]())

    /// - Parameters:
    ///   - times: The presentation times of the segment's frames, in ticks, sorted.
    ///   - index: The index of the source.
    /// - Returns: nil if the segment does not end before a recovery point.
    package init?(of span: SpliceSpan, times: [Int64], in index: PacketIndex, framing: NALFraming) {
        guard span.end == .recoveryPoint, let point = index.recovery.points[span.packets.upperBound],
            let sequence = index.recovery.sequence, let unit = index.sets.sequence(at: span.packets.upperBound),
            let tail = SegmentTail(before: point, in: sequence)
        else { return nil }
        self.sequence = sequence
        self.tail = tail
        self.framing = framing
        sequenceUnit = unit
        finder = index.recovery
        leadingTimes = span.leading.map { index.pictures[$0].presentationTime }
        tailTimes = times.dropLast(span.leading.count).suffix(tail.pictures.count)
    }

    /// Returns the type of coded picture that the frame with a presentation time, in ticks, needs.
    package func requestedType(of time: Int64) -> VideoFrame.CodedType? {
        if time == tailTimes.first || leadingTimes.contains(time) { return .key }
        return tailTimes.contains(time) ? .predicted : nil
    }

    /// Records the header of the source's picture, if it is one of the leading pictures.
    package func record(_ packet: borrowing Packet) {
        guard let time = packet.presentationTime?.value, leadingTimes.contains(time) else { return }
        let slice = framing.units(of: packet.bytes).first {
            NALUnit.kind(ofHeader: $0[$0.startIndex], codec: .h264).isSlice
        }
        guard let header = slice.flatMap({ finder.header($0) }) else { return }
        leading.withLock { $0[time] = header }
    }

    /// Returns the segment's packets in the order in which they are decoded.
    package func sorted(_ packets: [QueuedPacket]) -> [QueuedPacket] {
        func time(_ packet: QueuedPacket) -> Int64 { packet.packet?.presentationTime?.value ?? 0 }
        var byTime: [Int64: QueuedPacket] = [:]
        for packet in packets { byTime[time(packet)] = packet }
        return packets.filter { !leadingTimes.contains(time($0)) } + leadingTimes.compactMap { byTime[$0] }
    }

    /// Returns whether a picture is one of the tail, or a leading picture.
    package func contains(_ time: Int64) -> Bool { requestedType(of: time) != nil }

    /// The result of fitting a picture.
    struct Fitted {
        var units: [[UInt8]]
        /// True if decoding can begin with the picture.
        var isEntry: Bool
    }

    /// Returns the units of a picture of the ending with the headers that fit the source.
    ///
    /// - Parameters:
    ///   - coding: The encoder's parameter sets, and the id of the set for the ending; nil if these are unknown.
    ///   - time: The presentation time, in ticks.
    /// - Throws: ``SmartRenderUnavailable`` if it does not fit.
    func fitted(
        _ units: [[UInt8]], at time: Int64, _ coding: AVCCoding?
    ) throws(SmartRenderUnavailable) -> Fitted {
        guard let coding, let place = place(at: time, set: coding.tailSetID) else { throw Self.misfit }
        var moved: [[UInt8]] = []
        for unit in units {
            guard NALUnit.kind(ofHeader: unit[0], codec: .h264).isSlice else {
                moved.append(unit)
                continue
            }
            guard
                let slice = AVCSliceHeader.moved(
                    unit, from: coding.sequence, coding.picture, to: sequence, place)
            else { throw Self.misfit }
            moved.append(slice)
        }
        return Fitted(units: moved, isEntry: place.isIDR)
    }

    private static let misfit = SmartRenderUnavailable("its encoder's pictures do not fit before a recovery point")

    private func place(at time: Int64, set: Int) -> AVCSliceHeader.Place? {
        if let index = tailTimes.firstIndex(of: time) {
            let picture = tail.pictures[index]
            return AVCSliceHeader.Place(
                referenceIDC: 1, isIDR: index == 0, pictureSet: set, frameNumber: picture.frameNumber,
                order: picture.order, marking: picture.marking)
        }
        guard let header = leading.withLock({ $0[time] }) else { return nil }
        return AVCSliceHeader.Place(
            referenceIDC: header.referenceIDC, pictureSet: set, frameNumber: header.frameNumber, order: header.order,
            marking: header.marking)
    }
}

/// The parameters of an encoder's H.264 stream, parts of which move into another stream.
struct AVCCoding {
    let sequence: SequenceLimits
    let picture: AVCPictureParameters
    /// The id of the picture parameter set of moved pictures.
    let tailSetID: Int
    private let pictureUnit: [UInt8]

    /// - Parameter sets: The encoder's parameter sets.
    /// - Returns: nil if there is not exactly one of each kind.
    init?(_ sets: [ParameterSet], tailSetID: Int) {
        let sequences = sets.filter { $0.kind == .sequence }, pictures = sets.filter { $0.kind == .picture }
        guard sequences.count == 1, pictures.count == 1 else { return nil }
        sequence = SequenceLimits(sequences[0].unit)
        picture = AVCPictureParameters(pictures[0].unit)
        pictureUnit = pictures[0].unit
        self.tailSetID = tailSetID
    }

    /// Returns the picture parameter set of moved pictures, which refers to another sequence.
    func pictureSet(for sequence: SequenceLimits) -> ParameterSet? {
        let content = NALUnit.unescaped(pictureUnit.dropFirst())
        var reader = BitReader(content)
        _ = reader.unsigned()
        _ = reader.unsigned()
        var writer = BitWriter()
        writer.addUnsigned(tailSetID)
        writer.addUnsigned(sequence.id)
        let last = (content.last ?? 0x80).trailingZeroBitCount
        writer.add(reader.position..<content.count * 8 - last, of: content)
        writer.align(with: false)
        return ParameterSet(([pictureUnit[0]] + NALUnit.escaped(writer.bytes))[...], codec: .h264)
    }
}
