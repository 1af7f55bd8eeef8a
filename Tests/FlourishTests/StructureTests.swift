import Foundation
import Testing
import TestSupport

/// The promises of docs/design/structure.md about folders, and the files that guides name.
@Suite struct StructureTests {
    private struct Source {
        var target: String
        /// The file's name without its extension.
        var name: String
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
                    target: parts[0], name: file.deletingPathExtension().lastPathComponent,
                    folder: parts.dropFirst().dropLast().joined(separator: "/"),
                    code: code.map { Self.withoutText($0) }.joined(separator: "\n")))
        }
        return found
    }()

    private static func withoutText(_ line: Substring) -> String {
        line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .map { $0.offset.isMultiple(of: 2) ? String($0.element) : "" }.joined(separator: "\"")
    }

    /// Capitalised words, like type names.
    private static func names(in code: String) -> Set<Substring> {
        Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.filter { $0.first?.isUppercase == true })
    }

    /// The folders of a target, and the folders whose types the files of each use.
    private static func uses(of sources: [Source]) -> [String: Set<String>] {
        let declaration =
            /(?:(?:public|package|final|indirect|@safe|@unsafe) )*(?:struct|class|enum|protocol|actor|typealias) (\w+).*/
        var home: [Substring: String] = [:]
        for source in sources {
            for line in source.code.split(separator: "\n") {
                if let match = line.wholeMatch(of: declaration) { home[match.1] = source.folder }
            }
        }
        var uses: [String: Set<String>] = [:]
        for source in sources {
            uses[source.folder, default: []].formUnion(names(in: source.code).compactMap { home[$0] })
            uses[source.folder]?.remove(source.folder)
        }
        return uses
    }

    /// Returns the nodes of a shortest cycle of a graph, from the alphabetically first one on; `nil` if there is none.
    private static func cycle(in uses: [String: Set<String>]) -> [String]? {
        var shortest: [String]?
        for start in uses.keys.sorted() {
            var paths = [[start]]
            var seen: Set<String> = []
            search: while !paths.isEmpty {
                var longer: [[String]] = []
                for path in paths {
                    let next = uses[path.last!, default: []]
                    if next.contains(start) {
                        if path.count < shortest?.count ?? .max { shortest = path }
                        break search
                    }
                    for node in next.sorted() where seen.insert(node).inserted { longer.append(path + [node]) }
                }
                paths = longer
            }
        }
        return shortest
    }

    @Test func foldersOfATargetFormNoCycle() {
        for (target, sources) in Dictionary(grouping: Self.sources, by: \.target) {
            if let cycle = Self.cycle(in: Self.uses(of: sources)) {
                Issue.record("\(target): \((cycle + cycle.prefix(1)).joined(separator: " → "))")
            }
        }
    }

    @Test func cyclesOfAnyLengthAreFound() {
        #expect(Self.cycle(in: ["a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []]) == nil)
        #expect(Self.cycle(in: ["a": ["b"], "b": ["a"]]) == ["a", "b"])
        let long: [String: Set<String>] = ["a": ["b"], "b": ["c"], "c": ["d", "e"], "d": ["b"], "e": []]
        #expect(Self.cycle(in: long) == ["b", "c", "d"])
    }

    /// Some twenty files are the most that a reader can keep in mind.
    @Test func foldersAreSmall() {
        for (folder, files) in Dictionary(grouping: Self.sources, by: { $0.target + "/" + $0.folder }) {
            #expect(files.count <= 24, "\(folder) has \(files.count) files")
        }
    }

    @Test(
        arguments: ["docs/CONTRIBUTING.md"]
            + ["extending", "structure", "tour"].map { "docs/design/\($0).md" })
    func filesNamedInGuidesExist(_ page: String) throws {
        let text = try String(contentsOf: Repository.root.appending(path: page), encoding: .utf8)
        let paths = /(?:Sources|Tests|Benchmarks|Assets|Scripts)\/[\w\/+-]+\.(?:swift|json|js|css|txt)|Scripts\/[\w-]+/
        for match in text.matches(of: paths) where !match.0.contains("NAME") {
            let path = String(match.0)
            #expect(
                FileManager.default.fileExists(atPath: Repository.root.appending(path: path).path), "\(path)")
        }
    }
}
