import Reactions

/// WebVTT cues for web players' chapters, https://www.w3.org/TR/webvtt1/: one for each reaction that is shown, with its
/// type as the text. There are no colours to tell the others by.
enum WebVTTMarkers {
    static func write(_ plan: ReactionPlan, durations: [ReactionType: Double]) -> String {
        let shown = zip(plan.reactions, plan.numbers).filter(\.0.isEnabled)
            .sorted { ($0.0.startTime, $0.1) < ($1.0.startTime, $1.1) }
        return shown.reduce(into: "WEBVTT\n") { text, item in
            let (reaction, id) = item
            let own = durations[reaction.reactionType] ?? MarkerSheet.usualDuration
            let start = min(reaction.startTime, 1e9)
            // A cue ends after it starts.
            let end = max(min(reaction.endTime ?? start + own, plan.source.endTime, 1e9), start + 0.001)
            text += "\n\(id)\n\(CueLog.clock(start)) --> \(CueLog.clock(end))\n"
            text += XMLText.escaped(reaction.reactionType.rawValue.onOneLine) + "\n"
        }
    }
}
