import Foundation

/// The promises of a contract, a line each, as they were recorded: `Tests/Contracts/NAME.txt`.
///
/// A promise may be added, with `FLOURISH_UPDATE_PAGES=1`, but never removed within a major version.
///
/// ```swift
/// #expect(try ContractGolden.differences(of: lines, from: "events-1").isEmpty)
/// ```
package enum ContractGolden {
    /// Returns the recorded promises that are broken, and those that are kept but not recorded.
    package static func differences(of promises: [String], from name: String) throws -> [String] {
        let file = Repository.root.appending(path: "Tests/Contracts/\(name).txt")
        let recorded = try? String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let (kept, known) = (Set(promises), Set(recorded ?? []))
        let broken = known.subtracting(kept).sorted().map { "broken: \($0)" }
        guard ProcessInfo.processInfo.environment["FLOURISH_UPDATE_PAGES"] == nil else {
            let all = known.union(kept).sorted().joined(separator: "\n") + "\n"
            try all.write(to: file, atomically: true, encoding: .utf8)
            return broken
        }
        return broken + kept.subtracting(known).sorted().map { "not recorded: \($0)" }
    }

    /// Returns the promises of a JSON schema: the type of each field, and which fields are required.
    package static func promises(of schema: JSONValue, at path: String = "$") -> [String] {
        var lines: [String] = []
        if let type = schema["type"] {
            let names = type.array?.compactMap(\.string).sorted() ?? [type.string ?? ""]
            lines.append("\(path): \(names.joined(separator: " or "))")
        }
        if let reference = schema["$ref"]?.string { lines.append("\(path): \(reference)") }
        if let unit = schema["minimum"]?.number { lines.append("\(path) ≥ \(unit)") }
        if let unit = schema["maximum"]?.number { lines.append("\(path) ≤ \(unit)") }
        for name in schema["required"]?.array?.compactMap(\.string) ?? [] { lines.append("\(path) has \(name)") }
        for (name, member) in schema["properties"]?.object ?? [:] {
            lines += promises(of: member, at: "\(path).\(name)")
        }
        if let items = schema["items"] { lines += promises(of: items, at: path + "[]") }
        for (name, member) in schema["$defs"]?.object ?? [:] { lines += promises(of: member, at: "#/$defs/\(name)") }
        for rule in schema["allOf"]?.array ?? [] {
            let event = rule["if"]?["properties"]?["event"]
            let names = event?["const"].map { [$0] } ?? event?["enum"]?.array ?? []
            for name in names.compactMap(\.string) {
                lines += promises(of: rule["then"] ?? .null, at: "\(path)(\(name))")
            }
        }
        return lines
    }
}
