package import Inference
package import Raster

/// Follows the people in a video: a mask for each frame, stable in time and
/// true to the picture's edges.
///
/// The model looks at some frames only (``MaskSchedule``), at a few of them a second time, and some are examined for
/// bodies (``PoseInquiry``): what these deny does not count (``MaskDoubt``). What the model says is filtered in time (``MaskTracker``), then drawn to the edges of the picture (``GuidedFilter``), and
/// made firm: surely room is 0, surely person is 255.
///
/// While nothing moves a look is spread over three frames, so that none of them bears all of
/// it: one reads the picture, one runs the model, one finds the mask and readies the picture for a second look where one
/// is due. The second look is left to a frame that has nothing else to do, as long as there are any.
///
/// Used by one thread at a time. Frames that are not examined for bodies allocate nothing after the first look.
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
    private var mask: (geometry: DisplayGeometry, mask: TileMask)?
    /// What the model said at its last look, and what counts of it.
    private var confidence, trusted: [Float]
    /// What the model said at its last second look, then what it denied.
    private var second: [Float]
    private var guide, refined: [Float]
    private var progress = Progress.done
    /// Whether the last look was spread over frames.
    private var isSpread = false

    /// How far a look has come.
    private enum Progress {
        case done
        /// The state after a picture was read, so many seconds after the last one.
        case read(elapsed: Double?)
        /// The state after the model has told where people are in it.
        case segmented(elapsed: Double?)
        /// The state after the picture was readied for a second look.
        case turned
    }

    /// How often the model has looked at a picture, second looks apart.
    package private(set) var lookCount = 0
    /// How often it has looked a second time.
    package private(set) var secondLookCount = 0

    /// By how much looks are further apart than usual, 1…2.
    package var stretch: Double {
        get { schedule.stretch }
        set { schedule.stretch = newValue }
    }

    /// - Parameter examiner: who examines bodies; `nil` where the model of masks is believed.
    package init(segmenter: any PersonSegmenting, examiner: (any BodyExamining)? = nil) {
        self.segmenter = segmenter
        let count = segmenter.width * segmenter.height
        bodies = examiner.map { BodyCheck($0, width: segmenter.width, height: segmenter.height) }
        doubt = MaskDoubt(.secondLook, width: segmenter.width, height: segmenter.height)
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

    /// The people in a frame.
    ///
    /// - Parameter time: the frame's time stamp in seconds. Where it runs backwards or leaps,
    ///   what was seen before is forgotten.
    /// - Returns: `nil` where nobody is seen.
    /// - Throws: `.failed` when the model fails.
    package func mask(
        of picture: borrowing Picture, geometry: DisplayGeometry, at time: Double
    ) throws(InferenceError) -> TileMask? {
        try bodies?.collect(at: time)
        if let mask, mask.geometry != geometry { startOver() }
        // A mask that comes or goes is in motion too.
        let isFading = tracker.presence > 0 && tracker.presence < 1
        let look = schedule.look(at: time) {
            isFading ? .some : probe.motion(in: picture, apartFrom: mask?.mask)
        }
        if look != .none {
            segmenter.read(picture, geometry: geometry, guide: &guide)
            probe.remember(picture)
            progress = .read(elapsed: schedule.looked(at: time))
            isSpread = look == .overNextFrames
        } else if case .done = progress {
            if bodies?.ask(about: picture, geometry, confidence, guide, at: time, stretch: stretch) == true {
                return shown
            }
            if !isSpread { try lookAgain(at: time) }
        } else {
            try goOn(geometry, at: time)
        }
        if look == .now {
            try goOn(geometry, at: time)
            try goOn(geometry, at: time)
            if schedule.isLeisurely { try lookAgain(at: time) }
            // Where each frame is looked at, none has time for more.
            bodies?.ask(
                about: picture, geometry, confidence, guide, at: time, stretch: stretch,
                isLate: !schedule.isLeisurely)
        }
        return shown
    }

    /// Forgets what was seen of pictures of another size.
    private func startOver() {
        let stretch = stretch
        schedule = MaskSchedule()
        self.stretch = stretch
        probe = MotionProbe()
        (progress, mask) = (.done, nil)
        bodies?.forget()
    }

    private var shown: TileMask? { tracker.isEmpty ? nil : mask?.mask }

    /// Does the next part of a look, if one is under way.
    private func goOn(_ geometry: DisplayGeometry, at time: Double) throws(InferenceError) {
        switch progress {
        case .done: return
        case .read(let elapsed):
            try segmenter.segment(confidence: &confidence)
            lookCount += 1
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
        secondLookCount += 1
        Self.compare(&second, with: confidence)
        doubt.note(second, guide: guide, at: time)
    }

    /// Turns a second opinion into what it denies of the first, −1…0.
    private static func compare(_ second: inout [Float], with first: [Float]) {
        let first = first.span
        var second = second.mutableSpan
        for i in 0..<second.count { second[i] = min(second[i] - first[i], 0) }
    }

    /// Readies what was looked at last for a second look, where it is time.
    private func turn(at time: Double) {
        guard doubt.isDue(at: time, stretch: stretch), !tracker.isEmpty else { return }
        segmenter.turn()
        progress = .turned
    }

    /// Looks a second time at what was looked at last, where it is time.
    private func lookAgain(at time: Double) throws(InferenceError) {
        turn(at: time)
        if case .turned = progress { try segmentAgain(at: time) }
    }

    /// Makes the mask of what the tracker holds.
    private func draw(_ geometry: DisplayGeometry) {
        if tracker.isEmpty { return }
        filter.filter(tracker.values, guide: guide, into: &refined)
        // Rounds off the steps that would show where the mask is enlarged.
        smoothing.smooth(&refined)
        Self.quantise(refined, presence: tracker.presence, into: &samples)
        if mask?.geometry == geometry {
            mask?.mask.update(samples)
        } else {
            mask = (
                geometry,
                TileMask(
                    width: segmenter.width, height: segmenter.height, samples: samples, geometry: geometry)
            )
        }
    }

    /// Below this the filtered confidence counts as room, above the other as person. The range lies
    /// high, so that the model's soft rim does not keep a bright line of the room around people
    /// when the room goes dark.
    private static let firmness: (room: Float, person: Float) = (0.3, 0.8)

    /// Turns confidence into the mask's samples.
    private static func quantise(_ values: [Float], presence: Float, into samples: inout [UInt8]) {
        let low = firmness.room
        let scale = 1 / (firmness.person - low)
        let values = values.span
        var samples = samples.mutableSpan
        for i in 0..<samples.count {
            let t = max(0, min(1, (values[i] - low) * scale))
            // Adding 2²³ rounds and leaves the value in the low bits, which vectorises.
            let value = t * t * (3 - 2 * t) * presence * 255 + 8_388_608
            samples[i] = UInt8(truncatingIfNeeded: value.bitPattern)
        }
    }
}

/// Which frames are looked at for people: a matter of their time stamps, and of whether
/// anything moves.
private struct MaskSchedule: Sendable {
    /// Seconds between looks while much of the picture moves: limbs that fly leave ghosts
    /// behind where looks are fewer.
    static let rushingInterval = 1.0 / 30
    /// Seconds between looks while something moves.
    static let movingInterval = 1.0 / 15
    /// Seconds between looks while nothing does.
    static let restingInterval = 1.0 / 5
    /// After a pause as long as this nothing is known of what was seen before it.
    static let memory = 0.5

    /// By how much looks are further apart than usual; up to 2, or what was seen is forgotten between them.
    var stretch = 1.0
    /// Frames that are no further apart than this may share the work of a look.
    static let leisure = 1.0 / 20

    private var lastLook: Double?
    private var lastFrame: Double?
    /// Whether frames are so far apart that one has time for all the work of a look and more.
    private(set) var isLeisurely = false

    /// When a frame is to be looked at.
    enum Look { case none, now, overNextFrames }

    /// When the frame at `time` (seconds) is to be looked at.
    /// - Parameter motion: asked only where the answer matters.
    mutating func look(at time: Double, motion: () -> MotionProbe.Motion) -> Look {
        let sinceFrame = lastFrame.map { time - $0 } ?? .infinity
        lastFrame = time
        isLeisurely = sinceFrame > Self.leisure && sinceFrame <= Self.memory
        guard let lastLook, time >= lastLook, time - lastLook <= Self.memory else { return .now }
        // A frame a little early is nearer to the beat than the next one.
        let elapsed = (time - lastLook + 0.004) / stretch
        guard elapsed >= Self.rushingInterval else { return .none }
        return switch motion() {
        case .none where elapsed < Self.restingInterval: .none
        case .none: sinceFrame <= Self.leisure ? .overNextFrames : .now
        case .some: elapsed >= Self.movingInterval ? .now : .none
        case .much: .now
        }
    }

    /// Notes a look.
    /// - Returns: seconds since the last one; `nil` where there is none to go on from.
    mutating func looked(at time: Double) -> Double? {
        defer { lastLook = time }
        guard let lastLook, time > lastLook, time - lastLook <= Self.memory else { return nil }
        return time - lastLook
    }
}

/// Has some frames examined for bodies, and remembers what was denied.
///
/// The answer counts from a fixed time after the frame on, so that masks do not depend on how fast the machine is; by then
/// it is there, as a rule, and else it is waited for.
private final class BodyCheck {
    /// Seconds from a frame to when what is known of it counts.
    private static let patience = 0.2
    /// Seconds by which a frame that has enough to do puts the question off.
    private static let delay = 0.3

    private let examiner: any BodyExamining
    private var doubt: MaskDoubt
    /// When the frame was shown that is being examined.
    private var asked: Double?
    /// Whether the answer to what was asked is of no use any more.
    private var isStale = false
    /// The luma of what was asked about, and what was denied last.
    private var guide, denied: [Float]

    init(_ examiner: any BodyExamining, width: Int, height: Int) {
        self.examiner = examiner
        doubt = MaskDoubt(.bodies, width: width, height: height)
        guide = [Float](repeating: 0, count: width * height)
        denied = guide
    }

    /// Begins anew: what was seen before has gone.
    func forget() {
        doubt.forget()
        isStale = asked != nil
    }

    /// Has a frame examined, if it is time and nothing else is being examined.
    /// - Parameters:
    ///   - confidence: what the model says of it, or of one just before, 0…1.
    ///   - luma: of the picture that the model saw, 0…1.
    ///   - isLate: whether to do so only where it should have been done long since.
    /// - Returns: whether that was done.
    @discardableResult
    func ask(
        about picture: borrowing Picture, _ geometry: DisplayGeometry, _ confidence: [Float], _ luma: [Float],
        at time: Double, stretch: Double, isLate: Bool = false
    ) -> Bool {
        guard asked == nil, doubt.isDue(at: isLate ? time - Self.delay : time, stretch: stretch) else { return false }
        examiner.ask(about: picture, geometry: geometry, confidence: confidence)
        guide.refill(from: luma)
        asked = time
        isStale = false
        return true
    }

    /// Notes what was found in the frame that was asked about, once it counts.
    /// - Parameter time: the current frame's time in seconds.
    func collect(at time: Double) throws(InferenceError) {
        guard let asked, time < asked || time - asked >= Self.patience - 0.004 else { return }
        self.asked = nil
        try examiner.answer(into: &denied)
        if !isStale, time >= asked { doubt.note(denied, guide: guide, at: asked) }
    }

    /// Takes what is in doubt out of what counts as people; see ``MaskDoubt/withdraw(from:guide:into:)``.
    func withdraw(from confidence: [Float], guide: [Float], into result: inout [Float]) {
        doubt.withdraw(from: confidence, guide: guide, into: &result)
    }
}
