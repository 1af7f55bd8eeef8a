import Foundation
import MediaIO
import Reactions
import Testing
import TestSupport

/// Lists of reactions, gestures and containers outside of the code follow from their declarations.
///
/// Update outdated lists with `FLOURISH_UPDATE_PAGES=1 Scripts/test --filter DeclaredListsTests`
@Suite(.serialized) struct DeclaredListsTests {
    private let reactions = ReactionType.Declaration.all
    private let gestures = ReactionGesture.Declaration.all

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
        try checkLines(rows, after: "| reaction | |\n| --- | --- |", "\nSettings change", of: "docs/effect-gallery.md")
        for type in shown.map(\.type) {
            let picture = Repository.root.appending(path: "docs/gallery/\(type).gif")
            #expect(FileManager.default.fileExists(atPath: picture.path), "Scripts/gallery \(type) draws it")
        }
    }

    // MARK: Gestures

    @Test func gesturesAreListed() throws {
        let names = gestures.map(\.gesture.rawValue)
        try check(Self.listed(names.map { "`\($0)`" }), after: "| `gesture` | several | ", "; gestures that you taught")
        try check(
            names.joined(separator: ", "), after: #""gesture": {\#n      "description": ""#, ", or one of your own.",
            of: "docs/events.schema.json")
        try check(
            HandSign.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "),
            after: "what the hand shows by itself: ", " or one of your own, or `null`", of: "docs/json.md")
    }

    @Test func gesturesAreInTheTables() throws {
        let rows = signs.map { "| \($0.name) | \($0.one.map(Self.words) ?? "–") | \($0.both.map(Self.words) ?? "–") |" }
        try checkLines(
            rows, after: "| gesture | with one hand | with both |\n| --- | --- | --- |", "\nHold a gesture",
            of: "README.md")
        let items = signs.map { ".It \($0.name) Ta \($0.one ?? "\\(en") Ta \($0.both ?? "\\(en")" }
        try checkLines(
            items, after: ".It Em gesture Ta Em one hand Ta Em both hands", ".El", of: "docs/flourish.1")
    }

    @Test func pagesNameTheGestures() throws {
        // The other names follow from the gesture's by the pages' rule.
        let named = gestures.filter { Self.words($0.gesture.rawValue).capitalisedFirst != $0.title }
        try checkLines(
            named.map { "  \($0.gesture.rawValue): \"\($0.title)\"," },
            after: "// Made by DeclaredListsTests.\nconst names = {", "};", of: "Assets/Panel/names.js")
    }

    /// Each sign, and the reactions of one hand and of both.
    private var signs: [(name: String, one: String?, both: String?)] {
        func reaction(_ sign: HandSign, _ hands: Int) -> String? {
            gestures.first { $0.sign == sign && $0.handCount == hands }?.reactionType.rawValue
        }
        return HandSign.names.map { ($0.name, reaction($0.sign, 1), reaction($0.sign, 2)) }
            + gestures.filter { $0.sign == nil }.map {
                (Self.words($0.gesture.rawValue), nil, $0.reactionType.rawValue)
            }
    }

    // MARK: Containers

    @Test func containersAreListed() throws {
        let names = ContainerFormat.streamedNames
        try check(
            Self.listed(names.map { "`\($0)`" }), after: "`--output-format` names one:\n",
            ".\nMP4 and QuickTime are written in fragments", of: "docs/live.md")
        try checkLines(
            [".Cm " + names.dropLast().joined(separator: " , "), "or", ".Cm \(names.last!) ;"],
            after: ".It Fl -output-format Ar name\nThe output's container:", "by default that of its extension",
            of: "docs/flourish.1")
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

extension String {
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
