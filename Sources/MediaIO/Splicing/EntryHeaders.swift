/// Completes the pictures at which decoding can begin with the headers that apply to them: parameter sets of H.264 and
/// HEVC, and sequence headers of other codecs.
///
/// A stream whose headers change states each header once, or before each entry. A segment may replace the packet with
/// the header, and a cut may remove it. So each entry of a copy contains its headers, and a player can begin there.
package struct EntryHeaders: Sendable {
    private let index: PacketIndex
    private let framing: NALFraming
    /// True if entries may lack headers.
    private let isNeeded: Bool

    /// - Parameters:
    ///   - source: The demuxer of the packets.
    ///   - changes: Whether segments between the packets have other headers than these.
    package init(_ index: PacketIndex, source: Demuxer, changes: Bool) {
        self.index = index
        framing = source.videoFraming
        isNeeded = changes || index.changesHeaders
    }

    /// Returns a packet with the headers that it lacks; the same packet if it lacks none, or is no entry.
    ///
    /// - Parameter number: The number of the packet.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    package func completed(_ packet: consuming Packet, number: Int) throws(MediaError) -> Packet {
        let role = index.pictures[number].role
        guard isNeeded, role == .entry || role == .openEntry else { return packet }
        if index.codec?.hasSequenceHeaders == true { return try withSequenceHeader(packet, number) }
        guard let codec = index.codec?.units else { return packet }
        let bytes = packet.bytes
        let units = framing.units(of: bytes).map { Array($0) }
        let own = units.compactMap { ParameterSet($0[...], codec: codec) }
        let lacking = index.sets.all(at: number).filter { set in
            !own.contains { $0.kind == set.kind && $0.id == set.id }
        }
        if lacking.isEmpty { return packet }
        // An access unit delimiter is the first unit.
        let first = units.prefix { NALUnit.isDelimiter($0[0], codec: codec) }.count
        return try packet.replacing(framing.joined(units[..<first] + lacking.map(\.unit) + units[first...]))
    }

    /// Returns a picture of AV1, MPEG-2 or MPEG-4 Visual with the sequence header that it lacks.
    private func withSequenceHeader(_ packet: consuming Packet, _ number: Int) throws(MediaError) -> Packet {
        let isAV1 = index.codec == .av1
        let own = packet.withBytes {
            isAV1 ? AV1Packet($0).sequenceHeader : MPEGPicture($0, isMPEG2: index.codec == .mpeg2).header
        }
        guard own == nil, let header = index.sequenceHeaders.value(at: number) else { return packet }
        let bytes = packet.bytes
        return try packet.replacing(
            isAV1 ? AV1Packet.adding(sequenceHeader: header, to: bytes) : header + bytes)
    }
}
