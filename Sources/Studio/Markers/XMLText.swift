/// Writes XML, indented.
///
/// What may stand in XML 1.0, and what is escaped: https://www.w3.org/TR/xml/#charsets and #syntax
struct XMLText: Sendable {
    private(set) var document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    private var depth = 0

    init(doctype: String) { document += "<!DOCTYPE \(doctype)>\n" }

    /// An element with others in it.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], _ content: (inout XMLText) -> Void
    ) {
        line("<\(name)\(Self.written(attributes))>")
        depth += 1
        content(&self)
        depth -= 1
        line("</\(name)>")
    }

    /// An element with a text in it.
    mutating func text(_ name: String, _ content: some CustomStringConvertible) {
        line("<\(name)>\(Self.escaped(content.description))</\(name)>")
    }

    /// An element with attributes alone.
    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String?>) {
        line("<\(name)\(Self.written(attributes))/>")
    }

    private mutating func line(_ line: String) { document += String(repeating: "  ", count: depth) + line + "\n" }

    private static func written(_ attributes: KeyValuePairs<String, String?>) -> String {
        attributes.map { name, value in value.map { " \(name)=\"\(escaped($0))\"" } ?? "" }.joined()
    }

    /// As an element's text or an attribute's value; characters that XML cannot hold are left out.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // Attributes would turn these into blanks.
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
