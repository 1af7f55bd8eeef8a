import Pipeline
import Reactions

/// Writes XML, indented.
///
/// The permitted characters and the escapes are defined in https://www.w3.org/TR/xml/#charsets and #syntax.
struct XMLText: Sendable {
    private(set) var document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    private var depth = 0

    init(doctype: String) { document += "<!DOCTYPE \(doctype)>\n" }

    /// Writes an element with child elements.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], _ content: (inout XMLText) -> Void
    ) {
        line("<\(name)\(Self.written(attributes))>")
        depth += 1
        content(&self)
        depth -= 1
        line("</\(name)>")
    }

    /// Writes an element with a text.
    mutating func text(_ name: String, _ content: some CustomStringConvertible) {
        line("<\(name)>\(Self.escaped(content.description))</\(name)>")
    }

    /// Writes an element with attributes alone.
    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String?>) {
        line("<\(name)\(Self.written(attributes))/>")
    }

    private mutating func line(_ line: String) { document += String(repeating: "  ", count: depth) + line + "\n" }

    private static func written(_ attributes: KeyValuePairs<String, String?>) -> String {
        attributes.map { name, value in value.map { " \(name)=\"\(escaped($0))\"" } ?? "" }.joined()
    }

    /// Escapes a text for an element or an attribute; removes characters that XML cannot represent.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // An XML parser would convert these characters in attributes into blanks.
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
