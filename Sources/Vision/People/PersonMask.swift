package import Raster

/// Segments the people in a video: a mask for each frame, stable in time and aligned with the picture's edges.
/// `PeopleFinder` of Frames owns it.
///
/// The mask model runs on some frames only (``MaskSchedule``), and on a few of these a second time. Some frames are
/// examined for bodies by another model (``PoseInquiry``). Parts that these checks reject do not count as people
/// (``MaskDoubt``). The confidence is filtered in time (``MaskTracker``), aligned with the picture's edges
/// (``GuidedFilter``), and given contrast: 0 is certainly room, 255 is certainly a person.
///
/// While there is no motion, an inference is spread over three frames, to balance the load. One frame reads the
/// picture, one runs the model, and one computes the mask. The third frame also prepares the picture for a second
/// inference, if one is due. The second inference runs on the next frame without other work.
///
/// Used by one thread at a time; examination for bodies runs on a thread of ``PoseExaminer``. Frames that are not
/// examined allocate no memory after the first inference.
package final class PersonMask {
    private let segmenter: any PersonSegmenting
    private var schedule = MaskSchedule()
    private var probe = MotionProbe()
    private var doubt: MaskDoubt
    private let bodies: BodyCheck?
    private var tracker: MaskTracker
    private var filter: GuidedFilter
    private var smoothing: BoxFilter
    private var samples: [UInt8]
    private var mask: (geometry: DisplayGeometry, mask: BandMask)?
    /// The confidence of the last inference, and the confidence after rejected parts were removed.
    private var confidence, trusted: [Float]
    /// The confidence of the last second inference, replaced by the part of the first inference that it rejects.
    private var second: [Float]
    private var guide, refined: [Float]
    private var progress = Progress.done
    /// True if the last inference was spread over frames.
    private var isSpread = false

    /// The progress of an inference.
    private enum Progress {
        case done
        /// The state after a picture was read, with the seconds since the last inference; `nil` if there is none to
        /// continue.
        case read(elapsed: Double?)
        /// The state after the model has run.
        case segmented(elapsed: Double?)
        /// The state after the picture was prepared for a second inference.
        case turned
    }

    /// The number of first inferences.
    package private(set) var inferenceCount = 0
    /// The number of second inferences.
    private(set) var secondInferenceCount = 0
    /// The number of cuts to other scenes.
    package private(set) var cutCount = 0

    /// The factor by which intervals between inferences are longer than usual, 1…2.
    package var intervalScale: Double {
        get { schedule.intervalScale }
        set { schedule.intervalScale = newValue }
    }

    /// True if the mask is needed for every frame, at its best: inferences are as frequent as with much motion while
    /// anything moves.
    package var isPrecise: Bool {
        get { schedule.isPrecise }
        set { schedule.isPrecise = newValue }
    }

    /// The size of ``confidenceOfPeople``.
    package var width: Int { segmenter.width }
    package var height: Int { segmenter.height }
    /// The confidence of a person at each place of the upright picture, 0…1, filtered in time but not aligned with the
    /// picture.
    package var confidenceOfPeople: [Float] { tracker.values }
    /// The opacity of all people, 0…1: less than 1 while people appear or disappear.
    package var presence: Float { tracker.presence }

    /// - Parameter examiner: Examines frames for bodies; with `nil`, the mask depends on the mask model alone.
    package init(segmenter: any PersonSegmenting, examiner: (any BodyExamining)? = nil) {
        self.segmenter = segmenter
        let count = segmenter.width * segmenter.height
        bodies = examiner.map { BodyCheck($0, width: segmenter.width, height: segmenter.height) }
        doubt = MaskDoubt(.secondInference, width: segmenter.width, height: segmenter.height)
        tracker = MaskTracker(width: segmenter.width, height: segmenter.height)
        filter = GuidedFilter(width: segmenter.width, height: segmenter.height)
        smoothing = BoxFilter(width: segmenter.width, height: segmenter.height, radius: 1)
        samples = [UInt8](repeating: 0, count: count)
        confidence = [Float](repeating: 0, count: count)
        trusted = confidence
        second = confidence
        guide = confidence
        refined = confidence
    }

    /// Returns the mask of the people in a frame.
    ///
    /// - Parameter time: The frame's time stamp in seconds. If it runs backwards or jumps, and at cuts, the state is reset.
    /// - Returns: `nil` without people.
    /// - Throws: `.failed` if the model fails.
    package func mask(
        of picture: borrowing Picture, geometry: DisplayGeometry, at time: Double
    ) throws(InferenceError) -> BandMask? {
        try bodies?.collect(at: time)
        if let mask, mask.geometry != geometry { startOver() }
        // While the mask fades in or out, inferences are as frequent as with motion.
        let isFading = tracker.presence > 0 && tracker.presence < 1
        let decision = schedule.decision(at: time) {
            isFading ? .some : probe.motion(in: picture, apartFrom: mask?.mask)
        }
        if decision != .none {
            segmenter.read(picture, geometry: geometry, guide: &guide)
            probe.remember(picture)
            let elapsed = schedule.recordInference(at: time)
            // At a cut, the state describes another scene.
            let isCut = elapsed != nil && tracker.isCut(to: guide)
            if isCut { cutCount += 1 }
            progress = .read(elapsed: isCut ? nil : elapsed)
            isSpread = decision == .overNextFrames
        } else if case .done = progress {
            if bodies?.ask(about: picture, geometry, confidence, guide, at: time, intervalScale: intervalScale) == true
            {
                return shown
            }
            if !isSpread { try runSecondInference(at: time) }
        } else {
            try continueInference(geometry, at: time)
        }
        if decision == .now {
            try continueInference(geometry, at: time)
            try continueInference(geometry, at: time)
            if schedule.allowsExtraWork { try runSecondInference(at: time) }
            // A frame with an inference usually has no time for more, so here the examination must be overdue.
            bodies?.ask(
                about: picture, geometry, confidence, guide, at: time, intervalScale: intervalScale,
                isLate: !schedule.allowsExtraWork)
        }
        return shown
    }

    /// Resets the state for pictures of another geometry.
    private func startOver() {
        let (intervalScale, isPrecise) = (intervalScale, isPrecise)
        schedule = MaskSchedule()
        (self.intervalScale, self.isPrecise) = (intervalScale, isPrecise)
        probe = MotionProbe()
        (progress, mask) = (.done, nil)
        bodies?.forget()
    }

    private var shown: BandMask? { tracker.isEmpty ? nil : mask?.mask }

    /// Does the next part of an inference in progress.
    private func continueInference(_ geometry: DisplayGeometry, at time: Double) throws(InferenceError) {
        switch progress {
        case .done: return
        case .read(let elapsed):
            try segmenter.segment(confidence: &confidence)
            inferenceCount += 1
            progress = .segmented(elapsed: elapsed)
        case .segmented(let elapsed):
            progress = .done
            if elapsed == nil {
                doubt.forget()
                bodies?.forget()
            }
            trusted.refill(from: confidence)
            doubt.withdraw(from: confidence, guide: guide, into: &trusted)
            bodies?.withdraw(from: confidence, guide: guide, into: &trusted)
            tracker.follow(trusted, guide: guide, elapsed: elapsed)
            draw(geometry)
            if isSpread { turn(at: time) }
        case .turned: try segmentAgain(at: time)
        }
    }

    private func segmentAgain(at time: Double) throws(InferenceError) {
        progress = .done
        try segmenter.segmentAgain(confidence: &second)
        secondInferenceCount += 1
        Self.compare(&second, with: confidence)
        doubt.record(second, guide: guide, at: time)
    }

    /// Replaces the second inference by the part of the first that it rejects, −1…0.
    private static func compare(_ second: inout [Float], with first: [Float]) {
        let first = first.span
        var second = second.mutableSpan
        for i in 0..<second.count { second[i] = min(second[i] - first[i], 0) }
    }

    /// Prepares the last picture for a second inference, if one is due.
    private func turn(at time: Double) {
        guard doubt.isDue(at: time, intervalScale: intervalScale), !tracker.isEmpty else { return }
        segmenter.turn()
        progress = .turned
    }

    /// Runs a second inference on the last picture, if one is due.
    private func runSecondInference(at time: Double) throws(InferenceError) {
        turn(at: time)
        if case .turned = progress { try segmentAgain(at: time) }
    }

    /// Computes the mask from the tracker's state.
    private func draw(_ geometry: DisplayGeometry) {
        if tracker.isEmpty { return }
        filter.filter(tracker.values, guide: guide, into: &refined)
        // The mask is enlarged for drawing, which would make steps between its samples visible.
        smoothing.smooth(&refined)
        Self.quantise(refined, presence: tracker.presence, into: &samples)
        if mask?.geometry == geometry {
            mask?.mask.update(samples)
        } else {
            mask = (
                geometry,
                BandMask(
                    width: segmenter.width, height: segmenter.height, samples: samples, geometry: geometry)
            )
        }
    }

    /// The limits of the filtered confidence: below `room` a place is room, above `person` it is a person. The limits
    /// are high, because the model's soft rim would otherwise leave a bright line of the room around people when an
    /// effect dims the room.
    private static let firmness: (room: Float, person: Float) = (0.3, 0.8)

    /// Turns confidence into the mask's samples.
    private static func quantise(_ values: [Float], presence: Float, into samples: inout [UInt8]) {
        let low = firmness.room
        let scale = 1 / (firmness.person - low)
        let values = values.span
        var samples = samples.mutableSpan
        for i in 0..<samples.count {
            let t = max(0, min(1, (values[i] - low) * scale))
            // Adding 2²³ rounds the value and leaves it in the low bits of the pattern. Unlike a conversion, this
            // vectorises.
            let value = t * t * (3 - 2 * t) * presence * 255 + 8_388_608
            samples[i] = UInt8(truncatingIfNeeded: value.bitPattern)
        }
    }
}

