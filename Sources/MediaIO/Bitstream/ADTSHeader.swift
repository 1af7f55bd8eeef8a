/// The header of each frame of AAC in a transport stream, which says what a file says once.
///
/// ISO/IEC 13818-7, 6.2 (ADTS).
struct ADTSHeader {
    /// The same as files keep it: the first two bytes of an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    let configuration: [UInt8]

    /// - Parameter bytes: of a packet.
    /// - Returns: `nil` where they begin with no such header, or the header leaves open which loudspeakers there are.
    init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(4))
        // Twelve ones, and layer 0.
        guard head.count == 4, head[0] == 0xFF, head[1] & 0xF6 == 0xF0 else { return nil }
        let objectType = head[2] >> 6 + 1
        let rate = head[2] >> 2 & 15, channels = (head[2] & 1) << 2 | head[3] >> 6
        guard rate < 13, channels > 0 else { return nil }
        configuration = [objectType << 3 | rate >> 1, rate << 7 | channels << 3]
    }
}
