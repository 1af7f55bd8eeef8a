/// Mutates bytes of unknown format.
package enum ByteMutator {
    /// Numbers at which programs commonly fail, as two's complement of eight bytes.
    static let extremes: [UInt64] = [
        0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE,
        0xFFFF_FFFF, 0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max,
    ]

    /// Changes one place within a range.
    package static func mutate(_ bytes: inout [UInt8], within range: Range<Int>, _ random: inout FuzzRandom) {
        let range = range.clamped(to: bytes.indices)
        guard !range.isEmpty else { return }
        let place = range.lowerBound + random.below(range.count)
        switch random.below(9) {
        case 0, 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 3, 4: put(random.pick(extremes), in: &bytes, at: place, size: random.pick([1, 2, 4, 4, 8]))
        case 5:
            let size = random.pick([1, 2, 4])
            var value = number(in: bytes, at: place, size: size)
            value = random.once(in: 2) ? value &+ UInt64(1 + random.below(4)) : value &- UInt64(1 + random.below(4))
            put(value, in: &bytes, at: place, size: size)
        case 6: bytes.removeSubrange(piece(in: range, &random))
        case 7: bytes.insert(contentsOf: Array(bytes[piece(in: range, &random)]), at: place)
        default:
            let fill = random.pick([0, 0xFF, UInt8(truncatingIfNeeded: random.next())] as [UInt8])
            for index in piece(in: range, &random) { bytes[index] = fill }
        }
    }

    private static func piece(in range: Range<Int>, _ random: inout FuzzRandom) -> Range<Int> {
        let part = random.range(within: range.count)
        return part.lowerBound + range.lowerBound..<part.upperBound + range.lowerBound
    }

    /// Cuts off the end.
    package static func truncate(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
        bytes.removeLast(min(bytes.count, random.below(bytes.count + 1)))
    }

    /// Returns a stored number, most significant byte first.
    static func number(in bytes: [UInt8], at place: Int, size: Int) -> UInt64 {
        bytes[place..<min(bytes.count, place + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Overwrites a number.
    static func put(_ value: UInt64, in bytes: inout [UInt8], at place: Int, size: Int) {
        for index in 0..<size where place + index < bytes.count {
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64((size - 1 - index) * 8))
        }
    }
}
