/// The detections of a gesture since a time, as evidence that the gesture is meant.
struct HoldEvidence: Sendable, Hashable {
    /// An analysed frame.
    private struct Frame: Sendable, Hashable {
        /// The time in seconds of the video.
        var time: Double
        /// The confidence of the gesture; nil if it was not detected.
        var confidence: Double?
    }

    /// The estimated start, in seconds of the video.
    var since: Double
    /// The share of the time in which someone spoke, 0…1.
    var spokenShare = 0.0
    /// The amount of the hand's movement: see ``GestureStateMachine/Movement``.
    var movement = 0.0
    /// The last analysed frames.
    private var recent: [Frame]
    /// The number of frames with a detection since the start.
    private(set) var sights = 1

    /// The number of frames that are kept: those of the longest hold at the shortest interval between analyses.
    private static let limit = 64

    init(since: Double, at time: Double, confidence: Double) {
        self.since = since
        recent = [Frame(time: time, confidence: confidence)]
    }

    /// The mean confidence of the detections in the recent frames, and the share of these with a detection.
    var confidence: Double { seen.isEmpty ? 0 : seen.reduce(0, +) / Double(seen.count) }
    var share: Double { Double(seen.count) / Double(recent.count) }
    /// The mean confidence over the recent frames; frames without a detection count as 0.
    var agreement: Double { seen.reduce(0, +) / Double(recent.count) }

    private var seen: [Double] { recent.compactMap(\.confidence) }

    mutating func see(_ confidence: Double, at time: Double) {
        sights += 1
        add(Frame(time: time, confidence: confidence))
    }

    mutating func miss(at time: Double) { add(Frame(time: time, confidence: nil)) }

    private mutating func add(_ frame: Frame) {
        recent.append(frame)
        if recent.count > Self.limit { recent.removeFirst() }
    }

    /// Withdraws the last frames without a detection.
    mutating func forgetMisses() {
        while let last = recent.last, last.confidence == nil { recent.removeLast() }
    }

    /// Returns the evidence of the last seconds alone.
    func last(_ seconds: Double, before time: Double) -> HoldEvidence {
        var copy = self
        let first = recent.firstIndex { $0.time > time - seconds - 1e-6 } ?? recent.count - 1
        copy.recent = Array(recent[first...])
        return copy
    }
}
