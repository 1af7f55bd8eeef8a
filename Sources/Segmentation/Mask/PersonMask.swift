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
