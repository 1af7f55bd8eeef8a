/// The directions of the characters of one line, after the Unicode Bidirectional Algorithm (Unicode Standard Annex 9)
/// without explicit embeddings and paired brackets.
enum TextDirection {
    private enum Class {
        case left, right, arabic, europeanDigit, arabicDigit, sign, separator, terminator, mark, neutral

        /// The direction for neighbouring neutral characters; digits count as right to left.
        var strong: Class? {
            switch self {
            case .left: .left
            case .right, .arabic, .europeanDigit, .arabicDigit: .right
            default: nil
            }
        }
    }

    /// Returns the embedding level of each character: even from left to right, odd from right to left. The line's own
    /// level is 1 if its first letter is of a script from right to left.
    static func levels(of line: [Unicode.Scalar]) -> (levels: [Int], base: Int) {
        let given = line.map(kind)
        let first = given.first { [.left, .right, .arabic].contains($0) }
        let base = first == .right || first == .arabic ? 1 : 0
        let kinds = resolved(given, base: base)
        return (kinds.map { level(of: $0, base: base) }, base)
    }

    private static func level(of kind: Class, base: Int) -> Int {
        switch kind {
        case .left: base == 0 ? 0 : 2
        case .right: 1
        default: 2
        }
    }

    /// Applies the rules W1 to W7, N1 and N2.
    private static func resolved(_ given: [Class], base: Int) -> [Class] {
        var kinds = given
        let outer: Class = base == 0 ? .left : .right
        var (previous, letter) = (outer, outer)
        for i in kinds.indices {
            if kinds[i] == .mark { kinds[i] = previous }
            previous = kinds[i]
            if [.left, .right, .arabic].contains(previous) { letter = previous }
            if kinds[i] == .europeanDigit, letter == .arabic { kinds[i] = .arabicDigit }
        }
        for i in kinds.indices where kinds[i] == .arabic { kinds[i] = .right }
        for i in kinds.indices.dropFirst().dropLast() where kinds[i - 1] == kinds[i + 1] {
            let isBetween = kinds[i] == .separator || kinds[i] == .sign && kinds[i - 1] == .europeanDigit
            if isBetween, [.europeanDigit, .arabicDigit].contains(kinds[i - 1]) { kinds[i] = kinds[i - 1] }
        }
        replace(.terminator, in: &kinds) { before, after in
            before == .europeanDigit || after == .europeanDigit ? .europeanDigit : .neutral
        }
        letter = outer
        for i in kinds.indices {
            if kinds[i] == .sign || kinds[i] == .separator { kinds[i] = .neutral }
            if kinds[i] == .left || kinds[i] == .right { letter = kinds[i] }
            if kinds[i] == .europeanDigit, letter == .left { kinds[i] = .left }
        }
        replace(.neutral, in: &kinds) { before, after in
            let (before, after) = (before?.strong ?? outer, after?.strong ?? outer)
            return before == after ? before : outer
        }
        return kinds
    }

    /// Replaces each sequence of one class according to its neighbours.
    private static func replace(
        _ kind: Class, in kinds: inout [Class], by replacement: (_ before: Class?, _ after: Class?) -> Class
    ) {
        var start = 0
        while let first = kinds[start...].firstIndex(of: kind) {
            let end = kinds[first...].firstIndex { $0 != kind } ?? kinds.count
            let new = replacement(first > 0 ? kinds[first - 1] : nil, end < kinds.count ? kinds[end] : nil)
            for i in first..<end { kinds[i] = new }
            start = end
        }
    }

    /// The blocks of scripts from right to left (DerivedBidiClass.txt of the Unicode Character Database).
    private static let rightBlocks: [ClosedRange<UInt32>] = [
        0x0590...0x05FF, 0x07C0...0x085F, 0x200F...0x200F, 0xFB1D...0xFB4F, 0x10800...0x10CFF, 0x10D40...0x10EBF,
        0x10F00...0x10F2F, 0x10F70...0x10FFF, 0x1E800...0x1EC6F, 0x1ECC0...0x1ECFF, 0x1ED50...0x1EDFF,
        0x1EF00...0x1EFFF,
    ]
    private static let arabicBlocks: [ClosedRange<UInt32>] = [
        0x0600...0x07BF, 0x0860...0x08FF, 0xFB50...0xFDCF, 0xFDF0...0xFDFF, 0xFE70...0xFEFE, 0x10D00...0x10D3F,
        0x10EC0...0x10EFF, 0x10F30...0x10F6F, 0x1EC70...0x1ECBF, 0x1ED00...0x1ED4F, 0x1EE00...0x1EEFF,
    ]

    private static func kind(of scalar: Unicode.Scalar) -> Class {
        let value = scalar.value
        switch value {
        case 0x30...0x39, 0x06F0...0x06F9: return .europeanDigit
        case 0x0660...0x0669, 0x066B...0x066C: return .arabicDigit
        case 0x2B, 0x2D, 0x2212: return .sign
        case 0x2C, 0x2E, 0x2F, 0x3A, 0xA0, 0x060C: return .separator
        case 0x23...0x25, 0xA2...0xA5, 0xB0...0xB1, 0x066A, 0x2030...0x2034, 0x20A0...0x20CF: return .terminator
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return .mark
        case .format where value != 0x200E && value != 0x200F: return .mark
        default: break
        }
        if rightBlocks.contains(where: { $0.contains(value) }) { return .right }
        if arabicBlocks.contains(where: { $0.contains(value) }) { return .arabic }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark,
            .decimalNumber, .letterNumber:
            return .left
        default: return value == 0x200E ? .left : .neutral
        }
    }

    /// Returns the indices of runs in the sequence in which they are drawn from left to right (rule L2).
    static func visualOrder(_ levels: [Int]) -> [Int] {
        var order = Array(levels.indices)
        for level in stride(from: levels.max() ?? 0, through: 1, by: -1) {
            var start = 0
            while let first = order[start...].firstIndex(where: { levels[$0] >= level }) {
                let end = order[first...].firstIndex { levels[$0] < level } ?? order.count
                order[first..<end].reverse()
                start = end
            }
        }
        return order
    }
}
