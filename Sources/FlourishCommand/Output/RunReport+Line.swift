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
