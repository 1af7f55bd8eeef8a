/// Marks the HEVC picture with which copying goes on after a span that took its skipped leading pictures.
///
/// A CRA picture in the middle of a stream belongs to the sequence before it, whose parameter sets and picture order
/// hold for it. As a BLA picture ("broken link access", H.265, 3.11) it begins a sequence of its own, which is what these
/// are for: streams that were cut and joined. Nothing but the type in the header of its units differs, and it decodes to
/// the same picture.
package enum BrokenLink {
    private static let cra: UInt8 = 21
    /// With decodable leading pictures, or without.
    private static let bla: UInt8 = 17

    /// - Parameter source: whose packet it is.
    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    package static func marked(_ packet: consuming Packet, of source: Demuxer) throws(MediaError) -> Packet {
        var places: [Int] = []
        var bytes: [UInt8] = []
        packet.withBytes { span in
            bytes = (0..<span.count).map { span[$0] }
            source.videoFraming.forEachUnit(in: span) { range in
                if span[range.lowerBound] >> 1 & 0x3F == cra { places.append(range.lowerBound) }
            }
        }
        for place in places { bytes[place] = bytes[place] & 0x81 | bla << 1 }
        return try packet.replacing(bytes)
    }
}
