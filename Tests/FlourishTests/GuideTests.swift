import Foundation
import Testing
import TestSupport

/// The links and the names of the pages in `docs/`, and the manual page.
@Suite struct GuideTests {
    private static let folders = [".", "docs", "docs/design", "docs/notes"]

    private static func pages(in folder: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: Repository.root.appending(path: folder), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "md" }
    }

    @Test func noTwoPagesHaveOneName() throws {
        let names = try Self.folders.flatMap(Self.pages).map { $0.lastPathComponent.lowercased() }
        let counts = Dictionary(grouping: names, by: \.self).mapValues(\.count)
        let repeated = counts.filter { $0.value > 1 && $0.key != "readme.md" }.keys.sorted()
        #expect(repeated.isEmpty, "\(repeated)")
    }

    /// Every page can be reached from the index by links.
    @Test func theIndexLeadsToEveryPage() throws {
        let index = Repository.root.appending(path: "docs/README.md").standardized
        var reached: Set = [index.path]
        var open = [index]
        while let page = open.popLast() {
            for link in try Self.links(of: page) where link.page.pathExtension == "md" {
                if FileManager.default.fileExists(atPath: link.page.path), reached.insert(link.page.path).inserted {
                    open.append(link.page)
                }
            }
        }
        for page in try Self.folders.dropFirst().flatMap(Self.pages) where !reached.contains(page.standardized.path) {
            Issue.record("docs/README.md does not lead to \(page.lastPathComponent)")
        }
    }

    @Test func linksLeadToPagesAndHeadings() throws {
        var count = 0
        for page in try Self.folders.flatMap(Self.pages) {
            for link in try Self.links(of: page) {
                count += 1
                guard FileManager.default.fileExists(atPath: link.page.path) else {
                    Issue.record("\(page.lastPathComponent): \(link.page.lastPathComponent) is missing")
                    continue
                }
                if let anchor = link.anchor, link.page.pathExtension == "md" {
                    #expect(
                        try Self.anchors(of: link.page).contains(anchor),
                        "\(page.lastPathComponent): \(link.page.lastPathComponent) has no heading #\(anchor)")
                }
            }
        }
        #expect(count > 200)
    }

    /// An optional value would end with the line, and include the option's other name: "--control [path, --name]".
    @Test func optionalValuesInTheManualEndBeforeTheNextName() throws {
        let manual = try String(contentsOf: Repository.root.appending(path: "docs/flourish.1"), encoding: .utf8)
        #expect(manual.matches(of: /\n\.It Fl [^\n]* Op [^\n]* ,/).isEmpty)
    }

    /// Returns the links of a page that lead to files of the repository.
    private static func links(of page: URL) throws -> [(page: URL, anchor: String?)] {
        try prose(of: page).matches(of: /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/).map { link in
            let folder = page.deletingLastPathComponent()
            let target = link.1.isEmpty ? page : folder.appending(path: String(link.1))
            return (target.standardized, link.2.map(String.init))
        }
    }

    /// Returns a page's text without its code blocks.
    private static func prose(of page: URL) throws -> String {
        try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```").enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
    }

    /// Returns the anchors that GitHub gives a page's headings.
    private static func anchors(of page: URL) throws -> Set<String> {
        var counts: [String: Int] = [:]
        var anchors: Set<String> = []
        for heading in try prose(of: page).matches(of: /\n#{1,6} ([^\n]+)|^#{1,6} ([^\n]+)/) {
            let text = (heading.1 ?? heading.2!).replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.lowercased()
            let anchor = text.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
            let number = counts[anchor, default: 0]
            counts[anchor] = number + 1
            anchors.insert(number == 0 ? anchor : "\(anchor)-\(number)")
        }
        return anchors
    }
}
