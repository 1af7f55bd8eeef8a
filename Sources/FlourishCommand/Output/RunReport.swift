import Flourish
import Platform
import Synchronization

/// What a run came to.
struct RunReport: Sendable {
    /// A reaction that was shown.
    struct Reaction: Encodable, Sendable {
        var reactionType: String
        /// Seconds from the first frame.
        var time: Double
    }

    var input: String
    /// The file, or where else it went; `nil` where nothing is written.
    var output: String?
    /// The file's size; `nil` of what is no file.
    var bytes: Int?
    var isInterrupted: Bool
    /// Frames that were written; those that were gone over where nothing is.
    var frames: Int
    var seconds: Double
    /// What was not copied from the input as it was.
    var framesEncoded: Int
    var secondsEncoded: Double
    /// Whether anything was copied, or could have been.
    var isSmart: Bool
    /// Whether the effects alone were written.
    var isOverlay: Bool
    var reactionCount: Int
    /// The first of them, in order.
    var reactions: [Reaction]
    /// How many there were of each type, the most frequent first.
    var counts: [(type: String, count: Int)]
    /// How long the input is, in seconds; `nil` where it does not say.
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
        framesEncoded = summary.smartRender?.framesEncoded ?? summary.framesOut
        let spans = summary.smartRender?.spans.filter { $0.startTime < log.firstTime + summary.seconds }
        secondsEncoded =
            spans?.reduce(0) { $0 + min($1.endTime, log.firstTime + summary.seconds) - $1.startTime } ?? summary.seconds
        reactionCount = summary.effects.values.reduce(0, +)
        reactions = log.reactions
        counts = summary.effects.map { ($0.key.rawValue, $0.value) }
            .sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 }
        self.duration = duration
    }

    /// How many bytes a file has; `nil` for what is none.
    static func size(of name: String) -> Int? {
        let path = name.hasPrefix("file:") ? String(name.dropFirst(5)) : name
        return FileKind.size(of: path)
    }
}

/// Notes what a run shows while it goes on.
final class RunLog: Sendable {
    private struct State {
        var firstTime: Double?
        var reactions: [RunReport.Reaction] = []
        var hasGestures = false
    }

    /// A stream may go on for days.
    private static let mostReactions = 1000

    /// Whether the run writes the effects alone.
    let isOverlay: Bool
    private let state = Mutex(State())

    init(isOverlay: Bool = false) { self.isOverlay = isOverlay }

    func note(_ event: ReactionEvent) {
        state.withLock { state in
            let firstTime = state.firstTime ?? event.time
            state.firstTime = firstTime
            switch event.kind {
            case .effectStarted(let effect) where state.reactions.count < Self.mostReactions:
                let time = max(0, event.time - firstTime)
                state.reactions.append(.init(reactionType: effect.reactionType.rawValue, time: time))
            case .gesture: state.hasGestures = true
            default: break
            }
        }
    }

    /// The first frame's time stamp, in seconds.
    var firstTime: Double { state.withLock { $0.firstTime ?? 0 } }
    var reactions: [RunReport.Reaction] { state.withLock { $0.reactions } }
    /// Whether anybody held a gesture for long enough.
    var hasGestures: Bool { state.withLock { $0.hasGestures } }
}

extension RunReport {
    /// Why a run may have shown nothing.
    enum Quiet: Sendable {
        /// Hands were looked at, and none held a gesture.
        case noGesture
        /// No gestures were looked for, and nothing else was asked for.
        case nothingAsked
        /// A plan shows nothing.
        case emptyPlan
        /// What would have been shown was not; warnings say why.
        case notShown
    }

    /// What a person wants to know at the end:
    /// `2 reactions: thumbs up at 0:03, confetti at 1:12 → out.mp4 (1.1 MB, 4 of 1800 s encoded again)`.
    func line(ifNothing quiet: Quiet) -> String {
        var parts: [String] = []
        if isInterrupted {
            let whole = duration.map { " of \(Wording.clock($0))" } ?? ""
            parts.append("stopped after \(Wording.clock(seconds))\(whole)")
        }
        if reactionCount > 0 {
            parts.append("\(Wording.count(reactionCount, "reaction")): \(shown)")
        } else {
            parts.append(isInterrupted ? "no reaction until then" : words(for: quiet))
        }
        let told = parts.joined(separator: "; ")
        guard let output else { return told }
        let (name, facts) = (output == "-" ? "standard output" : output, facts.joined(separator: ", "))
        // After a command that is to be copied an arrow would be part of it.
        return told.hasSuffix(Self.hint) ? "\(told) (\(name): \(facts))" : "\(told) → \(name) (\(facts))"
    }

    /// With times while they are few, and else how many there were of each type.
    private var shown: String {
        if reactionCount <= 4, reactions.count == reactionCount {
            return reactions.map { "\(Wording.words($0.reactionType)) at \(Wording.clock($0.time))" }
                .joined(separator: ", ")
        }
        let (first, rest) = (counts.prefix(8), counts.dropFirst(8).reduce(0) { $0 + $1.count })
        let told = first.map { "\($0.count) × \(Wording.words($0.type))" }
        return (told + (rest > 0 ? ["\(rest) others"] : [])).joined(separator: ", ")
    }

    private static let hint = " says what was seen"

    private func words(for quiet: Quiet) -> String {
        switch quiet {
        case .noGesture:
            // What comes through a pipe cannot be looked at again.
            return "no gesture was held long enough"
                + (Self.size(of: input) != nil ? "; flourish inspect \(Wording.shellWord(input))\(Self.hint)" : "")
        case .nothingAsked: return "no reaction: gestures are not looked for, and no --reaction was given"
        case .emptyPlan: return "no reaction: the plan shows none"
        case .notShown: return "no reaction was shown"
        }
    }

    private var facts: [String] {
        var facts = bytes.map { [Wording.size($0)] } ?? []
        if isOverlay {
            facts.append("effects alone, \(Wording.seconds(seconds)) s")
        } else if !isSmart {
            facts.append("all \(Wording.seconds(seconds)) s encoded")
        } else if framesEncoded == 0 {
            facts.append("nothing encoded again")
        } else {
            facts.append("\(Wording.seconds(secondsEncoded)) of \(Wording.seconds(seconds)) s encoded again")
        }
        return facts
    }
}
