import Foundation
import Testing
import TestSupport

/// Each term of docs/glossary.md has one meaning, and the sources follow it.
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

    @Test func termsAreSorted() throws {
        let terms = try Self.entries().compactMap { $0.firstMatch(of: /\*\*(.+?)\*\*/)?.1.lowercased() }
        #expect(terms == terms.sorted())
        #expect(Set(terms).count == terms.count)
    }

    /// An entry may end in "Not: …", with rejected synonyms.
    @Test func typeNamesAvoidRejectedTerms() throws {
        var count = 0
        for entry in try Self.entries() {
            guard let match = entry.firstMatch(of: /Not: ([^.]+)\./) else { continue }
            for word in match.1.split(separator: ",").map({ $0.drop { $0.isWhitespace } }) {
                count += 1
                let capital = word.prefix(1).uppercased() + word.dropFirst()
                for type in Self.declared where Self.words(of: type.name).contains(capital) {
                    Issue.record(
                        "\(type.name) (\(type.file)) is called by \(word), which the glossary refuses: \(entry)")
                }
            }
        }
        #expect(count > 10)
    }

    /// `VideoFrame` is Video and Frame.
    private static func words(of name: String) -> [String] {
        name.matches(of: /[A-Z]+(?![a-z])|[A-Z][a-z0-9]*/).map { String($0.0) }
    }
}
