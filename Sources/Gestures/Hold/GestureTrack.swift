import Reactions

/// The history of one gesture: whether it is being held, and whether it has fired.
///
/// ``GestureStateMachine`` has one for each ``FrameGesture`` and decides which may fire.
struct GestureTrack: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// The state while the gesture is not shown.
        case idle
        /// The state while the gesture is shown and has not fired.
        case holding(Hold)
        /// The state while the gesture that fired has not been released: it was seen last
        /// at `lastSeen` and missed in the `missed` frames since. It cannot fire again.
        case spent(lastSeen: Double, missed: Int)
    }

    /// A gesture being held up.
    struct Hold: Sendable, Hashable {
        var since: Double
        var lastSeen: Double
        var sights: Int = 1
        var frames: Int = 1
        /// Frames without the gesture since ``lastSeen``.
        var missed: Int = 0
        var confidenceSum: Double
        /// Where the hold began.
        var start: PicturePoint
        /// Where it was seen last.
        var place: PicturePoint
        /// Where each hand was then.
        var spots: [HandSpot]
        /// The numbers of the hands that were seen last; empty where they are not known.
        var tracks: [Int]
        /// How often a look with care said no when the hold was complete, and when the next one may be taken.
        var doubts = 0
        var nextCarefulLook = -Double.infinity
        /// How sure the last look with care was that said no.
        var doubted: Double?
        /// How often in a row the same hand had gone elsewhere when its hold began anew.
        var moves = 0
        /// Whether it was complete but in doubt for so long that it fires no more.
        var isLingering = false
        /// Whether the look with care that would have completed the hold did not see the gesture, although the one
        /// before it did.
        var isRefused = false

        /// - Parameter since: when the gesture was probably shown first.
        init(_ candidate: GestureCandidate, at time: Double, since: Double) {
            self.since = since
            lastSeen = time
            confidenceSum = candidate.confidence
            start = candidate.origin
            place = candidate.origin
            spots = candidate.spots
            tracks = candidate.tracks
        }

        var confidence: Double { confidenceSum / Double(sights) }
        var share: Double { Double(sights) / Double(frames) }
        /// The mean over all frames, those without a sight counting as 0: what the looks of the hold agree on.
        var agreement: Double { confidenceSum / Double(frames) }

        mutating func see(_ candidate: GestureCandidate, at time: Double) {
            lastSeen = time
            place = candidate.origin
            spots = candidate.spots
            tracks = candidate.tracks
            sights += 1
            frames += 1
            missed = 0
            confidenceSum += candidate.confidence
        }

        /// Takes in that a careful look at `time`, when the hold was complete, did not see the gesture surely. Each
        /// doubles the wait for the next: a hand that lies there for minutes must not be looked at with care all the time.
        mutating func doubt(
            _ candidate: GestureCandidate, at time: Double, _ rules: GestureStateMachine.Configuration
        ) {
            doubted = candidate.confidence
            nextCarefulLook = time + min(rules.longestCarefulWait, rules.carefulWait * Double(1 << min(doubts, 8)))
            doubts += 1
        }

        mutating func miss(isRefusal: Bool) {
            if isRefusal, missed == 0 { isRefused = true }
            frames += 1
            missed += 1
        }

        /// The hold as it was when the gesture was seen last.
        var untilLastSight: Hold {
            var hold = self
            hold.frames -= missed
            hold.missed = 0
            return hold
        }

        /// Whether these are other hands, or they have moved on.
        func hasPassed(
            to candidate: GestureCandidate, _ rules: GestureStateMachine.Configuration
        ) -> Bool {
            let distance = candidate.distance(to: start)
            return distance > rules.stillness
                || (distance > rules.handover && !candidate.mayBe(tracks))
        }

        /// Whether these are hands of another picture, as where one photograph takes the place of another: nobody's hand is
        /// at once half as large again.
        func hasGrown(to candidate: GestureCandidate, _ rules: GestureStateMachine.Configuration) -> Bool {
            guard spots.count == candidate.spots.count else { return false }
            return zip(spots, candidate.spots).contains { $1.growth(from: $0) > rules.suddenGrowth }
        }

        /// Whether a hand is at once somewhere else: another one, or one that is moved so fast that it does not hold.
        func hasJumped(
            to candidate: GestureCandidate, at time: Double, _ rules: GestureStateMachine.Configuration
        ) -> Bool {
            guard spots.count == candidate.spots.count, time - lastSeen <= rules.instant else { return false }
            return zip(spots, candidate.spots).contains { $1.distance(to: $0) > rules.suddenStep }
        }

        func isBroken(at time: Double, _ rules: GestureStateMachine.Configuration) -> Bool {
            let gap = time - lastSeen
            return gap > rules.longestMiss || (missed > 1 && gap > rules.missTolerance)
        }
    }

    /// A hold that ended without having fired.
    struct End: Sendable, Hashable {
        var hold: Hold
        /// Whether it ended because the same hand went elsewhere.
        var hasMoved = false
    }

    let gesture: FrameGesture
    var state: State = .idle
    /// When the gesture was seen last.
    private(set) var lastSeen: Double?
    /// When the gesture fired last.
    var lastFired: Double?

    init(_ gesture: FrameGesture) { self.gesture = gesture }

    var hold: Hold? {
        if case .holding(let hold) = state { hold } else { nil }
    }

    /// The gesture is in sight in the frame at `time`, by itself or as part of its
    /// two-hand counterpart. A hand that moves on does not hold: its hold begins anew.
    /// - Parameter start: when a hold that this sight begins did begin.
    /// - Returns: the hold that this ended, if it did.
    mutating func see(
        _ candidate: GestureCandidate, at time: Double, start: Double,
        _ rules: GestureStateMachine.Configuration
    ) -> End? {
        lastSeen = time
        releaseIfGone(at: time, rules)
        switch state {
        case .idle:
            state = .holding(Hold(candidate, at: time, since: start))
        case .holding(var hold):
            let hasGrown = hold.hasGrown(to: candidate, rules)
            if hasGrown || hold.hasJumped(to: candidate, at: time, rules)
                || (candidate.gesture == gesture && hold.hasPassed(to: candidate, rules))
            {
                let isSameHand = !hasGrown && candidate.mayBe(hold.tracks)
                var next = Hold(candidate, at: time, since: time)
                next.moves = isSameHand ? hold.moves + 1 : 0
                state = .holding(next)
                return End(hold: hold, hasMoved: isSameHand)
            }
            hold.see(candidate, at: time)
            state = .holding(hold)
        case .spent:
            state = .spent(lastSeen: time, missed: 0)
        }
        return nil
    }

    /// The gesture is not in sight in the frame at `time`.
    /// - Parameter isRefusal: whether a look with care was due there, and there was a hand to be looked at.
    /// - Returns: the hold that this ended, if it did.
    mutating func miss(
        at time: Double, isRefusal: Bool, _ rules: GestureStateMachine.Configuration
    ) -> End? {
        switch state {
        case .idle:
            break
        case .holding(var hold):
            hold.miss(isRefusal: isRefusal)
            state = .holding(hold)
            if hold.isBroken(at: time, rules) { return breakHold() }
        case .spent(let lastSeen, let missed):
            state = .spent(lastSeen: lastSeen, missed: missed + 1)
            releaseIfGone(at: time, rules)
        }
        return nil
    }

    /// Counts a gesture that fired as released once it has been out of sight for long enough.
    private mutating func releaseIfGone(at time: Double, _ rules: GestureStateMachine.Configuration) {
        guard case .spent(let lastSeen, let missed) = state else { return }
        if missed > 1, time - lastSeen >= rules.release { state = .idle }
    }

    /// Ends a hold without its having fired. A spent gesture stays spent.
    /// - Returns: the hold.
    mutating func breakHold() -> End? {
        guard let hold else { return nil }
        state = .idle
        return End(hold: hold)
    }

    /// Marks the gesture as answered: it must be released before it fires again.
    mutating func spend(at time: Double) {
        state = .spent(lastSeen: time, missed: 0)
    }

    /// Seconds until the cooldown ends; 0 when there is none.
    func cooldownLeft(at time: Double, cooldown: Double) -> Double {
        guard let lastFired else { return 0 }
        return max(0, lastFired + cooldown - time)
    }
}
