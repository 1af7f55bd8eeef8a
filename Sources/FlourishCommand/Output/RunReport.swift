import Flourish
import Platform
import Synchronization

/// The result of a run.
struct RunReport: Sendable {
    /// A reaction that the run showed.
    struct Reaction: Encodable, Sendable {
        var reactionType: String
        /// The time in seconds, from the first frame.
        var time: Double
        /// The tile in which it was shown; `nil` for the whole picture.
        var tile: ReportedTile?
    }

    var input: String
    /// The path of the output; `nil` if nothing is written.
    var output: String?
    /// The size of the output's file; `nil` for other outputs.
    var bytes: Int?
    var isInterrupted: Bool
    /// The number of written frames, or of processed frames if nothing is written.
    var frames: Int
    var seconds: Double
    /// The number of frames that were not copied from the input, and their duration in seconds.
    var framesEncoded: Int
    var secondsEncoded: Double
    /// True if smart rendering was used.
    var isSmart: Bool
    /// True if the output is an overlay.
    var isOverlay: Bool
    /// The duration of the sound that was encoded again, in seconds; 0 for none.
    var soundSeconds: Double
    var reactionCount: Int
    /// The first reactions, in order.
    var reactions: [Reaction]
    /// The number of reactions of each type, the most frequent first.
    var counts: [(type: String, count: Int)]
    /// The tiles of a gallery, in the order of their numbers.
    var tiles: [ReportedTile]
    /// The effects on the whole video that were on last.
    var videoEffects: VideoEffects
    /// The duration of the input, in seconds; `nil` if it is unknown.
    var duration: Double?

    init(_ outcome: SessionOutcome, of input: String, _ log: RunLog, duration: Double?) {
        let summary = outcome.summary
        self.input = input
        output = outcome.output
        bytes = outcome.output.flatMap(Self.size(of:))
        isInterrupted = outcome.interrupted
        frames = outcome.output == nil ? summary.framesIn : summary.framesOut
        seconds = summary.seconds
        isSmart = summary.smartRender != nil
        isOverlay = log.isOverlay
        soundSeconds = summary.sounds?.reduce(0) { $0 + $1.endTime - $1.startTime } ?? 0
        framesEncoded = summary.smartRender?.framesEncoded ?? summary.framesOut
        let spans = summary.smartRender?.spans.filter { $0.startTime < log.firstTime + summary.seconds }
        secondsEncoded =
            spans?.reduce(0) { $0 + min($1.endTime, log.firstTime + summary.seconds) - $1.startTime } ?? summary.seconds
        reactionCount = summary.effects.values.reduce(0, +)
        reactions = log.reactions
        tiles = log.tiles
        videoEffects = log.videoEffects
        counts = summary.effects.map { ($0.key.rawValue, $0.value) }
            .sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 }
        self.duration = duration
    }

    /// Returns the size of a file in bytes; `nil` if there is no file.
    static func size(of name: String) -> Int? {
        let path = name.hasPrefix("file:") ? String(name.dropFirst(5)) : name
        return FileKind.size(of: path)
    }
}

/// Records the reactions and tiles of a run, for a ``RunReport``. Any thread may call it.
final class RunLog: Sendable {
    private struct State {
        var firstTime: Double?
        var reactions: [RunReport.Reaction] = []
        var hasGestures = false
        var videoEffects = VideoEffects()
        /// The tiles of the newest layout.
        var layout: [LayoutTile] = []
        /// The tiles of all layouts by their numbers, each at its last position.
        var tiles: [Int: ReportedTile] = [:]

        mutating func record(_ tiles: [LayoutTile]) {
            layout = tiles
            if tiles.count < 2 { return }
            for tile in tiles { self.tiles[tile.id] = ReportedTile(tile, among: tiles) }
        }

        /// Returns the tile of a reaction at its present position, and records it.
        mutating func reported(_ tile: LayoutTile) -> ReportedTile {
            let found = ReportedTile(tile, among: layout)
            tiles[tile.id] = found
            return found
        }
    }

    /// The maximum number of recorded reactions. There is a limit because a stream may run for days.
    private static let maximumReactions = 1000

    /// True if the output is an overlay.
    let isOverlay: Bool
    private let state = Mutex(State())

    init(isOverlay: Bool = false) { self.isOverlay = isOverlay }

    func record(_ event: ReactionEvent) {
        state.withLock { state in
            let firstTime = state.firstTime ?? event.time
            state.firstTime = firstTime
            switch event.kind {
            case .effectStarted(let effect) where state.reactions.count < Self.maximumReactions:
                let time = max(0, event.time - firstTime)
                let tile = effect.tile.map { state.reported($0) }
                state.reactions.append(.init(reactionType: effect.reactionType.rawValue, time: time, tile: tile))
            case .gesture: state.hasGestures = true
            case .videoEffectsChanged(let effects) where !effects.isOff: state.videoEffects = effects
            case .layoutChanged(let tiles): state.record(tiles)
            default: break
            }
        }
    }