/// Schedules inferences by the frames' time stamps and by motion.
private struct MaskSchedule: Sendable {
    /// The seconds between inferences while much of the picture moves. With longer intervals, the mask of fast limbs
    /// would lag visibly.
    static let rushingInterval = 1.0 / 30
    /// The seconds between inferences with some motion.
    static let movingInterval = 1.0 / 15
    /// The seconds between inferences without motion.
    static let restingInterval = 1.0 / 5
    /// The seconds since the last inference after which the filtered state is invalid.
    static let memory = 0.5

    /// The factor by which intervals are longer than usual. At most 2, because the state must remain valid between
    /// inferences: 2 · ``restingInterval`` is less than ``memory``.
    var intervalScale = 1.0
    /// True if any motion counts as much motion.
    var isPrecise = false
    /// The maximum seconds between frames at which the work of an inference may be spread over several frames.
    static let sharingLimit = 1.0 / 20

    private var lastInference: Double?
    private var lastFrame: Double?
    /// True if the frame interval is long enough for more than the work of one inference.
    private(set) var allowsExtraWork = false

    /// The decision for a frame: no inference, a whole inference, or an inference spread over this and the next frames.
    enum Decision { case none, now, overNextFrames }

    /// Returns the decision for the frame at `time` (seconds).
    /// - Parameter motion: Returns the motion since the last inference; called only if the decision depends on it.
    mutating func decision(at time: Double, motion: () -> MotionProbe.Motion) -> Decision {
        let sinceFrame = lastFrame.map { time - $0 } ?? .infinity
        lastFrame = time
        allowsExtraWork = sinceFrame > Self.sharingLimit && sinceFrame <= Self.memory
        guard let lastInference, time >= lastInference, time - lastInference <= Self.memory else { return .now }
        // A frame up to 4 ms early is accepted, because the next frame would be later by more.
        let elapsed = (time - lastInference + 0.004) / intervalScale
        guard elapsed >= Self.rushingInterval else { return .none }
        return switch motion() {
        case .none where elapsed < Self.restingInterval: .none
        case .none: sinceFrame <= Self.sharingLimit ? .overNextFrames : .now
        case .some: isPrecise || elapsed >= Self.movingInterval ? .now : .none
        case .much: .now
        }
    }

