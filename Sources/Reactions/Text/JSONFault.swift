import FoundationEssentials

/// An error in a JSON text, and its place.
package struct JSONFault: Error, Sendable, Hashable {
    /// A line such as `line 12`, or a key such as `emitters[0].size`; empty for the text as a whole.
    package var place: String
    package var message: String

    /// Decodes JSON.
    package static func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws(JSONFault) -> Value {
        // Editors on Windows begin a text with a byte order mark.
        let json = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
        if let fault = JSONSyntax.fault(in: json) {
            throw JSONFault(place: "line \(fault.line)", message: fault.message)
        }
        do {
            return try JSONDecoder().decode(type, from: Data(json))
        } catch let error as DecodingError {
            throw unplacedNumber(error, in: json, of: type) ?? JSONFault(error)
        } catch {
            throw JSONFault(place: "", message: "\(error)")
        }
    }

    /// Returns the number that its type cannot represent, if that is the error: Foundation reports neither the number
    /// nor its place.
    private static func unplacedNumber<Value: Decodable>(
        _ error: DecodingError, in json: [UInt8], of type: Value.Type
    ) -> JSONFault? {
        guard case .dataCorrupted(let context) = error, isUnplaced(context) else { return nil }
        let invalidNumber = JSONNumbers(in: json).invalidNumber { text in
            (try? JSONDecoder().decode(type, from: Data(text))) != nil
        }
        return invalidNumber.map { line, text in
            JSONFault(place: "line \(line)", message: "the number \(text) \(numberFault)")
        }
    }

    private static let numberFault = "is too large, negative or not a whole number"

    /// Returns whether the error has no place. Since the syntax was checked before, such an error is due to a number.
    private static func isUnplaced(_ context: DecodingError.Context) -> Bool {
        context.codingPath.isEmpty && context.debugDescription.hasPrefix("The given data")
    }

    private init(place: String, message: String) { (self.place, self.message) = (place, message) }

    private init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(place: Self.path(context.codingPath + [key]), message: "the key is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(place: Self.path(context.codingPath), message: "the value has the wrong type")
        case .dataCorrupted(let context):
            self.init(
                place: Self.path(context.codingPath),
                message: Self.isUnplaced(context)
                    ? "a number \(Self.numberFault)" : Self.plain(context.debugDescription))
        @unknown default:
            self.init(place: "", message: "the text cannot be read")
        }
    }

    /// Returns the text for a coding path, such as `emitters[0].size`.
    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return path
    }

    /// Replaces the decoder's message about an unknown value of an enumeration.
    private static func plain(_ text: String) -> String {
        text.hasPrefix("Cannot initialize") ? "the value is unknown" : text
    }
}

/// The numbers of a JSON text with valid syntax.
private struct JSONNumbers {
    private let json: [UInt8]
    /// The ranges of the numbers, in order.
    private let places: [Range<Int>]

    init(in json: [UInt8]) {
        self.json = json
        places = JSONSyntax.numbers(in: json)
    }

    /// Returns the first number that makes the text invalid, with its line and its text.
    ///
    /// - Parameter isRight: Validates a text in which some numbers are replaced by ones. The binary search calls it
    ///   about log₂ n times for n numbers.
    /// - Returns: `nil` if the text is invalid for another reason than its numbers.
    func invalidNumber(_ isRight: ([UInt8]) -> Bool) -> (line: Int, text: String)? {
        guard isRight(withOnes(from: 0)) else { return nil }
        // A binary search: the text is valid if the numbers from index `right` on are ones, and invalid if only those
        // from `wrong` on are.
        var right = 0, wrong = places.count
        while wrong - right > 1 {
            let middle = (right + wrong) / 2
            if isRight(withOnes(from: middle)) { right = middle } else { wrong = middle }
        }
        guard right < places.count else { return nil }
        let place = places[right]
        return (JSONSyntax.line(of: place.lowerBound, in: json), String(decoding: json[place], as: UTF8.self))
    }

    private func withOnes(from first: Int) -> [UInt8] {
        var text: [UInt8] = [], end = 0
        for place in places[first...] {
            text += json[end..<place.lowerBound]
            text.append(UInt8(ascii: "1"))
            end = place.upperBound
        }
        return text + json[end...]
    }
}

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
