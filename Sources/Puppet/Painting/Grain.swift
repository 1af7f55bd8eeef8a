/// The picture's noise: the same for the same seed, frame and pixel, on every machine.
struct Grain: Sendable {
    /// A tile of noise, `side`² values in −128…127.
    let values: [Int8]
    static let side = 128

    init(seed: UInt32) {
        var state = seed &* 2_654_435_761 &+ 0x9E37_79B9
        values = (0..<Self.side * Self.side).map { _ in
            var sum: Int32 = 0
            for _ in 0..<2 {
                state ^= state << 13
                state ^= state >> 17
                state ^= state << 5
                sum += Int32(state >> 24) - 128
            }
            return Int8(truncatingIfNeeded: max(-128, min(127, sum / 2)))
        }
    }

    /// Where in the tile a frame's noise begins.
    static func offset(frame: Int) -> (x: Int, y: Int) {
        let hash = UInt32(truncatingIfNeeded: frame) &* 747_796_405 &+ 2_891_336_453
        let mixed = ((hash >> 16) ^ hash) &* 277_803_737
        return (Int(mixed >> 8) & (side - 1), Int(mixed >> 20) & (side - 1))
    }
}
