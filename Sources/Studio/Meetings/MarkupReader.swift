/// Reads the elements, attributes and texts of XML: https://www.w3.org/TR/xml/
///
/// It expands no entities but characters, reads no document types, and refers to no other files. Its memory is that of the
/// open elements, of which there are at most ``greatestDepth``.
struct MarkupReader {
    enum Token: Hashable {
        case opening(name: String, attributes: [String: String])
        case closing(name: String)
        case text(String)
    }

    /// The maximum number of nested elements. A log has three.
    static let greatestDepth = 16

    private let bytes: [UInt8]
    private var place: Int
    private var open: [String] = []
    /// The name of an element without content, whose end follows.
    private var ending: String?
    /// The line of `counted`, from 1.
    private var line = 1
    private var counted = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The number of open elements.
    var depth: Int { open.count }

    /// Returns the next part; `nil` at the end.
    ///
    /// - Throws: The error, with its line.
    mutating func next() throws(MarkerFault) -> Token? {
        if let name = ending {
            ending = nil
            open.removeLast()
            return .closing(name: name)
        }
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<") else { return .text(try text()) }
            if skip("<!--") {
                _ = try upTo("-->")
            } else if skip("<?") {
                _ = try upTo("?>")
            } else if skip("<![CDATA[") {
                return .text(String(decoding: try upTo("]]>"), as: UTF8.self))
            } else if skip("<!") {
                throw fault("a document type is not read; remove it")
            } else if skip("</") {
                return try closing()
            } else {
                place += 1
                return try opening()
            }
        }
        if let name = open.last { throw fault("the text ends inside <\(name)>") }
        return nil
    }

    /// Returns an error at the present line.
    mutating func fault(_ message: String) -> MarkerFault {
        let end = min(place, bytes.count)
        line += bytes[counted..<end].count { $0 == UInt8(ascii: "\n") }
        counted = end
        return MarkerFault("line \(line)", message)
    }

    // MARK: Elements

    private mutating func opening() throws(MarkerFault) -> Token {
        let name = try name()
        guard open.count < Self.greatestDepth else { throw fault("more than \(Self.greatestDepth) nested elements") }
        var attributes: [String: String] = [:]
        while true {
            skipBlanks()
            if skip("/>") {
                ending = name
                break
            }
            if skip(">") { break }
            let key = try self.name()
            skipBlanks()
            guard skip("=") else { throw fault("the attribute \(key) has no value") }
            skipBlanks()
            guard let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw fault("the value of \(key) has no quotes")
            }
            place += 1
            let end = bytes[place...].firstIndex(of: quote) ?? bytes.count
            guard end < bytes.count else { throw fault("the value of \(key) has no closing quote") }
            attributes[key] = try decoded(bytes[place..<end])
            place = end + 1
        }
        open.append(name)
        return .opening(name: name, attributes: attributes)
    }

    private mutating func closing() throws(MarkerFault) -> Token {
        let name = try name()
        skipBlanks()
        guard skip(">"), open.last == name else {
            throw fault("</\(name)> does not close " + (open.last.map { "<\($0)>" } ?? "an element"))
        }
        open.removeLast()
        return .closing(name: name)
    }

    private mutating func name() throws(MarkerFault) -> String {
        let start = place
        while let byte = peek, byte > 32, !"/>=<\"'&".utf8.contains(byte) { place += 1 }
        guard place > start, place - start <= 256 else { throw fault("a name is missing or too long; is this XML?") }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    // MARK: Characters

    private mutating func text() throws(MarkerFault) -> String {
        let end = bytes[place...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        let text = try decoded(bytes[place..<end])
        place = end
        return text
    }

    /// Returns bytes as text, with characters in place of references to them.
    private mutating func decoded(_ bytes: ArraySlice<UInt8>) throws(MarkerFault) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result = ""
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += String(decoding: rest[..<start], as: UTF8.self)
            let end = rest[start...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
            guard let end, let scalar = Self.scalar(String(decoding: rest[(start + 1)..<end], as: UTF8.self)) else {
                throw fault("an & begins no known character; write &amp;")
            }
            result.unicodeScalars.append(scalar)
            rest = rest[(end + 1)...]
        }
        return result + String(decoding: rest, as: UTF8.self)
    }

    private static func scalar(_ reference: String) -> Unicode.Scalar? {
        switch reference {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard reference.hasPrefix("#") else { return nil }
            let isHex = reference.hasPrefix("#x")
            return UInt32(reference.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
        }
    }

    private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skip(_ text: String) -> Bool {
        guard peek == text.utf8.first, bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    private mutating func skipBlanks() { while let byte = peek, byte <= 32 { place += 1 } }

    /// Returns the bytes up to an end, and skips both.
    private mutating func upTo(_ end: String) throws(MarkerFault) -> ArraySlice<UInt8> {
        let start = place
        while place < bytes.count {
            let here = place
            if skip(end) { return bytes[start..<here] }
            place += 1
        }
        throw fault("\(end) is missing")
    }
}
