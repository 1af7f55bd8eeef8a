/// Mutates the units of H.264 and HEVC streams with start codes: their types, their first bytes, which hold headers
/// and parameter sets, their number and their order.
enum UnitMutator {
    static func mutate(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
        let starts = starts(in: bytes)
        guard !starts.isEmpty else { return ByteMutator.mutate(&bytes, within: bytes.indices, &random) }
        func unit(_ index: Int) -> Range<Int> {
            starts[index]..<(index + 1 < starts.count ? starts[index + 1] - 3 : bytes.count)
        }
        // Parameter sets are at the beginning.
        let index = random.once(in: 2) ? random.below(min(4, starts.count)) : random.below(starts.count)
        let range = unit(index)
        let other = Array(bytes[unit(random.below(starts.count))])
        switch random.below(7) {
        case 0: bytes[range.lowerBound] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.removeSubrange(range)
        case 2: bytes.replaceSubrange(range, with: other)
        case 3: bytes.insert(contentsOf: other + [0, 0, 1], at: range.lowerBound)
        default:
            ByteMutator.mutate(&bytes, within: range.lowerBound..<min(range.upperBound, range.lowerBound + 48), &random)
        }
    }

    /// Returns the offsets of units, after their start codes.
    private static func starts(in bytes: [UInt8]) -> [Int] {
        guard bytes.count > 4 else { return [] }
        return (3..<bytes.count).filter { bytes[$0 - 1] == 1 && bytes[$0 - 2] == 0 && bytes[$0 - 3] == 0 }
    }
}
