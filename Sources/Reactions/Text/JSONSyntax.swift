import FoundationEssentials

/// A parser that locates the line of a JSON syntax error, which Foundation's decoder does not report.
///
/// The grammar is RFC 8259's. In addition, keys of an object must be unique, numbers must be finite, and nesting is
/// limited to ``deepest``.
struct JSONSyntax {
    struct Fault: Hashable {
        var line: Int
        var message: String
    }

    /// The maximum nesting depth of arrays and objects.
    static let deepest = 24

    /// Returns the first syntax error; nil for valid JSON.
    static func fault(in text: [UInt8]) -> Fault? {
        var reader = JSONSyntax(text: text)
        do throws(Failure) {
            try reader.value(depth: 0)
            reader.skipSpace()
            if !reader.isAtEnd { throw Failure(message: "unexpected text after the end of the JSON") }
            return nil
        } catch {
            return Fault(line: line(of: reader.place, in: text), message: error.message)
        }
    }

    /// Returns the ranges of the numbers of valid JSON, in order.
    static func numbers(in text: [UInt8]) -> [Range<Int>] {
        var reader = JSONSyntax(text: text)
        try? reader.value(depth: 0)
        return reader.numbers
    }

    /// Returns the line of a byte offset, counted from 1.
    static func line(of place: Int, in text: [UInt8]) -> Int {
        1 + text.prefix(place).count { $0 == UInt8(ascii: "\n") }
    }

    private struct Failure: Error { var message: String }

    private let text: [UInt8]
    private var place = 0
    private var numbers: [Range<Int>] = []

    private init(text: [UInt8]) { self.text = text }

    private var isAtEnd: Bool { place >= text.count }
    private var next: Unicode.Scalar? { isAtEnd ? nil : Unicode.Scalar(text[place]) }

    private mutating func skipSpace() {
        while let c = next, c == " " || c == "\n" || c == "\r" || c == "\t" { place += 1 }
    }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == character else { return false }
        place += 1
        return true
    }

    private func unexpected(_ wanted: String) -> Failure {
        guard let next else { return Failure(message: "the text ends where \(wanted) is expected") }
        return Failure(message: "\(wanted) is expected instead of '\(next)'")
    }

    private mutating func value(depth: Int) throws(Failure) {
        if depth > Self.deepest { throw Failure(message: "the JSON is nested too deeply") }
        skipSpace()
        switch next {
        case "{": try object(depth: depth)
        case "[": try array(depth: depth)
        case "\"": _ = try string()
        case "t": try word("true")
        case "f": try word("false")
        case "n": try word("null")
        default: try number()
        }
    }

    private mutating func object(depth: Int) throws(Failure) {
        place += 1
        if accept("}") { return }
        var keys: Set<String> = []
        repeat {
            skipSpace()
            guard next == "\"" else { throw unexpected("a key in double quotes") }
            let key = try string()
            guard keys.insert(key).inserted else {
                throw Failure(message: "the key \"\(key)\" is a duplicate")
            }
            guard accept(":") else { throw unexpected("a colon") }
            try value(depth: depth + 1)
        } while accept(",")
        guard accept("}") else { throw unexpected("a comma or }") }
    }

    private mutating func array(depth: Int) throws(Failure) {
        place += 1
        if accept("]") { return }
        repeat { try value(depth: depth + 1) } while accept(",")
        guard accept("]") else { throw unexpected("a comma or ]") }
    }

    private mutating func string() throws(Failure) -> String {
        let start = place + 1
        place = start
        while let c = next, c != "\"" {
            if text[place] < 0x20 { throw Failure(message: "a string lacks its closing quote") }
            place += c == "\\" ? 2 : 1
        }
        guard !isAtEnd else { throw Failure(message: "a string lacks its closing quote") }
        place += 1
        return String(decoding: text[start..<place - 1], as: UTF8.self)
    }

    private mutating func word(_ word: String) throws(Failure) {
        guard text[place...].starts(with: word.utf8) else { throw unexpected("a value") }
        place += word.utf8.count
    }

    private mutating func number() throws(Failure) {
        let start = place
        while let c = next, ("0"..."9").contains(c) || "+-.eE".unicodeScalars.contains(c) { place += 1 }
        let digits = String(decoding: text[start..<place], as: UTF8.self)
        guard !digits.isEmpty, let value = Double(digits) else {
            place = start
            throw unexpected("a value")
        }
        if !value.isFinite { throw Failure(message: "the number \(digits.prefix(20)) is too large") }
        numbers.append(start..<place)
    }
}