    /// The time stamp of the first frame, in seconds.
    var firstTime: Double { state.withLock { $0.firstTime ?? 0 } }
    var reactions: [RunReport.Reaction] { state.withLock { $0.reactions } }
    /// The tiles of all layouts, in the order of their numbers.
    var tiles: [ReportedTile] { state.withLock { $0.tiles.values.sorted { $0.id < $1.id } } }
    /// The effects on the whole video that were on last.
    var videoEffects: VideoEffects { state.withLock { $0.videoEffects } }
    /// True if a gesture was held long enough.
    var hasGestures: Bool { state.withLock { $0.hasGestures } }
}

extension RunReport {
    /// The reason why a run may show no reaction.
    enum Quiet: Sendable {
        /// No gesture was held.
        case noGesture
        /// Gestures are not recognised, and no reaction was requested.
        case nothingAsked
        /// The plan shows no reaction.
        case emptyPlan
        /// Reactions were not shown; warnings give the reason.
        case notShown

        /// The reason for a run that detects gestures.
        init(_ configuration: Configuration) {
            if !configuration.scheduledReactions.isEmpty || configuration.isSteered || !configuration.reactionsEnabled {
                self = .notShown
            } else {
                self = configuration.gesturesEnabled ? .noGesture : .nothingAsked
            }
        }
    }

    /// Returns the final line for the user: `2 reactions: thumbs up at 0:03, confetti at 1:12 → out.mp4 (1.1 MB, 4 of
    /// 1800 s re-encoded)`.
    func line(ifNothing quiet: Quiet) -> String {
        var parts: [String] = []
        if isInterrupted {
            let whole = duration.map { " of \(Wording.clock($0))" } ?? ""
            parts.append("stopped after \(Wording.clock(seconds))\(whole)")
        }
        if !videoEffects.isOff { parts.append(videoEffects.sentence) }
        if reactionCount > 0 {
            parts.append("\(Wording.count(reactionCount, "reaction")): \(shown)")
        } else if quiet != .nothingAsked || videoEffects.isOff {
            parts.append(isInterrupted ? "no reaction until then" : words(for: quiet))
        }
        let sentence = parts.joined(separator: "; ")
        guard let output else { return sentence }
        let (name, facts) = (output == "-" ? "standard output" : output, facts.joined(separator: ", "))
        // No arrow follows the command in the hint, because users who copy the command would also copy the arrow.
        return sentence.hasSuffix(Self.hint) ? "\(sentence) (\(name): \(facts))" : "\(sentence) → \(name) (\(facts))"
    }

    /// The reactions with their times if there are few reactions; otherwise the number of each type.
    private var shown: String {
        if reactionCount <= 4, reactions.count == reactionCount {
            return reactions.map(\.sentence).joined(separator: ", ")
        }
        let (first, rest) = (counts.prefix(8), counts.dropFirst(8).reduce(0) { $0 + $1.count })
        let parts = first.map { "\($0.count) × \(ReactionType(rawValue: $0.type).words)" }
        let byType = (parts + (rest > 0 ? ["\(rest) others"] : [])).joined(separator: ", ")
        let reacting = Dictionary(grouping: reactions.compactMap(\.tile?.id)) { $0 }
        if reacting.isEmpty { return byType }
        let listed = tiles.filter { reacting[$0.id] != nil }.prefix(8).map {
            "\(reacting[$0.id]?.count ?? 0) in \($0.name)"
        }
        let omitted = reacting.count - listed.count
        return byType + "; "
            + (listed + (omitted > 0 ? ["others in \(Wording.count(omitted, "tile"))"] : []))
            .joined(separator: ", ")
    }

    private static let hint = " shows the detections"

    private func words(for quiet: Quiet) -> String {
        switch quiet {
        case .noGesture:
            // An input from a pipe cannot be inspected afterwards.
            return "no gesture was held long enough"
                + (Self.size(of: input) != nil ? "; flourish inspect \(Wording.shellWord(input))\(Self.hint)" : "")
        case .nothingAsked: return "no reaction: gesture detection is off, and no --reaction was given"
        case .emptyPlan: return "no reaction: the plan has none enabled"
        case .notShown: return "no reaction was shown"
        }
    }

    private var facts: [String] {
        var facts = bytes.map { [Wording.size($0)] } ?? []
        if isOverlay {
            let content = videoEffects.background == .transparent ? "people and effects" : "effects"
            facts.append("\(content) only, \(Wording.seconds(seconds)) s")
        } else if !isSmart {
            facts.append("all \(Wording.seconds(seconds)) s encoded")
        } else if framesEncoded == 0 {
            facts.append("no frame re-encoded")
        } else {
            facts.append("\(Wording.seconds(secondsEncoded)) of \(Wording.seconds(seconds)) s re-encoded")
        }
        if soundSeconds > 0 { facts.append("\(Wording.seconds(soundSeconds)) s of sound re-encoded") }
        return facts
    }
}

extension VideoEffects {
    /// The effects in words: `background out of focus (0.6), faces lit (0.5)`.
    fileprivate var sentence: String {
        let shown: String? =
            switch background {
            case .unchanged: nil
            case .blur(let strength): "background out of focus (\(strength.plainText))"
            case .colour, .file: "background replaced by \(background.name)"
            case .transparent: "background removed"
            }
        let lit = studioLight > 0 ? "faces lit (\(studioLight.plainText))" : nil
        return [shown, lit].compactMap(\.self).joined(separator: ", ")
    }
}

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
