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
