import Reactions

/// The history of one gesture: its current hold, and whether it has fired.
///
/// ``GestureStateMachine`` has one track for each ``FrameGesture``, and decides which gestures may fire.
struct GestureTrack: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// The state while the gesture is not shown.
        case idle
        /// The state while the gesture is shown and has not fired.
        case holding(Hold)
        /// The state while the gesture that fired has not been released: the gesture was last detected at `lastSeen`,
        /// and missed in the `missed` frames since then. A spent gesture cannot fire again.
        case spent(lastSeen: Double, missed: Int)
    }

    /// A gesture being held.
    struct Hold: Sendable, Hashable {
        private let gesture: FrameGesture
        /// The evidence since the hand last moved, and of the whole hold.
        var resting: HoldEvidence
        var whole: HoldEvidence
        /// The time of the last detection, in seconds of the video.
        var lastSeen: Double
        /// The number of frames without the gesture since ``lastSeen``.
        var missed: Int = 0
        /// The place of the gesture when the hold began, and when the hand last moved, in the upright picture.
        private let start: PicturePoint
        private var restingPlace: PicturePoint
        /// The movement since the hold began.
        private var motion = GestureStateMachine.Movement.Extent()
        /// The place of the last detection.
        var place: PicturePoint
        /// The place of each hand at the last detection.
        var spots: [HandSpot]
        /// The track numbers of the hands last detected; empty if unknown.
        var tracks: [Int]
        /// The number of careful detections (from several crops of the hand) that rejected the complete hold, and the
        /// earliest time of the next one.
        var doubts = 0
        var nextConfirmation = -Double.infinity
        /// The confidence of the last careful detection that rejected the hold; `nil` if none did.
        var doubted: Double?
        /// The number of times that the same hand moved since it was raised.
        var moves = 0
        /// True if the hold was complete, but in doubt for so long that it never fires.
        var isLingering = false
        /// True if the careful detection that would have completed the hold did not find the gesture. The frame before
        /// it did show the gesture.
        var isRefused = false

        /// - Parameter since: The estimated time at which the gesture began.
        init(_ gesture: FrameGesture, _ candidate: GestureCandidate, at time: Double, since: Double) {
            self.gesture = gesture
            resting = HoldEvidence(since: since, at: time, confidence: candidate.confidence)
            whole = resting
            lastSeen = time
            start = candidate.origin
            restingPlace = candidate.origin
            place = candidate.origin
            spots = candidate.spots
            tracks = candidate.tracks
        }

        /// Sets the start of the hold to a later time.
        mutating func start(notBefore time: Double) {
            resting.since = max(resting.since, time)
            whole.since = max(whole.since, time)
        }

        mutating func see(
            _ candidate: GestureCandidate, at time: Double, _ movement: GestureStateMachine.Movement
        ) {
            motion = motion.joined(extent(to: candidate, at: time, movement, from: start))
            whole.see(candidate.confidence, at: time)
            whole.movement = movement.amount(of: motion)
            resting.see(candidate.confidence, at: time)
            lastSeen = time
            place = candidate.origin
            spots = candidate.spots
            tracks = candidate.tracks
            missed = 0
        }

        /// Continues the hold at another place, at which the hand may come to rest.
        mutating func move(to candidate: GestureCandidate, at time: Double, _ movement: GestureStateMachine.Movement) {
            see(candidate, at: time, movement)
            resting = HoldEvidence(since: time, at: time, confidence: candidate.confidence)
            restingPlace = candidate.origin
            moves += 1
            (doubts, nextConfirmation, doubted, isLingering, isRefused) = (0, -.infinity, nil, false, false)
        }

        /// Records a careful detection at `time` that rejected the complete hold. Each rejection doubles the wait for
        /// the next detection. The growing wait bounds the cost of a hand that rests in one place for minutes.
        mutating func doubt(
            _ candidate: GestureCandidate, at time: Double, _ rules: GestureStateMachine.Configuration
        ) {
            doubted = candidate.confidence
            nextConfirmation =
                time + min(rules.longestConfirmationInterval, rules.confirmationInterval * Double(1 << min(doubts, 8)))
            doubts += 1
        }

        mutating func miss(at time: Double, isRefusal: Bool) {
            if isRefusal, missed == 0 { isRefused = true }
            resting.miss(at: time)
            whole.miss(at: time)
            missed += 1
        }

        /// The hold as it was at the gesture's last detection.
        var untilLastDetection: Hold {
            var hold = self
            hold.resting.forgetMisses()
            hold.whole.forgetMisses()
            hold.missed = 0
            return hold
        }

        /// Returns the movement from a place to the candidate, and the step since the last detection.
        ///
        /// A gesture of two hands also counts for each of them, but its place is not the place of one hand.
        private func extent(
            to candidate: GestureCandidate, at time: Double, _ movement: GestureStateMachine.Movement,
            from place: PicturePoint
        ) -> GestureStateMachine.Movement.Extent {
            let isStep = spots.count == candidate.spots.count && time - lastSeen <= movement.instant
            let steps = isStep ? zip(spots, candidate.spots).map { $1.distance(to: $0) } : []
            return GestureStateMachine.Movement.Extent(
                reach: candidate.gesture == gesture ? candidate.distance(to: place) : 0, step: steps.max() ?? 0)
        }

        /// Returns whether the candidate shows the same hands at rest.
        func rests(
            with candidate: GestureCandidate, at time: Double, _ rules: GestureStateMachine.Configuration
        ) -> Bool {
            let extent = extent(to: candidate, at: time, rules.movement, from: restingPlace)
            return !extent.exceeds(rules.movement.rest)
                && (extent.reach <= rules.handover || candidate.mayBe(tracks))
                && !isBroken(at: time, rules, tolerance: rules.missTolerance)
        }

        /// Returns whether the candidate may show the same hands within the limit of movement.
        func continues(
            with candidate: GestureCandidate, at time: Double, _ rules: GestureStateMachine.Configuration
        ) -> Bool {
            let movement = rules.movement
            // The track of a fast hand is lost, and the hand is found farther away.
            let reach = motion.step > movement.rest.step ? movement.limit.step : rules.handover
            return !extent(to: candidate, at: time, movement, from: start).exceeds(movement.limit)
                && (candidate.distance(to: place) <= reach || candidate.mayBe(tracks))
        }

        /// Returns whether the candidate's hands have a suddenly different size, as when one photograph replaces
        /// another. No hand grows by half at once.
        func hasGrown(to candidate: GestureCandidate, _ rules: GestureStateMachine.Configuration) -> Bool {
            guard spots.count == candidate.spots.count else { return false }
            return zip(spots, candidate.spots).contains { $1.growth(from: $0) > rules.suddenGrowth }
        }

        /// Returns whether the gesture has not been detected for too long. A moving hand is blurred, and its track is
        /// lost more often.
        func isBroken(at time: Double, _ rules: GestureStateMachine.Configuration) -> Bool {
            let moving = (rules.movement.missTolerance - rules.missTolerance) * whole.movement
            return isBroken(at: time, rules, tolerance: rules.missTolerance + moving)
        }

        private func isBroken(
            at time: Double, _ rules: GestureStateMachine.Configuration, tolerance: Double
        ) -> Bool {
            let gap = time - lastSeen
            return gap > rules.longestMiss || (missed > 1 && gap > tolerance)
        }
    }

    /// A hold that ended without firing.
    struct End: Sendable, Hashable {
        var hold: Hold
        /// True if the hold ended because the same hand moved.
        var hasMoved = false
    }

    let gesture: FrameGesture
    var state: State = .idle
    /// The time of the gesture's last detection.
    private(set) var lastSeen: Double?
    /// The time at which the gesture last fired.
    var lastFired: Double?

    init(_ gesture: FrameGesture) { self.gesture = gesture }

    var hold: Hold? {
        if case .holding(let hold) = state { hold } else { nil }
    }

    /// Records a detection in the frame at `time`, of the gesture itself or of its two-hand counterpart. A hand that
    /// moves beyond the limit of movement restarts its hold.
    /// - Parameter start: The start of a hold that would begin with this detection.
    /// - Returns: The hold that this detection ended, if any.
    mutating func see(
        _ candidate: GestureCandidate, at time: Double, start: Double,
        _ rules: GestureStateMachine.Configuration
    ) -> End? {
        lastSeen = time
        releaseIfGone(at: time, rules)
        switch state {
        case .idle:
            state = .holding(Hold(gesture, candidate, at: time, since: start))
        case .holding(var hold):
            let hasGrown = hold.hasGrown(to: candidate, rules)
            if !hasGrown, hold.rests(with: candidate, at: time, rules) {
                hold.see(candidate, at: time, rules.movement)
            } else if !hasGrown, hold.continues(with: candidate, at: time, rules) {
                hold.move(to: candidate, at: time, rules.movement)
            } else {
                let isSameHand = !hasGrown && candidate.mayBe(hold.tracks)
                var next = Hold(gesture, candidate, at: time, since: time)
                next.moves = isSameHand ? hold.moves + 1 : 0
                state = .holding(next)
                return End(hold: hold, hasMoved: isSameHand)
            }
            state = .holding(hold)
        case .spent:
            state = .spent(lastSeen: time, missed: 0)
        }
        return nil
    }

    /// Records a frame at `time` without the gesture.
    /// - Parameter isRefusal: Whether a careful detection was due in the frame, and there was a hand to detect.
    /// - Returns: The hold that this frame ended, if any.
    mutating func miss(
        at time: Double, isRefusal: Bool, _ rules: GestureStateMachine.Configuration
    ) -> End? {
        switch state {
        case .idle:
            break
        case .holding(var hold):
            hold.miss(at: time, isRefusal: isRefusal)
            state = .holding(hold)
            if hold.isBroken(at: time, rules) { return breakHold() }
        case .spent(let lastSeen, let missed):
            state = .spent(lastSeen: lastSeen, missed: missed + 1)
            releaseIfGone(at: time, rules)
        }
        return nil
    }

    /// Records the speech from the beginning of the hold until `time`.
    mutating func record(_ speech: RecentSpeech, until time: Double) {
        guard case .holding(var hold) = state else { return }
        for evidence in [\.resting, \.whole] as [WritableKeyPath<Hold, HoldEvidence>] {
            let since = hold[keyPath: evidence].since
            if time > since { hold[keyPath: evidence].spokenShare = speech.share(of: since...time) }
        }
        state = .holding(hold)
    }

    /// Releases a gesture that fired once it has been out of sight for long enough.
    private mutating func releaseIfGone(at time: Double, _ rules: GestureStateMachine.Configuration) {
        guard case .spent(let lastSeen, let missed) = state else { return }
        if missed > 1, time - lastSeen >= rules.release { state = .idle }
    }

    /// Ends a hold that has not fired. A spent gesture stays spent.
    /// - Returns: The hold.
    mutating func breakHold() -> End? {
        guard let hold else { return nil }
        state = .idle
        return End(hold: hold)
    }

    /// Marks the gesture as fired: it must be released before it fires again.
    mutating func spend(at time: Double) {
        state = .spent(lastSeen: time, missed: 0)
    }

    /// Returns the seconds until the cooldown ends; 0 if there is none.
    func cooldownLeft(at time: Double, cooldown: Double) -> Double {
        guard let lastFired else { return 0 }
        return max(0, lastFired + cooldown - time)
    }
}
