import Foundation
import Testing
import TestSupport

/// What docs/structure.md promises of folders, and what guides name.
@Suite struct StructureTests {
    private struct Source {
        var target: String
        var folder: String
        var code: String
    }

    private static let sources: [Source] = {
        let root = Repository.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        var found: [Source] = []
        for case let file as URL in files! where file.pathExtension == "swift" {
            let parts = file.path.dropFirst(root.path.count + 1).split(separator: "/").map(String.init)
            let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
            let code = lines.map { $0.split(separator: "//", omittingEmptySubsequences: false)[0] }
            found.append(
                Source(
                    target: parts[0], folder: parts.dropFirst().dropLast().joined(separator: "/"),
                    code: code.map { Self.withoutText($0) }.joined(separator: "\n")))
        }
        return found
    }()

    private static func withoutText(_ line: Substring) -> String {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "" }.joined(separator: "\"")
    }

    /// Words with a capital, as types have.
    private static func names(in code: String) -> Set<Substring> {
        Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.filter { $0.first?.isUppercase == true })
    }

    /// Folders whose files use types of each other.
    @Test func noTwoFoldersPointAtEachOther() {
        let declaration =
            /(?:(?:public|package|final|indirect|@safe|@unsafe) )*(?:struct|class|enum|protocol|actor|typealias) (\w+).*/
        for (target, sources) in Dictionary(grouping: Self.sources, by: \.target) {
            var home: [Substring: String] = [:]
            for source in sources {
                for line in source.code.split(separator: "\n") {
                    if let match = line.wholeMatch(of: declaration) { home[match.1] = source.folder }
                }
            }
            var uses: [String: Set<String>] = [:]
            for source in sources {
                uses[source.folder, default: []].formUnion(Self.names(in: source.code).compactMap { home[$0] })
            }
            for (folder, others) in uses {
                for other in others where folder < other && uses[other]?.contains(folder) == true {
                    Issue.record("\(target): \(folder) and \(other) point at each other")
                }
            }
        }
    }

    /// Some twenty files are what people can read as one room.
    @Test func foldersAreSmall() {
        for (folder, files) in Dictionary(grouping: Self.sources, by: { $0.target + "/" + $0.folder }) {
            #expect(files.count <= 24, "\(folder) has \(files.count) files")
        }
    }

    @Test(arguments: ["docs/CONTRIBUTING.md", "docs/structure.md"])
    func theFilesThatGuidesNameAreThere(_ page: String) throws {
        let text = try String(contentsOf: Repository.root.appending(path: page), encoding: .utf8)
        for match in text.matches(of: /(?:Sources|Tests|Benchmarks)\/[\w\/+]+\.(?:swift|json)/) {
            let path = String(match.0)
            #expect(
                FileManager.default.fileExists(atPath: Repository.root.appending(path: path).path), "\(path)")
        }
    }
}
