/// Mutates values of JSON and similar text: numbers, strings, words and whole elements are exchanged, and the rest
/// stays as valid as it was. The parser rejects 24 of 25 blind mutations, which reach no code behind it.
package enum TextMutator {
    private enum Token {
        case number(Range<Int>), string(Range<Int>), word(Range<Int>), element(Range<Int>)

        var range: Range<Int> {
            switch self {
            case .number(let range), .string(let range), .word(let range), .element(let range): range
            }
        }
    }

    private static let numbers = [
        "0", "-0", "1", "-1", "0.5", "1e-9", "-1e-9", "2", "3", "10", "60", "255", "256", "1000", "65536", "2147483647",
        "-2147483648", "4294967296", "9007199254740993", "9223372036854775807", "-9223372036854775808", "1e18", "1e19",
        "1e100", "-1e100", "1e308", "-1e308", "1e999", "4.9e-324", "0.1", "0.999999", "1.000001", "100",
    ]
    private static let strings = [
        #""""#, #"" ""#, #""\u0000""#, #""\ud800""#, ##""#ffffff""##, ##""#gggggg""##, #""../../x""#, #""/dev/null""#,
        #""thumbsUp""#, #""nan""#, #""inf""#, #""-1""#, #""👍🏽""#, #""\n""#, #""heart""#, #""victory""#, #""1:99:99""#,
        #""01:00:00:00""#, #""%s%n%d""#, #""é́́́""#,
    ]
    private static let words = ["true", "false", "null", "[]", "{}", "[null]", "[[]]", "{\"\":0}"]

    package static func mutate(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
        let tokens = tokens(of: bytes)
        guard !tokens.isEmpty, !random.once(in: 12) else {
            return ByteMutator.mutate(&bytes, within: bytes.indices, &random)
        }
        let token = random.pick(tokens)
        let other = random.pick(tokens)
        let replacement: [UInt8]
        switch (token, random.below(8)) {
        case (.number, 0...2): replacement = Array(random.pick(numbers).utf8)
        case (.number, 3...5):
            // Close to valid values, where the interesting limits are.
            let value = Double(String(decoding: bytes[token.range], as: UTF8.self)) ?? 1
            let factor = random.pick([0, 0.1, 0.5, 0.9, 1.1, 2, 3, 10, -1])
            replacement = Array("\(value * factor)".utf8)
        case (.string, 0...3): replacement = Array(random.pick(strings).utf8)
        case (.string, 4):
            let piece = bytes[token.range].dropFirst().dropLast()
            replacement = [0x22] + Array(repeatElement(piece, count: random.pick([2, 3, 100, 2000])).joined()) + [0x22]
        case (.word, 0...3): replacement = Array(random.pick(words).utf8)
        case (.element, 0...3):
            // Duplicated, or removed, with its comma.
            let copy = Array(bytes[token.range])
            let times = random.pick([0, 2, 2, 3, 70, 300])
            if copy.count * times > 1 << 20 { return }
            replacement = Array(repeatElement(copy, count: times).joined(separator: [0x2C]))
        default: replacement = Array(bytes[other.range])
        }
        bytes.replaceSubrange(token.range, with: replacement)
    }

    /// Returns the scalars, objects and lists of a text.
    private static func tokens(of bytes: [UInt8]) -> [Token] {
        var tokens: [Token] = []
        var open: [Int] = []
        var place = 0
        while place < bytes.count {
            let start = place
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                while place < bytes.count, bytes[place] != byte, bytes[place] != UInt8(ascii: "\n") {
                    place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
                }
                place = min(place + 1, bytes.count)
                tokens.append(.string(start..<place))
            case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(start)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let start = open.popLast() { tokens.append(.element(start..<place)) }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                while place < bytes.count, isNumber(bytes[place]) { place += 1 }
                tokens.append(.number(start..<place))
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                while place < bytes.count, isLetter(bytes[place]) { place += 1 }
                tokens.append(.word(start..<place))
            default: break
            }
        }
        return tokens
    }

    private static func isNumber(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}
