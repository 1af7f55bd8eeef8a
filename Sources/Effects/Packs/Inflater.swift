/// Decompresses DEFLATE data (RFC 1951) to at most a given number of bytes.
///
/// The decoder is written in Swift, so damaged data cannot make it read or write outside of its arrays.
struct Inflater {
    /// The reason why data cannot be decompressed.
    enum Fault: Error { case damaged, tooLong }

    private let input: ArraySlice<UInt8>
    private let limit: Int
    private var place: Int
    /// The bits that were read but not used, the next one lowest, and their number.
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    private init(_ input: ArraySlice<UInt8>, limit: Int) {
        self.input = input
        self.limit = limit
        place = input.startIndex
        output.reserveCapacity(limit)
    }

    /// Returns the decompressed bytes.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Throws: ``Fault``.
    static func inflate(_ input: ArraySlice<UInt8>, limit: Int) throws(Fault) -> [UInt8] {
        var inflater = Inflater(input, limit: limit)
        var isLast = false
        while !isLast {
            isLast = try inflater.readBits(1) == 1
            switch try inflater.readBits(2) {
            case 0: try inflater.copyStored()
            case 1: try inflater.decode(.fixedLiterals, .fixedDistances)
            case 2:
                let (literals, distances) = try inflater.readCodes()
                try inflater.decode(literals, distances)
            default: throw .damaged
            }
        }
        return inflater.output
    }

    // MARK: Blocks

    private mutating func copyStored() throws(Fault) {
        (bits, bitCount) = (0, 0)
        guard place + 4 <= input.endIndex else { throw .damaged }
        let length = Int(input[place]) | Int(input[place + 1]) << 8
        let complement = Int(input[place + 2]) | Int(input[place + 3]) << 8
        guard length ^ complement == 0xFFFF, place + 4 + length <= input.endIndex else { throw .damaged }
        guard output.count + length <= limit else { throw .tooLong }
        output += input[place + 4..<place + 4 + length]
        place += 4 + length
    }

    private mutating func decode(_ literals: HuffmanCode, _ distances: HuffmanCode) throws(Fault) {
        while true {
            let symbol = try next(literals)
            if symbol < 256 {
                guard output.count < limit else { throw .tooLong }
                output.append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return }
            guard symbol - 257 < Self.lengths.count else { throw .damaged }
            let (length, lengthBits) = Self.lengths[symbol - 257]
            let count = length + (try readBits(lengthBits))
            let code = try next(distances)
            guard code < Self.distances.count else { throw .damaged }
            let (distance, distanceBits) = Self.distances[code]
            let back = distance + (try readBits(distanceBits))
            guard back <= output.count else { throw .damaged }
            guard output.count + count <= limit else { throw .tooLong }
            // The copy may overlap its source, which repeats it.
            for _ in 0..<count { output.append(output[output.count - back]) }
        }
    }

    /// Reads the codes of a block: the lengths of their words are themselves coded (3.2.7).
    private mutating func readCodes() throws(Fault) -> (literals: HuffmanCode, distances: HuffmanCode) {
        let literalCount = try readBits(5) + 257, distanceCount = try readBits(5) + 1, codeCount = try readBits(4) + 4
        guard literalCount <= 286, distanceCount <= 30 else { throw .damaged }
        var codeLengths = [UInt8](repeating: 0, count: 19)
        for index in 0..<codeCount { codeLengths[Self.codeOrder[index]] = UInt8(try readBits(3)) }
        let code = try HuffmanCode(codeLengths)
        var lengths: [UInt8] = []
        while lengths.count < literalCount + distanceCount {
            let symbol = try next(code)
            switch symbol {
            case 0..<16: lengths.append(UInt8(symbol))
            case 16:
                guard let last = lengths.last else { throw .damaged }
                lengths += [UInt8](repeating: last, count: 3 + (try readBits(2)))
            case 17: lengths += [UInt8](repeating: 0, count: 3 + (try readBits(3)))
            default: lengths += [UInt8](repeating: 0, count: 11 + (try readBits(7)))
            }
        }
        guard lengths.count == literalCount + distanceCount, lengths[256] > 0 else { throw .damaged }
        return (try HuffmanCode(lengths[..<literalCount]), try HuffmanCode(lengths[literalCount...]))
    }

    // MARK: Bits

    private mutating func readBits(_ count: Int) throws(Fault) -> Int {
        while bitCount < count {
            guard place < input.endIndex else { throw .damaged }
            bits |= UInt32(input[place]) << UInt32(bitCount)
            place += 1
            bitCount += 8
        }
        let value = bits & ((1 << UInt32(count)) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(value)
    }

    /// Reads a symbol bit by bit: the words of each length are consecutive numbers.
    private mutating func next(_ code: HuffmanCode) throws(Fault) -> Int {
        var word = 0, first = 0, index = 0
        for count in code.counts.dropFirst() {
            word |= try readBits(1)
            if word - first < count { return code.symbols[index + word - first] }
            index += count
            first = (first + count) << 1
            word <<= 1
        }
        throw .damaged
    }

    // MARK: Tables

    /// The order in which the lengths of the code's own words are stored.
    private static let codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// The smallest length of each symbol from 257 on, and the number of bits that are added to it.
    private static let lengths: [(Int, Int)] = steps(from: 3, count: 28, group: 4, first: 8) + [(258, 0)]
    /// The smallest distance of each symbol, and the number of bits that are added to it.
    private static let distances: [(Int, Int)] = steps(from: 1, count: 30, group: 2, first: 4)

    /// Returns values whose steps double after each group, and the bits of each step.
    private static func steps(from start: Int, count: Int, group: Int, first: Int) -> [(Int, Int)] {
        var value = start
        return (0..<count).map { index in
            let bits = index < first ? 0 : (index - first) / group + 1
            defer { value += 1 << bits }
            return (value, bits)
        }
    }
}

/// A prefix code, described by the lengths of its words (RFC 1951, 3.2.2).
private struct HuffmanCode {
    /// The number of words of each length.
    let counts: [Int]
    /// The symbols in the order of their words.
    let symbols: [Int]

    static let fixedLiterals = HuffmanCode(
        unchecked: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = HuffmanCode(unchecked: [UInt8](repeating: 5, count: 30))

    /// - Throws: ``Inflater/Fault`` if there are more words of a length than bits allow.
    init(_ lengths: some Collection<UInt8>) throws(Inflater.Fault) {
        self.init(unchecked: Array(lengths))
        var free = 1
        for count in counts.dropFirst() {
            free = free * 2 - count
            if free < 0 { throw .damaged }
        }
    }

    private init(unchecked lengths: [UInt8]) {
        var counts = [Int](repeating: 0, count: 16)
        for length in lengths where length > 0 { counts[Int(length)] += 1 }
        self.counts = counts
        symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }
}
