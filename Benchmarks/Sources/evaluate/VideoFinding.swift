/// One line of `flourish detect`: the fields of the events that matter here.
private struct EventLine: Decodable {
    var event: String
    var time: Double
    var gesture: String?
    var heldSince: Double?
    var seconds: Double?
}

/// A gesture that fired.
struct Trigger: Codable, Sendable {
    /// As the event names it, such as `twoThumbsUp`.
    var gesture: String
    var time: Double
    var heldSince: Double
}

extension Program {
    /// What fires in a video, as `flourish detect` says, and how long the video is.
    func triggers(
        in video: String, hold: Double, _ options: [String] = []
    ) throws -> (triggers: [Trigger], seconds: Double) {
        let lines = try lines(
            ["detect", video, "--hold", "\(hold)", "--quiet"] + options, as: EventLine.self)
        let triggers = lines.filter { $0.event == "gesture" }.map { line in
            Trigger(
                gesture: line.gesture ?? "", time: line.time, heldSince: line.heldSince ?? line.time)
        }
        return (triggers, lines.last { $0.event == "streamEnded" }?.seconds ?? 0)
    }
}

/// A labelled hold, and what came of it.
struct HoldFinding: Encodable, Sendable {
    var path: String
    var condition: String?
    var gesture: Gesture
    var start: Double
    var end: Double
    /// The triggers of the gesture within it, in order; one is meant.
    var triggers: [Trigger]

    /// Whether it must fire where `hold` seconds are asked for.
    func mustFire(hold: Double) -> Bool { condition == nil && isLongEnough(for: hold) }

    func isLongEnough(for hold: Double) -> Bool { end - start >= hold + Report.allowance - 1e-6 }

    /// From the hold's start to its trigger.
    var latency: Double? { triggers.first.map { $0.time - start } }
    /// From the hold's start to when the gesture was seen first.
    var sightLatency: Double? { triggers.first.map { $0.heldSince - start } }
}

/// What fired in a video.
struct VideoFinding: Sendable {
    let path: String
    let seconds: Double
    let group: String?
    let holds: [HoldFinding]
    /// Whether the video is labelled as showing no gesture that is held.
    let isEmpty: Bool
    /// What fired outside of every hold of that gesture.
    let falseTriggers: [Trigger]

    /// How much before its label's start a gesture may be seen, and after its end fire:
    /// labels are made by eye.
    private static let tolerance = (before: 0.5, after: 0.5)

    init(path: String, seconds: Double, label: Labels.Video, triggers: [Trigger]) {
        self.path = path
        self.seconds = seconds
        group = label.group
        holds = label.holds.map { span in
            HoldFinding(
                path: path, condition: label.condition, gesture: span.gesture, start: span.start,
                end: span.end, triggers: triggers.filter { Self.isMeant($0, by: span) })
        }
        isEmpty = label.holds.isEmpty
        falseTriggers = triggers.filter { trigger in
            !label.holds.contains { Self.isMeant(trigger, by: $0) }
        }
    }

    private static func isMeant(_ trigger: Trigger, by hold: Labels.Hold) -> Bool {
        Gesture(ofFrame: trigger.gesture) == hold.gesture
            && trigger.heldSince >= hold.start - tolerance.before
            && trigger.time <= hold.end + tolerance.after
    }
}

/// Watches all labelled videos, each as `flourish detect` does.
struct VideoInspection: Sendable {
    let footage: Footage
    let labels: Labels
    let programs: Programs
    let jobs: Int

    /// - Parameters:
    ///   - hold: seconds for which a gesture must be held.
    ///   - withHoldsOnly: leaves out the videos that show no gesture.
    func findings(hold: Double, withHoldsOnly: Bool = false) throws -> [VideoFinding] {
        let files = footage.videos.filter {
            !withHoldsOnly || labels.video($0)?.holds.isEmpty == false
        }
        return try inParallel(files, jobs: jobs) { try watch($0, hold: hold) }
    }

    private func watch(_ file: String, hold: Double) throws -> VideoFinding {
        let (triggers, seconds) = try programs[file].triggers(in: footage.path(of: file), hold: hold)
        return VideoFinding(
            path: file, seconds: seconds, label: try labels.video(of: file), triggers: triggers)
    }
}
