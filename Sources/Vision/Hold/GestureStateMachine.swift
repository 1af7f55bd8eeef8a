package import Reactions

/// A gesture that was held long enough to fire.
package struct GestureEvent: Sendable, Hashable {
    package var gesture: FrameGesture
    /// The number of hands that take part: 1 or 2.
    package var hands: Int
    /// The mean confidence over the detections of the hold: 0…1.
    package var confidence: Double
    /// The place of the gesture when it fired, in the upright picture.
    package var origin: PicturePoint
    /// The time at which the hold began, in the seconds of the observations.
    package var heldSince: Double
    /// The time of the observation that completed the hold, in seconds.
    package var time: Double
    /// The tile of the person who made it; `nil` if the picture is a single one.
    package var tile: LayoutTile?

    package init(
        gesture: FrameGesture, confidence: Double, origin: PicturePoint, heldSince: Double,
        time: Double
    ) {
        self.gesture = gesture
        self.hands = gesture.hands
        self.confidence = confidence
        self.origin = origin
        self.heldSince = heldSince
        self.time = time
    }
}

/// Turns the observations of analysed frames into gestures that fire: it separates intended gestures from accidental
/// ones. `HandAnalyser` of Pipeline owns one, and advances it by each analysed frame.
///
/// The machine is a pure value without clock or I/O: the same observations at the same times give the same events on
/// every machine. Frames may have any interval, and the interval may change.
///
/// ```swift
/// var machine = GestureStateMachine()
/// for event in machine.advance(observation, at: seconds) { answer(event) }
/// ```
///
/// ## The rules
///
/// - *Hold.* A gesture fires when it has been shown for ``Configuration/hold``. The hold starts halfway between the
///   first frame that shows it and the frame before. The start is at most ``Configuration/longestBackdate`` of the
///   hold's duration before the first frame. The gesture fires only in a frame that shows it. At least two frames, and
///   at least ``Configuration/seenShare`` of all frames, must have shown it. (A hold of zero fires on the first frame.)
/// - *Agreement.* The mean confidence of the hold must reach ``Configuration/minimumAgreement``. So must the last
///   detection, which is a careful one, made from several crops of the hand (``handsCompleting(at:)``). A careful
///   detection below the limit does not break the hold; further careful detections follow at growing intervals. A hold
///   that stays in doubt for ``Configuration/maximumDoubt`` never fires.
/// - *Movement.* A hand may move, within limits, but then needs more evidence: see ``Movement``. A hand that comes to
///   rest needs no more than a hand that never moved, from then on. Another hand that replaces the first restarts the
///   hold: two people who show a thumb one after the other do not hold together. A hand that is suddenly much larger or
///   smaller (``Configuration/suddenGrowth``) is a different hand. For two hands, these conditions apply to each hand.
/// - *Misses.* A single frame that misses or misreads the gesture never breaks a hold. Several missed frames do not
///   break the hold within ``Configuration/missTolerance`` of the last detection.
/// - *Second hand.* The second hand may join during the hold itself. While both hands are detected together, the
///   one-hand gesture cannot fire. The hold continues as a two-hand hold, to which the first hand's time contributes at
///   most half. If the second hand leaves before the two-hand gesture fires, the first hand's hold restarts. If another
///   hand is in view when a one-hand hold completes, firing is delayed briefly.
/// - *Speech.* If someone speaks for at least ``Configuration/spokenShare`` of a hold, the gesture must be held longer or
///   does not fire, depending on ``Configuration/speechPolicy``.
/// - *Release.* A gesture that fired must be out of sight for ``Configuration/release`` before it can be held again. A
///   thumb held up for a minute therefore fires once. After a two-hand gesture this also applies to the one-hand
///   gesture: hands are rarely lowered together.
/// - *Cooldown.* A hold that completes during the cooldown fires when the cooldown ends, if the gesture is still shown
///   then.
/// - *Gaps.* A step of more than ``Configuration/longestStep`` breaks every hold. A step back in time resets the
///   machine.
/// - Different gestures are held independently, since two people may make two gestures at once.
///
/// Holds that almost fired are in ``nearMisses``, with the reason why they did not.
package struct GestureStateMachine: Sendable {
    package var configuration: Configuration
    /// The status of the leading gesture of the last observation.
    package private(set) var status: GestureStatus = .idle
    /// The holds that almost fired and have ended since the last observation.
    package private(set) var nearMisses: [NearMiss] = []

    /// The built-in gestures, then the learned ones.
    private let gestures: [FrameGesture]
    /// The tracks in the order of ``gestures``.
    private var tracks: [GestureTrack]
    private var lastTime: Double?
    /// The holds that ended in this observation, before it is known whether they are reported.
    private var ended: [NearMiss] = []
    private var nearMissLog = NearMissLog()

    package init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        gestures = FrameGesture.allCases + configuration.learned
        tracks = gestures.map(GestureTrack.init)
    }

    /// The hands that hold the gesture of ``status``; none while nothing is held.
    package var holdingHands: [HandSpot] { status.gesture.flatMap { self[$0].hold?.spots } ?? [] }

    /// Processes one analysed frame.
    ///
    /// - parameter time: The frame's presentation time in seconds.
    /// - parameter mayFire: Whether the frame may complete a hold.
    /// - returns: The gestures that fired, in the order of the gestures; nearly always none.
    /// - complexity: O(gestures): eight, and the custom ones.
    package mutating func advance(
        _ observation: FrameObservation, at time: Double, mayFire: Bool = true
    ) -> [GestureEvent] {
        let start = startOfHolds(at: time)
        checkStep(to: time)
        for gesture in gestures {
            observe(gesture, in: observation, at: time, start: start)
        }
        for gesture in gestures where gesture.hands == 2 {
            joinHolds(gesture, in: observation, at: time)
        }
        let statuses = gestures.map { settle($0, in: observation, at: time, mayFire: mayFire) }
        status = leadingStatus(of: statuses, in: observation)
        nearMisses = nearMissLog.settle(ended, tracks)
        ended.removeAll()
        return statuses.compactMap(\.event)
    }

    /// Resets everything but the configuration.
    package mutating func reset() {
        self = GestureStateMachine(configuration: configuration)
    }

    /// Drops the holds in progress. Gestures that fired cannot fire again until they are released, as before.
    package mutating func dropHolds() {
        for index in tracks.indices where tracks[index].hold != nil { tracks[index].state = .idle }
    }

    /// The time at which the next hold may fire if its gesture stays visible. The first frame from then on should be
    /// analysed. Nil while nothing is held.
    package var nextCompletion: Double? {
        guard let lastTime else { return nil }
        return tracks.flatMap { track -> [Double] in
            guard let hold = track.hold, !hold.isLingering, !configuration.disabled.contains(track.gesture) else {
                return []
            }
            return [hold.resting, hold.whole].flatMap { evidence in
                let complete = evidence.since + configuration.required(evidence)
                return [complete, complete + configuration.secondHandWait].filter { $0 > lastTime }
            }
        }.min()
    }

    /// Returns the track numbers of the hands whose hold a frame at `time` may complete. These hands need a careful
    /// detection (from several crops), because an error in that frame would fire an unintended gesture.
    package func handsCompleting(at time: Double) -> Set<Int> {
        Set(tracks.filter { isCompleting($0, at: time) }.flatMap { $0.hold?.tracks ?? [] })
    }

    /// Returns whether a frame at `time` may complete the hold of a track.
    private func isCompleting(_ track: GestureTrack, at time: Double) -> Bool {
        let gesture = track.gesture
        guard var hold = track.hold, !hold.isLingering, !configuration.disabled.contains(gesture),
            time >= hold.nextConfirmation,
            track.cooldownLeft(at: time, cooldown: configuration.cooldown(of: gesture)) <= 0
        else { return false }
        // Assumes that the frame will show the gesture with the mean confidence of the earlier frames.
        hold.resting.see(hold.resting.confidence, at: time)
        hold.whole.see(hold.whole.confidence, at: time)
        return configuration.lack(of: hold, gesture, at: time) == nil
    }

    // MARK: The steps of an observation

    /// Returns the start of a hold whose first detection is at `time`.
    private func startOfHolds(at time: Double) -> Double {
        guard let lastTime, time > lastTime, time - lastTime <= configuration.longestStep else {
            return time
        }
        return time
            - min((time - lastTime) / 2, configuration.hold * configuration.longestBackdate)
    }

    private mutating func checkStep(to time: Double) {
        if let lastTime {
            if time < lastTime {
                reset()
            } else if time - lastTime > configuration.longestStep {
                for gesture in gestures { record(self[gesture].breakHold(), of: gesture) }
            }
        }
        lastTime = time
    }

    /// Updates the track of `gesture` with the frame. A detection of a two-hand gesture counts for the one-hand gesture
    /// too.
    private mutating func observe(
        _ gesture: FrameGesture, in observation: FrameObservation, at time: Double,
        start: Double
    ) {
        var candidate = candidate(of: gesture, in: observation)
        if candidate == nil, gesture.hands == 1, let both = gesture.counterpart,
            observation[both] != nil
        {
            candidate = observation[both]
        }
        if let candidate {
            record(self[gesture].see(candidate, at: time, start: start, configuration), of: gesture)
        } else {
            let isRefusal = !observation.hands.isEmpty && isCompleting(self[gesture], at: time)
            record(self[gesture].miss(at: time, isRefusal: isRefusal, configuration), of: gesture)
        }
        if configuration.speechPolicy != .allow { self[gesture].record(observation.speech, until: time) }
    }

    /// Records a hold that ended without firing, if it is to be reported.
    private mutating func record(_ end: GestureTrack.End?, of gesture: FrameGesture) {
        guard let end else { return }
        let cooldownLeft = self[gesture].cooldownLeft(
            at: end.hold.lastSeen, cooldown: configuration.cooldown(of: gesture))
        ended += [configuration.nearMiss(end, gesture, cooldownLeft: cooldownLeft)].compactMap(\.self)
    }

    /// Transfers the time of a one-hand hold to the hold of its two-hand gesture that has just begun. If the second
    /// hand is missed, restarts the one-hand hold.
    private mutating func joinHolds(
        _ both: FrameGesture, in observation: FrameObservation, at time: Double
    ) {
        guard let one = both.counterpart, let oneHold = self[one].hold,
            var bothHold = self[both].hold
        else { return }
        if bothHold.whole.sights == 1, bothHold.missed == 0 {
            let credit = configuration.hold * configuration.upgradeCredit
            let since = max(oneHold.resting.since, time - credit)
            (bothHold.resting.since, bothHold.whole.since) = (since, since)
            self[both].state = .holding(bothHold)
        } else if bothHold.whole.sights >= 2, bothHold.missed > 0, observation[one] != nil {
            // The second hand may be about to leave. The first hand's hold restarts, because two thumbs that are
            // lowered unevenly would otherwise fire the gesture of one thumb.
            var restarted = oneHold
            restarted.start(notBefore: bothHold.lastSeen)
            self[one].state = .holding(restarted)
        }
    }

    /// Decides whether `gesture` fires now, and returns its status.
    private mutating func settle(
        _ gesture: FrameGesture, in observation: FrameObservation, at time: Double, mayFire: Bool
    ) -> (status: GestureStatus, event: GestureEvent?) {
        let track = self[gesture]
        switch track.state {
        case .idle:
            return (.idle, nil)
        case .spent:
            guard observation[gesture] != nil else { return (.idle, nil) }
            let isDisabled = configuration.disabled.contains(gesture)
            return (isDisabled ? .disabled(gesture) : .waitingForRelease(gesture), nil)
        case .holding(let hold):
            if configuration.disabled.contains(gesture) { return (.disabled(gesture), nil) }
            if !mayFire { return (holding(gesture, hold, at: time), nil) }
            if hold.isLingering { return (.lingering(gesture, elapsed: time - hold.resting.since), nil) }
            let lack = configuration.lack(of: hold, gesture, at: time)
            guard let candidate = candidate(of: gesture, in: observation), time >= hold.nextConfirmation,
                let evidence = configuration.completion(of: hold, gesture, at: time)
            else {
                let isDoubted = lack == .notSure || (lack == nil && hold.doubted != nil)
                if isDoubted || hold.isRefused { abandon(gesture, hold, at: time) }
                if lack == .speaking, configuration.speechPolicy == .ignore {
                    return (.waitingForSilence(gesture), nil)
                }
                return (isDoubted ? unsure(gesture, hold, at: time) : holding(gesture, hold, at: time), nil)
            }
            guard candidate.confidence >= configuration.minimumAgreement(of: gesture) else {
                var doubted = hold
                doubted.doubt(candidate, at: time, configuration)
                self[gesture].state = .holding(doubted)
                return (unsure(gesture, doubted, at: time), nil)
            }
            let cooldown = track.cooldownLeft(
                at: time, cooldown: configuration.cooldown(of: gesture))
            if cooldown > 0 { return (.coolingDown(gesture, remaining: cooldown), nil) }
            if mustWait(gesture, since: evidence, at: time, in: observation) {
                return (.waitingForSecondHand(gesture), nil)
            }
            return (.fired(gesture), fire(gesture, evidence, candidate, by: hold.tracks, at: time))
        }
    }

    private func holding(_ gesture: FrameGesture, _ hold: GestureTrack.Hold, at time: Double) -> GestureStatus {
        // The status is that of the evidence that will be complete first.
        let (elapsed, required) = [hold.resting, hold.whole].map { (time - $0.since, configuration.required($0)) }
            .min { $0.1 - $0.0 < $1.1 - $1.0 }!
        return hold.moves > 0
            ? .moving(gesture, elapsed: elapsed, hold: required, moves: hold.moves)
            : .holding(gesture, elapsed: elapsed, hold: required)
    }

    /// Gives up a hold that has been in doubt for too long.
    private mutating func abandon(_ gesture: FrameGesture, _ hold: GestureTrack.Hold, at time: Double) {
        guard time - hold.resting.since > configuration.hold + configuration.maximumDoubt else { return }
        var lingering = hold
        lingering.isLingering = true
        self[gesture].state = .holding(lingering)
    }

    private func unsure(_ gesture: FrameGesture, _ hold: GestureTrack.Hold, at time: Double) -> GestureStatus {
        .unsure(
            gesture, elapsed: time - hold.resting.since, hold: configuration.hold,
            confidence: configuration.confidence(of: hold, gesture),
            minimum: configuration.minimumAgreement(of: gesture))
    }

    /// Returns the detection of `gesture` by the hands that hold it, or otherwise the detection with the greatest
    /// confidence.
    private func candidate(
        of gesture: FrameGesture, in observation: FrameObservation
    ) -> GestureCandidate? {
        observation.candidate(of: gesture, by: self[gesture].hold?.tracks ?? [])
    }

    /// Returns whether a complete one-hand hold waits for a second hand.
    private func mustWait(
        _ gesture: FrameGesture, since evidence: HoldEvidence, at time: Double, in observation: FrameObservation
    ) -> Bool {
        guard gesture.hands == 1, let both = gesture.counterpart else { return false }
        if self[both].hold != nil || self[.heart].hold != nil { return true }
        let mayJoin = observation.hands.count > 1 || configuration.hold < 0.3
        let wait = configuration.secondHandWait - Configuration.roundingSlack
        return mayJoin && time - evidence.since < configuration.hold + wait
    }

    private mutating func fire(
        _ gesture: FrameGesture, _ evidence: HoldEvidence, _ candidate: GestureCandidate, by hands: [Int],
        at time: Double
    ) -> GestureEvent {
        nearMissLog.fired(gesture, at: time, by: hands)
        self[gesture].lastFired = time
        self[gesture].spend(at: time)
        if gesture.hands == 2, let one = gesture.counterpart { self[one].spend(at: time) }
        return GestureEvent(
            gesture: gesture, confidence: evidence.confidence, origin: candidate.origin,
            heldSince: evidence.since, time: time)
    }

    /// Returns the status of the gesture that fired, or otherwise of the leading gesture in view.
    private func leadingStatus(
        of statuses: [(status: GestureStatus, event: GestureEvent?)],
        in observation: FrameObservation
    ) -> GestureStatus {
        if let fired = statuses.first(where: { $0.event != nil }) { return fired.status }
        if let leading = observation.gesture {
            return statuses[index(of: leading)].status
        }
        return statuses.first { $0.status != .idle }?.status ?? .idle
    }

    private subscript(gesture: FrameGesture) -> GestureTrack {
        get { tracks[index(of: gesture)] }
        set { tracks[index(of: gesture)] = newValue }
    }

    private func index(of gesture: FrameGesture) -> Int {
        guard let index = gestures.firstIndex(of: gesture) else {
            preconditionFailure("\(gesture) is not among the machine's gestures")
        }
        return index
    }
}
