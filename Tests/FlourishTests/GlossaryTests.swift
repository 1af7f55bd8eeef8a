import Foundation
import Testing
import TestSupport

/// The types of the sources have one name each, and docs/glossary.md names types that exist.
@Suite struct GlossaryTests {
    /// A type that a file declares at its top level.
    private struct Declared {
        var name: String
        var target: String
        var file: String
    }

    /// Every type that is declared at the top of a file in Sources, except file-private ones.
    private static let declared: [Declared] = {
        let declaration =
            /(?:(?:public|package|final|indirect|@safe|@unsafe) )*(?:struct|class|enum|protocol|actor|typealias) (\w+).*/
        let sources = Repository.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var found: [Declared] = []
        for case let file as URL in files! where file.pathExtension == "swift" {
            let path = String(file.path.dropFirst(sources.path.count + 1))
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") {
                guard let match = line.wholeMatch(of: declaration) else { continue }
                found.append(
                    Declared(name: String(match.1), target: String(path.prefix { $0 != "/" }), file: path))
            }
        }
        return found
    }()

    /// The glossary's entries, separated by empty lines.
    private static func entries() throws -> [String] {
        try String(contentsOf: Repository.root.appending(path: "docs/glossary.md"), encoding: .utf8)
            .components(separatedBy: "\n\n").filter { $0.hasPrefix("**") }
    }

    @Test func typeNamesAreUnique() {
        #expect(Self.declared.count > 300)
        let files = Dictionary(grouping: Self.declared, by: \.name).mapValues { $0.map(\.file) }
        for (name, files) in files where files.count > 1 {
            Issue.record("\(name) is declared in \(files.sorted().joined(separator: " and "))")
        }
    }

    @Test func namedTypesExist() throws {
        let names = Set(Self.declared.map(\.name))
        var count = 0
        for entry in try Self.entries() {
            for match in entry.matches(of: /`([A-Z]\w+)`/) where !match.1.allSatisfy(\.isUppercase) {
                count += 1
                #expect(names.contains(String(match.1)), "no type is called \(match.1): \(entry)")
            }
        }
        #expect(count > 20)
    }
}
