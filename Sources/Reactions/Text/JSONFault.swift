import FoundationEssentials

/// What is wrong with a JSON text, and where.
package struct JSONFault: Error, Sendable, Hashable {
    /// A line such as `line 12`, or a key such as `emitters[0].size`; empty where it is the text as a whole.
    package var place: String
    package var message: String

    /// Decodes JSON.
    package static func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws(JSONFault) -> Value {
        // Editors on Windows begin a text with a mark of its encoding.
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

    /// The number that its type cannot hold, where that is the fault: Foundation does not say which, nor where.
    private static func unplacedNumber<Value: Decodable>(
        _ error: DecodingError, in json: [UInt8], of type: Value.Type
    ) -> JSONFault? {
        guard case .dataCorrupted(let context) = error, isUnplaced(context) else { return nil }
        let culprit = JSONNumbers(in: json).culprit { text in
            (try? JSONDecoder().decode(type, from: Data(text))) != nil
        }
        return culprit.map { line, text in
            JSONFault(place: "line \(line)", message: "the number \(text) \(numberFault)")
        }
    }

    private static let numberFault = "is too large or below 0, or is not whole where it must be"

    /// The syntax is right, so that it is a number.
    private static func isUnplaced(_ context: DecodingError.Context) -> Bool {
        context.codingPath.isEmpty && context.debugDescription.hasPrefix("The given data")
    }

    private init(place: String, message: String) { (self.place, self.message) = (place, message) }

    private init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(place: Self.path(context.codingPath + [key]), message: "the key is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(place: Self.path(context.codingPath), message: "the value is of the wrong kind")
        case .dataCorrupted(let context):
            self.init(
                place: Self.path(context.codingPath),
                message: Self.isUnplaced(context)
                    ? "a number \(Self.numberFault)" : Self.plain(context.debugDescription))
        @unknown default:
            self.init(place: "", message: "the text cannot be read")
        }
    }

    /// `emitters[0].size`.
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

    /// Enumerations report themselves in Swift's words.
    private static func plain(_ text: String) -> String {
        text.hasPrefix("Cannot initialize") ? "the value is not one of those known" : text
    }
}
