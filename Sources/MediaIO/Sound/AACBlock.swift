/// The shape of the window of a coded block of AAC, which must match those of its neighbours.
///
/// ISO/IEC 14496-3, 4.4.2.1: the first element of a block, and its `ics_info`.
struct AACBlock: Hashable {
    enum Sequence: UInt8 { case long, longStart, short, longStop }

    let sequence: Sequence
    /// 0 is a sine, 1 a Kaiser-Bessel window.
    let shape: UInt8

    /// - Returns: nil if the block begins with another element than a channel or a pair of channels.
    init?(_ bytes: [UInt8]) {
        var reader = BitReader(Array(bytes.dropFirst(ADTS(bytes)?.length ?? 0)))
        switch reader.bits(3) {
        case 0:
            // The tag of the element, and its gain.
            _ = reader.bits(4 + 8)
        case 1:
            _ = reader.bits(4)
            if !reader.bit() { _ = reader.bits(8) }
        default: return nil
        }
        _ = reader.bits(1)
        guard let sequence = Sequence(rawValue: UInt8(reader.bits(2))) else { return nil }
        self.sequence = sequence
        shape = UInt8(reader.bits(1))
    }

    /// True if a block with a long window may precede.
    var beginsLong: Bool { sequence == .long || sequence == .longStart }
    /// True if a block with a long window may follow.
    var endsLong: Bool { sequence == .long || sequence == .longStop }

    /// The header of a block in a transport stream (ISO/IEC 13818-7, 6.2).
    struct ADTS {
        /// The header without a checksum.
        private let bytes: [UInt8]
        /// The length of the header with its checksum, if any.
        let length: Int

        /// - Returns: nil if the bytes do not begin with a header of one block.
        init?(_ packet: [UInt8]) {
            guard packet.count >= 7, packet[0] == 0xFF, packet[1] & 0xF6 == 0xF0, packet[6] & 3 == 0 else { return nil }
            length = packet[1] & 1 == 1 ? 7 : 9
            bytes = Array(packet[..<7])
        }

        /// The object type, the index of the rate and the number of channels, as an AudioSpecificConfig states them.
        var configuration: [UInt8] {
            let type = bytes[2] >> 6 + 1, rate = bytes[2] >> 2 & 15, channels = (bytes[2] & 1) << 2 | bytes[3] >> 6
            return [type << 3 | rate >> 1, (rate & 1) << 7 | channels << 3]
        }

        /// Returns a block with this header, without a checksum.
        func wrapping(_ block: [UInt8]) -> [UInt8] {
            let size = block.count + 7
            var header = bytes
            header[1] |= 1
            header[3] = header[3] & 0xFC | UInt8(size >> 11 & 3)
            header[4] = UInt8(size >> 3 & 0xFF)
            header[5] = UInt8(size & 7) << 5 | 0x1F
            header[6] = 0xFC
            return header + block
        }
    }
}