    /// Records an inference.
    /// - Returns: The seconds since the last inference; `nil` if there is no state to continue from.
    mutating func recordInference(at time: Double) -> Double? {
        defer { lastInference = time }
        guard let lastInference, time > lastInference, time - lastInference <= Self.memory else { return nil }
        return time - lastInference
    }
}

/// Requests the examination of some frames for bodies, and keeps the parts of the mask that belong to none.
///
/// The result is applied at a fixed time after the frame, so masks do not depend on the machine's speed. The result is
/// usually complete by then; otherwise the caller waits.
private final class BodyCheck {
    /// The seconds from a frame until its result applies.
    private static let resultDelay = 0.2
    /// The seconds by which a request must be overdue for a frame that already had an inference.
    private static let delay = 0.3

    private let examiner: any BodyExamining
    private var doubt: MaskDoubt
    /// The time of the frame being examined.
    private var asked: Double?
    /// True if the pending result is obsolete.
    private var isStale = false
    /// The luma of the frame being examined, and the last rejected part.
    private var guide, denied: [Float]

    init(_ examiner: any BodyExamining, width: Int, height: Int) {
        self.examiner = examiner
        doubt = MaskDoubt(.bodies, width: width, height: height)
        guide = [Float](repeating: 0, count: width * height)
        denied = guide
    }

    /// Resets the state: the scene has changed.
    func forget() {
        doubt.forget()
        isStale = asked != nil
    }

    /// Requests the examination of a frame, if one is due and none is pending.
    /// - Parameters:
    ///   - confidence: The model's confidence for that frame, or for one shortly before, 0…1.
    ///   - luma: The luma of the model's picture, 0…1.
    ///   - isLate: Whether to request the examination only if it is overdue.
    /// - Returns: Whether the examination was requested.
    @discardableResult
    func ask(
        about picture: borrowing Picture, _ geometry: DisplayGeometry, _ confidence: [Float], _ luma: [Float],
        at time: Double, intervalScale: Double, isLate: Bool = false
    ) -> Bool {
        guard asked == nil, doubt.isDue(at: isLate ? time - Self.delay : time, intervalScale: intervalScale) else {
            return false
        }
        examiner.ask(about: picture, geometry: geometry, confidence: confidence)
        guide.refill(from: luma)
        asked = time
        isStale = false
        return true
    }

    /// Records the result for the examined frame, when its time has come.
    /// - Parameter time: The current frame's time in seconds.
    func collect(at time: Double) throws(InferenceError) {
        guard let asked, time < asked || time - asked >= Self.resultDelay - 0.004 else { return }
        self.asked = nil
        try examiner.answer(into: &denied)
        if !isStale, time >= asked { doubt.record(denied, guide: guide, at: asked) }
    }

    /// Removes the rejected parts from the people; see ``MaskDoubt/withdraw(from:guide:into:)``.
    func withdraw(from confidence: [Float], guide: [Float], into result: inout [Float]) {
        doubt.withdraw(from: confidence, guide: guide, into: &result)
    }
}
