/// Writes the bits of a NAL unit's content, most significant first: the inverse of ``BitReader``.
struct BitWriter {
    /// The content so far; unused bits of the last byte are 0.
    private(set) var bytes: [UInt8] = []
    private(set) var position = 0

    mutating func add(_ bit: Bool) {
        if position % 8 == 0 { bytes.append(0) }
        if bit { bytes[position / 8] |= 0x80 >> UInt8(position % 8) }
        position += 1
    }

    /// Writes `u(n)`, of up to 32 bits.
    mutating func add(_ value: Int, bits count: Int) {
        for shift in (0..<count).reversed() { add(value >> shift & 1 == 1) }
    }

    /// Writes `ue(v)`, an Exp-Golomb code.
    ///
    /// - Parameter value: At most 2³² − 2.
    mutating func addUnsigned(_ value: Int) {
        let width = Int.bitWidth - (value + 1).leadingZeroBitCount
        add(0, bits: width - 1)
        add(value + 1, bits: width)
    }

    /// Writes `se(v)`, a signed Exp-Golomb code.
    mutating func addSigned(_ value: Int) { addUnsigned(value > 0 ? 2 * value - 1 : -2 * value) }

    /// Copies bits of another content.
    mutating func add(_ range: Range<Int>, of content: [UInt8]) {
        for place in range { add(content[place / 8] >> UInt8(7 - place % 8) & 1 == 1) }
    }

    /// Fills the last byte with a bit.
    mutating func align(with bit: Bool) {
        while position % 8 != 0 { add(bit) }
    }

    /// Copies whole bytes.
    ///
    /// - Precondition: The content so far ends with a whole byte.
    mutating func add(_ more: ArraySlice<UInt8>) {
        precondition(position % 8 == 0)
        bytes += more
        position += 8 * more.count
    }
}
