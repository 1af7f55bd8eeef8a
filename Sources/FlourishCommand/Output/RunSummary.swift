import Flourish

/// A tile of a gallery in the report of a run.
struct ReportedTile: Encodable, Sendable {
    let id: Int
    let x: Double, y: Double, width: Double, height: Double
    /// The row and the column, from 1; `nil` if the tiles form no rows.
    let row: Int?, column: Int?

    /// - Parameter tiles: All tiles of the layout.
    init(_ tile: LayoutTile, among tiles: [LayoutTile]) {
        let place = TilePlace(of: tile, among: tiles)
        (id, row, column) = (tile.id, place?.row, place?.column)
        func rounded(_ value: Double) -> Double { JSONLine.rounded(value, places: 5) }
        (x, y, width, height) = (rounded(tile.x), rounded(tile.y), rounded(tile.width), rounded(tile.height))
    }

    /// The place in words: `row 2, column 3`, or the rectangle in percent of the picture.
    var place: String {
        if let row, let column { return "row \(row), column \(column)" }
        func percent(_ value: Double) -> Int { Int((value * 100).rounded()) }
        return "\(percent(x))–\(percent(x + width)) % across, \(percent(y))–\(percent(y + height)) % down"
    }

    /// The number and the place: `tile 6 (row 2, column 3)`.
    var name: String { "tile \(id) (\(place))" }
}

extension RunReport.Reaction {
    /// The reaction, its time and its tile: `heart at 0:03 in tile 6 (row 2, column 3)`.
    var sentence: String { "\(moment)\(tile.map { " in \($0.name)" } ?? "")" }

    /// The reaction and its time: `heart at 0:03`.
    fileprivate var moment: String { "\(ReactionType(rawValue: reactionType).words) at \(Wording.clock(time))" }
}

/// The summary that `flourish detect --summary` prints.
struct RunSummary: Encodable {
    /// The form of a summary.
    enum Form: Sendable { case text, json }

    private let input: String
    private let seconds: Double
    private let interrupted: Bool
    private let reactionCount: Int
    private let reactions: [RunReport.Reaction]
    private let tiles: [ReportedTile]
    private let line: String

    private enum CodingKeys: String, CodingKey { case input, seconds, interrupted, reactionCount, reactions, tiles }

    /// - Parameter line: The run's final line.
    init(_ report: RunReport, _ line: String) {
        (input, seconds, interrupted) = (report.input, report.seconds, report.isInterrupted)
        (reactionCount, reactions, tiles) = (report.reactionCount, report.reactions, report.tiles)
        self.line = line
    }

    func text(_ form: Form) -> String {
        switch form {
        case .json: JSONLine.encoded(self) ?? "{}"
        case .text: lines.joined(separator: "\n")
        }
    }

    /// A line for each tile with reactions, after the number of reactions; the final line if there are no tiles.
    private var lines: [String] {
        if reactions.isEmpty || tiles.isEmpty { return [line] }
        // A tile may move later; it is named by its place at its first reaction.
        let reacting = tiles.compactMap { tile in reactions.lazy.compactMap(\.tile).first { $0.id == tile.id } }
        let stop = interrupted ? "stopped after \(Wording.clock(seconds)); " : ""
        let first =
            "\(stop)\(Wording.count(reactionCount, "reaction")) in \(reacting.count) of \(Wording.count(tiles.count, "tile"))"
        let listed = reacting.map { tile in "\(tile.name): \(moments { $0.tile?.id == tile.id })" }
        let others = moments { $0.tile == nil }
        let omitted = reactionCount - reactions.count
        return [first] + listed + (others.isEmpty ? [] : ["whole picture: \(others)"])
            + (omitted > 0 ? ["and \(Wording.count(omitted, "reaction")) later"] : [])
    }

    private func moments(where isListed: (RunReport.Reaction) -> Bool) -> String {
        reactions.filter(isListed).map(\.moment).joined(separator: ", ")
    }
}
