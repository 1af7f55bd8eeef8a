import Foundation
import TestSupport
import Testing

@testable import Flourish

/// The promises of the contracts that programs build on, as recorded in `Tests/Contracts`.
@Suite struct ContractTests {
    @Test(arguments: [
        ("events", ReactionEvent.schema), ("plan", ReactionPlan.schema), ("report", EncodingReport.schema),
    ])
    func schemasKeepTheirPromises(_ name: String, _ version: Int) throws {
        let file = Repository.root.appending(path: "docs/\(name).schema.json")
        let schema = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
        #expect(schema["$id"]?.string == "urn:flourish:schema:\(name):\(version)")
        #expect(FlourishVersion.schemas[name] == version)
        let promises = ContractGolden.promises(of: schema)
        #expect(promises.count > 20)
        #expect(try ContractGolden.differences(of: promises, from: "\(name)-\(version)").isEmpty)
    }

    /// The targets that `import Flourish` offers.
    private static let targets = ["Flourish", "Pipeline", "Reactions", "Studio"]

    /// The first line of each public declaration, with its file's type.
    @Test func theSwiftInterfaceKeepsItsPromises() throws {
        let sources = Repository.root.appending(path: "Sources")
        let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        var promises: [String] = []
        for path in paths where path.hasSuffix(".swift") {
            guard let target = path.split(separator: "/").first, Self.targets.contains(String(target)) else { continue }
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            promises += Self.declarations(in: text)
        }
        #expect(promises.count > 300)
        #expect(try ContractGolden.differences(of: promises, from: "swift-0").isEmpty)
    }

    /// Returns the public declarations of a file, each after the types around it.
    private static func declarations(in text: String) -> [String] {
        var found: [String] = []
        /// The types around a line, with the indentation of each.
        var types: [(indent: Int, name: String)] = []
        var isUnavailable = false
        for line in text.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            let code = line.dropFirst(indent)
            if code.isEmpty || code.hasPrefix("//") || code.hasPrefix(")") { continue }
            types.removeAll { $0.indent >= indent }
            if code.hasPrefix("@available") { isUnavailable = code.contains("unavailable") }
            if code.hasPrefix("@") { continue }
            defer { isUnavailable = false }
            let type = code.firstMatch(of: /^(?:\w+ )*?(?:struct|class|enum|actor|protocol|extension) ([\w.]+)/)
            let isCase = code.hasPrefix("case ") && types.last.map { $0.name.hasPrefix("+") } == true
            if (code.hasPrefix("public ") && !code.hasPrefix("public import")) || isCase, !isUnavailable {
                let scope = types.map { $0.name.trimmingPrefix("+") }.joined(separator: ".")
                let head = code.prefix { $0 != "{" && $0 != "=" }.trimmingCharacters(in: .whitespaces)
                found.append((scope.isEmpty ? "" : scope + ": ") + head)
            }
            if let type {
                // The cases of a public enumeration are public.
                let isOpen = code.hasPrefix("public ") && code.contains("enum ")
                types.append((indent, (isOpen ? "+" : "") + type.1))
            }
        }
        return found
    }
}
