import FoundationEssentials

/// What is wrong with a JSON text, and where.
package struct JSONFault: Error, Sendable, Hashable {
    /// A line such as `line 12`, or a key such as `emitters[0].size`; empty where it is the text as a whole.
    package var place: String
    package var message: String

    /// Decodes JSON.
    package static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) throws(JSONFault) -> Value {
        if let fault = JSONSyntax.fault(in: json) {
            throw JSONFault(place: "line \(fault.line)", message: fault.message)
        }
        do {
            return try JSONDecoder().decode(type, from: Data(json))
        } catch let error as DecodingError {
            throw JSONFault(error)
        } catch {
            throw JSONFault(place: "", message: "\(error)")
        }
    }

    private init(place: String, message: String) { (self.place, self.message) = (place, message) }

    private init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(place: Self.path(context.codingPath + [key]), message: "the key is missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(place: Self.path(context.codingPath), message: "the value is of the wrong kind")
        case .dataCorrupted(let context):
            let path = Self.path(context.codingPath)
            self.init(
                place: path,
                // The syntax is right; Foundation says the same of numbers that their type cannot hold, and not where.
                message: path.isEmpty && context.debugDescription.hasPrefix("The given data")
                    ? "a number is too large or below 0, or is not whole where it must be"
                    : Self.plain(context.debugDescription))
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
