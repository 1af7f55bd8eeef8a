/// The detections of a gesture since a time, as evidence that the gesture is meant.
struct HoldEvidence: Sendable, Hashable {
    /// The estimated start, in seconds of the video.
    var since: Double
    /// The number of frames with a detection of the gesture, and of all analysed frames.
    private(set) var sights = 1
    private(set) var frames = 1
    /// The share of the time in which someone spoke, 0…1.
    var spokenShare = 0.0
    /// The amount of the hand's movement: see ``GestureStateMachine/Movement``.
    var movement = 0.0
    private var confidenceSum: Double

    init(since: Double, confidence: Double) {
        self.since = since
        confidenceSum = confidence
    }

    /// The mean confidence of the detections, and the share of frames with a detection.
    var confidence: Double { confidenceSum / Double(sights) }
    var share: Double { Double(sights) / Double(frames) }
    /// The mean confidence over all frames; frames without a detection count as 0.
    var agreement: Double { confidenceSum / Double(frames) }

    mutating func see(confidence: Double) {
        sights += 1
        frames += 1
        confidenceSum += confidence
    }

    mutating func miss() { frames += 1 }

    /// Withdraws frames without a detection.
    mutating func forget(missed: Int) { frames -= missed }
}
