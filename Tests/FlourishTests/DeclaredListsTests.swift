import Foundation
import Reactions
import Testing
import TestSupport

/// Lists of reactions outside of the code follow from their declarations.
///
/// Where one is out of date: `FLOURISH_UPDATE_PAGES=1 Scripts/test --filter DeclaredListsTests`
@Suite(.serialized) struct DeclaredListsTests {
    private let reactions = ReactionType.Declaration.all

    // MARK: Reactions

    @Test func reactionsAreListed() throws {
        let names = reactions.map(\.type.rawValue)
        try check(
            Self.listed(names.map { "`\($0)`" }), after: "| `reactionType` | effects | ", "; effects described in")
        try check(
            names.joined(separator: ", "), after: #""reactionType": {\#n      "description": ""#,
            ", or one of your own.",
            of: "docs/events.schema.json")
    }

    @Test func introductionsNameTheEffects() throws {
        let nouns = ReactionType.builtInNouns
        try check(nouns, after: "hand gestures in it, draws ", ", and writes", of: "README.md")
        try check(nouns, after: "hand gestures in it,\n draws ", ", and\n writes", of: "Scripts/package.d/control")
    }

    @Test func reactionsHaveTheirColourInTheReview() throws {
        let rules = reactions.map { #".block[data-type="\#($0.type)"] { --hue: \#($0.colour); }"# }
        try checkLines(
            rules, after: "/* reactions: made from ReactionType.swift by DeclaredListsTests */",
            "/* end of reactions */",
            of: "Assets/Review/review.css")
    }

    @Test func theGalleryShowsEveryReaction() throws {
        let script = try String(contentsOf: Repository.root.appending(path: "Scripts/gallery"), encoding: .utf8)
        let shown = script.matches(of: /\ngallery (\w+) \w+ \w+ "(.*)"/).map { (type: $0.1, caption: $0.2) }
        #expect(
            shown.map { String($0.type) } == reactions.map(\.type.rawValue),
            "Scripts/gallery has a line for each reaction, in the order of ReactionType.swift")
        let rows = shown.map { "| \(Self.words(String($0.type))) | ![\($0.caption)](gallery/\($0.type).gif) |" }
        try checkLines(rows, after: "| reaction | |\n| --- | --- |", "\nSettings change", of: "docs/gallery.md")
        for type in shown.map(\.type) {
            let picture = Repository.root.appending(path: "docs/gallery/\(type).gif")
            #expect(FileManager.default.fileExists(atPath: picture.path), "Scripts/gallery \(type) draws it")
        }
    }

    // MARK: Pages

    private static func listed(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + " or " + names.last!
    }

    /// The words of a name: `thumbs up` for `thumbsUp`.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? " " + $1.lowercased() : String($1) }
    }

    private func checkLines(_ lines: [String], after start: String, _ end: String, of page: String) throws {
        try check(lines.map { $0 + "\n" }.joined(), after: start + "\n", end, of: page)
    }

    private func check(_ text: String, after start: String, _ end: String, of page: String = "docs/events.md") throws {
        #expect(
            try GeneratedSection.isCurrent(text, after: start, before: end, of: page),
            "\(page) is stale; FLOURISH_UPDATE_PAGES=1 Scripts/test --filter DeclaredListsTests updates it")
    }
}
