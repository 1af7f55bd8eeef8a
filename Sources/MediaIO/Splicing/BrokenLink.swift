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
        var bytes = packet.bytes
        for unit in source.videoFraming.units(of: bytes) where bytes[unit.startIndex] >> 1 & 0x3F == cra {
            bytes[unit.startIndex] = bytes[unit.startIndex] & 0x81 | bla << 1
        }
        return try packet.replacing(bytes)
    }
}
