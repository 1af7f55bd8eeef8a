import Foundation
import TestSupport
import Testing

@testable import Flourish

/// Pages that describe settings have parts that are generated from the settings' declarations, between two comments.
///
/// Update outdated pages with `FLOURISH_UPDATE_PAGES=1 Scripts/test --filter SettingPagesTests`
@Suite struct SettingPagesTests {
    @Test func theTableOfSettingsIsCurrent() throws {
        let rows = described.map { key in
            let option = key.spelling.map { $0.markdown } ?? "–"
            return "| `\(key.name)` | \(key.summary) | \(key.values) | \(option) |"
        }
        try check(
            ["| setting | what it does | value | option |", "| --- | --- | --- | --- |"] + rows,
            part: "settings", of: "docs/settings.md", remark: { "<!-- \($0) -->" })
    }

    @Test func theTableOfContradictionsIsCurrent() throws {
        let rows = described.compactMap { stronger -> String? in
            let weaker = described.filter { $0.yields(to: stronger, changed: true) }
                .map { "`\($0.table == stronger.table ? $0.shortName : $0.name[...])`" }
            return weaker.isEmpty ? nil : "| `\(stronger.name)` | \(weaker.joined(separator: ", ")) |"
        }
        try check(
            ["| setting | leaves out |", "| --- | --- |"] + rows,
            part: "contradictions", of: "docs/settings.md", remark: { "<!-- \($0) -->" })
    }

    @Test func theManualHasEveryOptionOfASetting() throws {
        let items = described.flatMap { key -> [String] in
            guard let option = key.spelling else { return [] }
            // Each sentence starts on a new line.
            let text = key.summary.replacing(". ", with: ".\n").replacing("\\", with: "\\e")
            return [".It " + option.manual, text, ".Va \(key.name) :", "\(key.values.filter { $0 != "`" })."]
        }
        try check(items, part: "settings", of: "docs/flourish.1", remark: { ".\\\" \($0)" })
    }

    /// The element of GStreamer has a property for each setting of frames.
    @Test func theTableOfPropertiesIsCurrent() throws {
        let rows = SettingKey.all.filter { $0.isForHosts && !$0.isOfGesture }
            .map { "| `\($0.shortName)` | `\($0.name)` |" }
        try check(
            ["| property | setting |", "| --- | --- |"] + rows,
            part: "properties", of: "docs/gstreamer.md", remark: { "<!-- \($0) -->" })
    }

    /// All settings; of those that each gesture has, one for all.
    private var described: [SettingKey] {
        var tables: Set<Substring> = []
        return SettingKey.all.compactMap { key in
            guard key.isOfGesture else { return key }
            return tables.insert(key.table).inserted ? .ofOwnGesture("\(key.table).GESTURE") : nil
        }
    }

    /// Compares the text between two comments of a page, or writes it there.
    private func check(_ lines: [String], part: String, of page: String, remark: (String) -> String) throws {
        let start = remark("\(part): made from the declarations of settings by SettingPagesTests") + "\n"
        #expect(
            try GeneratedSection.isCurrent(lines, between: start, and: remark("end of \(part)"), of: page),
            "\(page) is stale; FLOURISH_UPDATE_PAGES=1 with this test mends it")
    }
}

extension SettingOption {
    fileprivate var markdown: String {
        spellings.map { spelling in
            "`" + spelling + (valueName.map { " " + $0 } ?? "") + "`"
        }.joined(separator: ", ")
    }

    /// The option in mdoc's notation, which adds the first dash itself: `Fl -hold Ar s`.
    fileprivate var manual: String {
        spellings.map { spelling in
            "Fl " + spelling.dropFirst() + (valueName.map { " Ar " + $0 } ?? "")
        }.joined(separator: " , ")
    }
}

extension SettingKey {
    /// The accepted values with their conditions, as a cell of a table.
    fileprivate var values: String {
        let builtIn: String? =
            switch builtInValue {
            case nil, .list?: nil
            case .text(let text)?: "`\(text)`"
            case let value?: value.toml
            }
        let conditions = self.conditions.map { ($0.prefix(1).lowercased() + $0.dropFirst()).dropLast() }
        return ([kind.cell] + conditions.map(String.init) + [builtIn.map { "by default \($0)" }].compactMap(\.self))
            .joined(separator: "; ")
    }
}

extension SettingKind {
    fileprivate var cell: String {
        switch self {
        case .flag: "`true` or `false`"
        case .number(let range, let unit):
            Self.cell(range.lowerBound, range.upperBound) + (unit.isEmpty ? "" : " \(unit)")
        case .numberOrAuto(let range): Self.cell(range.lowerBound, range.upperBound) + ", or `auto`"
        case .bitRate: "`2500000`, `\"2500k\"` or `\"2.5M\"`"
        case .choice(let names): Self.listed(names.map { "`\($0)`" }, "or")
        case .gestures: "a list of built-in or custom gestures"
        case .integer, .text, .texts, .path, .paths, .palette, .layout, .background: expectation
        }
    }

    private static func cell(_ minimum: Double, _ maximum: Double) -> String {
        "\(plain(minimum)) to \(plain(maximum))"
    }
}
