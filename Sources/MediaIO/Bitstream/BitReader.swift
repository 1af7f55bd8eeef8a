/// Reads the bits of a NAL unit's content, most significant first (ITU-T H.264 and H.265, 7.2 and 9.1/9.2).
///
/// All bits after the end are 0.
struct BitReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    /// - Parameter bytes: The content without emulation prevention bytes: see ``NALUnit/unescaped(_:)``.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count * 8 }

    mutating func bit() -> Bool {
        defer { position += 1 }
        guard position < bytes.count * 8 else { return false }
        return bytes[position / 8] >> (7 - position % 8) & 1 == 1
    }

    /// Reads `u(n)`, of up to 32 bits.
    mutating func bits(_ count: Int) -> UInt32 {
        (0..<count).reduce(0) { value, _ in value << 1 | (bit() ? 1 : 0) }
    }

    /// Reads `ue(v)`, an Exp-Golomb code.
    mutating func unsigned() -> UInt32 {
        var zeros = 0
        while !bit() {
            zeros += 1
            if zeros > 31 { return .max }
        }
        return (1 << UInt32(zeros)) - 1 + bits(zeros)
    }

    /// Reads `se(v)`, a signed Exp-Golomb code.
    mutating func signed() -> Int32 {
        let code = Int64(unsigned())
        return Int32(truncatingIfNeeded: code & 1 == 1 ? (code + 1) / 2 : -(code / 2))
    }
}
