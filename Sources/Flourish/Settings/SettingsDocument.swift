import FoundationEssentials
import TOMLKit

/// The parsed content of a configuration file, before settings interpret it.
///
/// No other file uses TOMLKit.
struct SettingsDocument: Sendable {
    struct Entry: Sendable {
        /// The full key: tables and name, joined by dots.
        var key: String
        /// The value; `nil` for a kind of value that no setting has.
        var value: SettingValue?
        /// The value in messages, such as "the date 2026-01-01".
        var description: String
        /// The line in the file, if it is known.
        var line: Int?
    }

    let path: String
    /// The entries, in the order of the file.
    let entries: [Entry]

    /// Parses TOML.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if the file is not TOML, with a one-line message that names the file and
    ///   the line.
    init(path: String, bytes: [UInt8]) throws(FlourishError) {
        self.path = path
        guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
            throw FlourishError(.usage, "\(path): is not a text file in UTF-8")
        }
        if let line = Self.namelessTable(in: text) {
            throw FlourishError(.usage, "\(path):\(line): is not valid TOML: a table name must follow the bracket")
        }
        do {
            let root = try TOMLTable(string: text)
            let lines = KeyLines(text)
            let found = withExtendedLifetime(root) { Self.entries(of: root, under: []) }
            entries = found.map { key, value in
                Entry(
                    key: key.joined(separator: "."), value: Self.setting(value),
                    description: Self.describe(value), line: lines.line(of: key))
            }.enumerated().sorted {
                ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset)
            }.map(\.element)
        } catch let error as TOMLParseError {
            throw FlourishError(
                .usage, "\(path):\(error.source.begin.line): is not valid TOML: \(Self.oneLine(error.description))")
        } catch {
            throw FlourishError(.usage, "\(path): is not valid TOML")
        }
    }

    /// Returns the first line that could be an invalid header of a table, such as `[{}]`, on which toml++ 3.4.0 ends
    /// the process. Within an array of several lines, such a line would be a valid nested array, but no setting has
    /// one.
    private static func namelessTable(in text: String) -> Int? {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let index = lines.firstIndex { line in
            let line = line.drop(while: isBlank)
            guard line.first == UInt8(ascii: "[") else { return false }
            var name = line.dropFirst().drop(while: isBlank)
            if name.first == UInt8(ascii: "[") { name = name.dropFirst().drop(while: isBlank) }
            return name.first.map { !mayBeginName($0) } ?? false
        }
        return index.map { $0 + 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Returns whether a name can start with a byte. Also returns true for bytes that the parser refuses with an error.
    private static func mayBeginName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-\"']\r".utf8.contains(byte)
        }
    }

    private static func entries(
        of table: TOMLTable, under prefix: [String]
    ) -> [(key: [String], value: any TOMLValueConvertible)] {
        var result: [(key: [String], value: any TOMLValueConvertible)] = []
        for name in table.keys.sorted() {
            guard let value = table[name] else { continue }
            if let inner = value.table {
                result += entries(of: inner, under: prefix + [name])
            } else {
                result.append((prefix + [name], value))
            }
        }
        return result
    }

    private static func setting(_ value: any TOMLValueConvertible) -> SettingValue? {
        switch value.type {
        case .bool: value.bool.map { .flag($0) }
        case .int: value.int.map { .integer($0) }
        case .double: value.double.map { .number($0) }
        case .string: value.string.map { .text($0) }
        case .array: value.array.flatMap(list)
        default: nil
        }
    }

    private static func list(_ array: TOMLArray) -> SettingValue? {
        var texts: [String] = []
        for element in array {
            guard let text = element.string else { return nil }
            texts.append(text)
        }
        return .list(texts)
    }

    private static func describe(_ value: any TOMLValueConvertible) -> String {
        if let setting = setting(value) { return oneLine(setting.toml) }
        return value.type == .array ? "a list with values other than text" : "a date or time"
    }

    private static func oneLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.count > 120 ? line.prefix(119) + "…" : line
    }
}

/// The line of each key in a TOML file. TOMLKit reports only the lines of errors.
///
/// Only the beginning of each line is examined, which suffices for a file that was parsed without an error. A key
/// within an inline table gets the line of the outer key.
struct KeyLines {
    private var lines: [[String]: Int] = [:]

    init(_ text: String) {
        var table: [String] = []
        let texts = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in texts.enumerated() {
            let line = line.drop { $0 == " " || $0 == "\t" }
            if line.first == "[" {
                let inner = line.drop { $0 == "[" }
                table = Self.parts(of: inner.prefix { $0 != "]" })
            } else if line.first != "#", let equals = line.firstIndex(of: "=") {
                let key = table + Self.parts(of: line[..<equals])
                if lines[key] == nil { lines[key] = index + 1 }
            }
        }
    }

    /// Returns the line of a key, counted from 1.
    func line(of key: [String]) -> Int? {
        for count in stride(from: key.count, to: 0, by: -1) {
            if let line = lines[Array(key.prefix(count))] { return line }
        }
        return nil
    }

    /// Splits a key: `a."b c".d` → `a`, `b c`, `d`.
    private static func parts(of key: Substring) -> [String] {
        key.split(separator: ".").map { part in
            part.filter { !" \t\"'\r".contains($0) }
        }
    }
}
