/// Reproducible random numbers: SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
struct GalleryRandom: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number that is evenly distributed in `low..<high`.
    mutating func uniform(_ low: Double = 0, _ high: Double = 1) -> Double {
        low + (high - low) * Double(next() >> 11) * 0x1p-53
    }

    /// Returns an integer that is evenly distributed in the range.
    mutating func integer(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// Returns `true` with the given probability.
    mutating func chance(_ probability: Double) -> Bool { uniform() < probability }

    /// Returns one of the items, which must not be empty.
    mutating func pick<Item>(_ items: [Item]) -> Item { items[integer(0...items.count - 1)] }

    /// Returns the items in random order.
    mutating func shuffled<Item>(_ items: [Item]) -> [Item] {
        var items = items
        for index in items.indices.dropFirst().reversed() {
            items.swapAt(index, integer(0...index))
        }
        return items
    }
}
