/// One line of `flourish detect`: the relevant fields of the events.
private struct EventLine: Decodable {
    var event: String
    var time: Double
    var gesture: String?
    var heldSince: Double?
    var seconds: Double?
}

/// A gesture that fired.
struct Trigger: Codable, Sendable {
    /// Its name in the event, such as `twoThumbsUp`.
    var gesture: String
    var time: Double
    var heldSince: Double
}

extension Program {
    /// Returns the gestures that fire in a video, from `flourish detect`, and the video's duration.
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

/// A labelled hold, and its results.
struct HoldFinding: Encodable, Sendable {
    var path: String
    var condition: String?
    var gesture: Gesture
    var start: Double
    var end: Double
    /// True if the hand is moved up and down meanwhile.
    var moves: Bool
    /// The triggers of the gesture within it, in order; one is expected.
    var triggers: [Trigger]

    /// Returns whether it must fire with a required hold of `hold` seconds.
    func mustFire(hold: Double) -> Bool { condition == nil && isLongEnough(for: hold) }

    func isLongEnough(for hold: Double) -> Bool { end - start >= hold + Report.allowance - 1e-6 }

    /// The time from the hold's start to its trigger.
    var latency: Double? { triggers.first.map { $0.time - start } }
    /// The time from the hold's start to the first detection of the gesture.
    var sightLatency: Double? { triggers.first.map { $0.heldSince - start } }
}

/// The results for a video.
struct VideoFinding: Sendable {
    let path: String
    let seconds: Double
    let source: String
    let group: String?
    let holds: [HoldFinding]
    /// True if the video is labelled as showing no held gesture.
    let isEmpty: Bool
    /// Gestures that fired outside of their holds.
    let falseTriggers: [Trigger]

    /// The tolerance before a label's start for detection, and after its end for the trigger: labels are made by eye.
    private static let tolerance = (before: 0.5, after: 0.5)

    init(path: String, seconds: Double, label: Labels.Video, triggers: [Trigger]) {
        self.path = path
        self.seconds = seconds
        source = Labels.collection(of: path)
        group = label.group
        holds = label.holds.map { span in
            HoldFinding(
                path: path, condition: label.condition, gesture: span.gesture, start: span.start,
                end: span.end, moves: span.moves ?? false, triggers: triggers.filter { Self.isMeant($0, by: span) })
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

/// Runs `flourish detect` on all labelled videos.
struct VideoInspection: Sendable {
    let footage: Footage
    let labels: Labels
    var programs: Programs
    let jobs: Int

    /// Returns the inspection by programs with additions to their environment.
    func with(environment: [String: String]) -> VideoInspection {
        var copy = self
        copy.programs = programs.with(environment: environment)
        return copy
    }

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
