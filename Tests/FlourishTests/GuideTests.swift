import Foundation
import Testing
import TestSupport

/// The guides in `docs/`: their length, and the links of all pages.
@Suite struct GuideTests {
    /// References and the change log may be longer than guides.
    private static let references: Set = [
        "CHANGELOG.md", "control-protocol.md", "effect-format.md", "events.md", "json.md", "python-reference.md",
        "settings.md",
    ]

    private static func pages(in folder: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: Repository.root.appending(path: folder), includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "md" }
    }

    @Test func guidesAreShort() throws {
        let guides = try Self.pages(in: "docs").filter { !Self.references.contains($0.lastPathComponent) }
        #expect(guides.count > 20)
        for guide in guides {
            let count = try String(contentsOf: guide, encoding: .utf8).split(whereSeparator: \.isWhitespace).count
            #expect(count <= 1500, "\(guide.lastPathComponent) has \(count) words")
        }
    }

    @Test func linksLeadToPagesAndHeadings() throws {
        let pages = try [".", "docs", "docs/design", "docs/notes"].flatMap(Self.pages)
        var count = 0
        for page in pages {
            for link in try Self.prose(of: page).matches(of: /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/) {
                count += 1
                let folder = page.deletingLastPathComponent()
                let target = link.1.isEmpty ? page : folder.appending(path: String(link.1)).standardized
                guard FileManager.default.fileExists(atPath: target.path) else {
                    Issue.record("\(page.lastPathComponent): \(link.1) is missing")
                    continue
                }
                if let anchor = link.2, target.pathExtension == "md" {
                    #expect(
                        try Self.anchors(of: target).contains(String(anchor)),
                        "\(page.lastPathComponent): \(target.lastPathComponent) has no heading #\(anchor)")
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
