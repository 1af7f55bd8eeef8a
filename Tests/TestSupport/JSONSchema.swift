package import Foundation

/// Checks JSON against a schema: as much of JSON Schema 2020-12 as the project's own
/// schemas use (https://json-schema.org/draft/2020-12/schema).
///
/// ```swift
/// let schema = try JSONSchema.events()
/// for line in result.outputLines {
///     #expect(schema.faults(in: try JSONValue(parsing: line)).isEmpty)
/// }
/// ```
package struct JSONSchema: Sendable {
    private let root: JSONValue

    /// Reads a schema.
    ///
    /// - Throws: the file's or the decoder's error.
    package init(contentsOf file: URL) throws {
        root = try JSONValue(parsing: String(decoding: Data(contentsOf: file), as: UTF8.self))
    }

    /// The schema of events, `docs/events.schema.json`.
    package static func events() throws -> JSONSchema {
        try JSONSchema(contentsOf: Repository.root.appending(path: "docs/events.schema.json"))
    }

    /// Returns the violations of a value, a line for each; empty if it is valid.
    package func faults(in value: JSONValue) -> [String] {
        faults(in: value, by: root, at: "$")
    }

    private func faults(in value: JSONValue, by schema: JSONValue, at path: String) -> [String] {
        if let name = schema["$ref"]?.string { return faults(in: value, by: definition(name), at: path) }
        var faults: [String] = []
        if let constant = schema["const"], value != constant {
            faults.append("\(path) is \(value), not \(constant)")
        }
        if let choices = schema["enum"]?.array, !choices.contains(value) {
            faults.append("\(path) is none of the allowed values: \(value)")
        }
        if let type = schema["type"], !isOf(type, value) {
            faults.append("\(path) has the wrong type: \(value)")
        }
        faults += boundFaults(in: value, by: schema, at: path)
        faults += memberFaults(in: value, by: schema, at: path)
        faults += elementFaults(in: value, by: schema, at: path)
        return faults + combinationFaults(in: value, by: schema, at: path)
    }

    /// Follows `#/$defs/name`.
    private func definition(_ reference: String) -> JSONValue {
        reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
    }

    private func isOf(_ type: JSONValue, _ value: JSONValue) -> Bool {
        if let choices = type.array { return choices.contains { isOf($0, value) } }
        return switch (type.string, value) {
        case ("null", .null), ("boolean", .flag), ("number", .number), ("number", .integer), ("string", .text),
            ("array", .array), ("object", .object):
            true
        case ("integer", .number), ("integer", .integer): value.integer != nil
        default: false
        }
    }

    private func boundFaults(in value: JSONValue, by schema: JSONValue, at path: String) -> [String] {
        var faults: [String] = []
        if let number = value.number {
            if let minimum = schema["minimum"]?.number, number < minimum {
                faults.append("\(path) is below \(minimum): \(number)")
            }
            if let maximum = schema["maximum"]?.number, number > maximum {
                faults.append("\(path) is above \(maximum): \(number)")
            }
            if let bound = schema["exclusiveMinimum"]?.number, number <= bound {
                faults.append("\(path) is not above \(bound): \(number)")
            }
        }
        for (count, name) in [(value.string?.count, "Length"), (value.array?.count, "Items")] {
            guard let count else { continue }
            if let minimum = schema["min\(name)"]?.integer, count < minimum {
                faults.append("\(path) is shorter than \(minimum)")
            }
            if let maximum = schema["max\(name)"]?.integer, count > maximum {
                faults.append("\(path) is longer than \(maximum)")
            }
        }
        if let text = value.string, let pattern = schema["pattern"]?.string, !matches(text, pattern) {
            faults.append("\(path) does not match \(pattern): \(text)")
        }
        return faults
    }

    /// Patterns are anchored only where they contain anchors.
    private func matches(_ text: String, _ pattern: String) -> Bool {
        text.range(of: pattern, options: .regularExpression) != nil
    }

    private func memberFaults(in value: JSONValue, by schema: JSONValue, at path: String) -> [String] {
        guard let members = value.object else { return [] }
        var faults: [String] = []
        for name in (schema["required"]?.array ?? []).compactMap(\.string) where members[name] == nil {
            faults.append("\(path) has no '\(name)'")
        }
        let known = schema["properties"]?.object ?? [:]
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            guard let rule = known[name] ?? schema["additionalProperties"] else { continue }
            if rule == .flag(false) { faults.append("\(path) may not have '\(name)'") }
            faults += self.faults(in: member, by: rule, at: "\(path).\(name)")
        }
        return faults
    }

    private func elementFaults(in value: JSONValue, by schema: JSONValue, at path: String) -> [String] {
        guard let elements = value.array else { return [] }
        var faults: [String] = []
        if let rule = schema["items"] {
            for (index, element) in elements.enumerated() {
                faults += self.faults(in: element, by: rule, at: "\(path)[\(index)]")
            }
        }
        let isSet = schema["uniqueItems"] == .flag(true)
        if isSet, elements.indices.contains(where: { elements[..<$0].contains(elements[$0]) }) {
            faults.append("\(path) holds a value twice")
        }
        return faults
    }

    private func combinationFaults(
        in value: JSONValue, by schema: JSONValue, at path: String
    ) -> [String] {
        var faults: [String] = []
        for part in schema["allOf"]?.array ?? [] {
            faults += self.faults(in: value, by: part, at: path)
        }
        if let choices = schema["oneOf"]?.array,
            choices.count(where: { self.faults(in: value, by: $0, at: path).isEmpty }) != 1
        {
            faults.append("\(path) fits none, or more than one, of its forms")
        }
        if let condition = schema["if"], let consequence = schema["then"],
            self.faults(in: value, by: condition, at: path).isEmpty
        {
            faults += self.faults(in: value, by: consequence, at: path)
        }
        return faults
    }
}
