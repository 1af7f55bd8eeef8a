package import Gestures
package import HandPose
import Inference
package import MediaIO
import Raster
package import Reactions

/// Looks at pictures for hands and says what they mean: palm detection, landmarks,
/// tracking, gesture and hold in one.
///
/// Used by one thread at a time.
package final class HandAnalyser {
    /// What one picture shows.
    package struct Analysis {
        package var hands: [HandLandmarks]
        package var observation: FrameObservation
        /// What the observed gesture triggers, if there is one.
        package var reactionType: ReactionType?
        package var status: GestureStatus
        /// Gestures whose hold this picture completed, and those whose hold it ended.
        package var findings: GestureFindings
        /// When the next hold will be complete, if one is under way.
        var nextCompletion: Double?

        /// How near a hand must come to a gesture to be looked at as closely as one that makes it.
        private static let interest = 0.2

        /// When to look again, and how closely.
        var sight: AnalysisSchedule.Sight { Self.sight(of: hands, observation, isIdle: status == .idle) }

        /// - Parameter isIdle: whether nothing is being held.
        static func sight(
            of hands: [HandLandmarks], _ observation: FrameObservation, isIdle: Bool
        ) -> AnalysisSchedule.Sight {
            if hands.isEmpty { return .nothing }
            let isOfInterest =
                observation.gesture != nil || !isIdle
                || observation.hands.contains(where: isOfInterest)
            return isOfInterest ? .gesture : .hands
        }

        static func isOfInterest(_ hand: HandReading) -> Bool { hand.nearness > interest }
    }

    private let configuration: Configuration
    private let tracker: HandTracker
    /// A model of the tracker's, which goes back when this is released.
    private let landmarks: ModelLoan
    /// Knows gestures.
    package let network: GestureNetwork
    /// The gestures of somebody's own.
    private let learned: [LearnedGesture]
    private let recognizer: GestureRecognizer
    private var machine: GestureStateMachine
    private var recent = RecentLooks()
    /// Whether hands that are found late are looked for in pictures before. Only of a recording that is decoded here: the
    /// frames of somebody's own may be written anew once they were shown, a live run wants them for drawing, and who makes a
    /// gesture there holds it until it is answered.
    private let looksBack: Bool
    /// What the last picture showed.
    private var sight = AnalysisSchedule.Sight.nothing

    /// Loads the models.
    ///
    /// - Parameters:
    ///   - judgesPictures: whether a hand's picture has a say, too. What teaches that judge does without.
    ///   - isGestureLikely: whether it is looked at what somebody noticed before, in a recording.
    ///   - threads: how many compute each model.
    /// - Throws: ``FlourishError/Code/unavailable`` where a model or the library is missing.
    package init(
        resources: Resources, configuration: Configuration, judgesPictures: Bool = true, isGestureLikely: Bool = false,
        threads: Int = 1
    ) throws(FlourishError) {
        guard configuration.gesturesEnabled else {
            throw FlourishError(.usage, "recognition.gestures is false, so that no hands are looked for")
        }
        guard resources.liteRTLibrary != nil, resources.models != nil else {
            throw FlourishError(
                .unavailable,
                "the models that recognise hands are not installed", remedy: .namingModels)
        }
        guard let assets = resources.assets else {
            throw FlourishError(
                .unavailable,
                "the weights that recognise gestures (Assets/Gestures) are not installed", remedy: .namingAssets)
        }
        do {
            let shared = try resources.shared?.weights(assets: assets)
            network = if let shared { shared.network } else { try GestureNetwork(assets: assets) }
            learned = configuration.ownGestures.learned(network)
            recognizer = GestureRecognizer(
                classifier: GestureClassifier(
                    network: network,
                    pictures: judgesPictures ? try shared?.judge ?? PictureJudge(assets: assets) : nil,
                    learned: learned))
            let landmarks = try ModelLoan(
                installed: ModelFile.handLandmarks, in: resources, tapping: HandLandmarker.spareOutput, threads: threads
            )
            // A live run takes all of its memory at the start, not when the first hand is seen.
            if configuration.isLive { try landmarks.model.run() }
            self.landmarks = landmarks
            let detector = try PalmDetector { size throws(InferenceError) in
                try ModelLoan(installed: ModelFile.palmDetection, in: resources, size: size, threads: threads)
            }
            var rules = HandTracker.Configuration()
            rules.isGestureLikely = isGestureLikely
            tracker = HandTracker(
                detector: detector, landmarker: try HandLandmarker(model: landmarks.model), configuration: rules)
        } catch {
            throw FlourishError(describing: error)
        }
        self.configuration = configuration
        looksBack = isGestureLikely && !configuration.isLive
        var rules = configuration.rules(learned: learned.map(\.gesture))
        disabledGestures = configuration.disabledGestures
        rules.disabled = Self.rule(disabling: disabledGestures, learned: rules.learned)
        machine = GestureStateMachine(configuration: rules)
    }

    /// Gestures that complete no hold.
    package var disabledGestures: Set<ReactionGesture> {
        didSet {
            guard disabledGestures != oldValue else { return }
            machine.configuration.disabled = Self.rule(
                disabling: disabledGestures, learned: machine.configuration.learned)
        }
    }

    private static func rule(
        disabling disabled: Set<ReactionGesture>, learned: [FrameGesture]
    ) -> Set<FrameGesture> {
        Set((FrameGesture.allCases + learned).filter { disabled.contains($0.name) })
    }

    /// The files of the models that are used.
    package enum ModelFile {
        static let palmDetection = "palm_detection_full.tflite"
        static let handLandmarks = "hand_landmark_full.tflite"
        package static let all = [palmDetection, handLandmarks]
    }

    /// Forgets what was seen, so that another video can follow.
    package func reset() {
        tracker.reset()
        machine.reset()
        recent.forget()
        sight = .nothing
    }

    /// How long a gesture is to be held, in seconds.
    package var hold: Double { configuration.hold }

    /// Has everything in the next picture looked at: something new is in view.
    func expectHands() { tracker.expectHands() }

    /// Whether what the last picture showed surely are hands.
    var isSureOfHands: Bool { tracker.isSure }

    /// Notes where the picture at a time, in seconds, shows something new.
    func note(_ newcomers: [Newcomer], at time: Double) { tracker.note(newcomers, at: time) }

    /// Says where hands are about now, as somebody saw who looked before.
    func expectHands(at places: [HandRegion]) { tracker.expected = places }

    /// Looks at the next picture of a video.
    ///
    /// - Parameter time: its time stamp in seconds.
    /// - Throws: `InferenceError` when a model fails.
    func analyse(_ frame: borrowing VideoFrame, at time: Double) throws -> Analysis {
        let geometry = frame.geometry
        var hands = try frame.withPicture { picture throws(InferenceError) in
            try tracker.process(picture: picture, geometry: geometry, time: time, closely: sight != .hands)
        }
        if looksBack { try recall(hands, at: time) }
        let completing = machine.handsCompleting(at: time)
        if !completing.isEmpty { hands = try carefulLook(at: completing, in: frame) }
        let before = looksBack ? machine : nil
        let analysis = conclude(hands, at: time)
        if let before {
            try recent.note(frame, at: time, hands: hands, before: before, hasFired: !analysis.findings.fired.isEmpty)
        }
        sight = analysis.sight
        return analysis
    }

    /// Counts holds anew where hands that the last look did not find were there all the same.
    private func recall(_ hands: [HandLandmarks], at time: Double) throws {
        let recalled = try recent.recall(hands, at: time, configuration: machine.configuration) { frame, numbers in
            let geometry = frame.geometry
            return try frame.withPicture { picture throws(InferenceError) in
                try tracker.hands(numbers, inEarlier: picture, geometry: geometry)
            }
        } observe: {
            recognizer.observe($0)
        }
        if let recalled { machine = recalled }
    }

    /// Looks at a picture of a video by itself: follows no hand, and holds nothing.
    ///
    /// - Parameter time: its time stamp in seconds.
    /// - Returns: what it shows, and where hands make a gesture, or nearly.
    /// - Throws: `InferenceError` when a model fails.
    func glimpse(
        _ frame: borrowing VideoFrame, at time: Double
    ) throws -> (sight: AnalysisSchedule.Sight, places: [HandRegion]) {
        let geometry = frame.geometry
        tracker.loseHands()
        let hands = try frame.withPicture { picture throws(InferenceError) in
            try tracker.process(picture: picture, geometry: geometry, time: time)
        }
        let observation = recognizer.observe(hands)
        let near = zip(hands, observation.hands).filter { Analysis.isOfInterest($1) }.map(\.0.trackID)
        let sight = Analysis.sight(of: hands, observation, isIdle: true)
        return (sight, tracker.places(of: Set(near)))
    }

    /// Reads hands of the picture that was looked at last with more care; see `HandTracker.confirmedHands`.
    package func carefulLook(at numbers: Set<Int>, in frame: borrowing VideoFrame) throws -> [HandLandmarks] {
        guard !numbers.isEmpty else { return [] }
        let geometry = frame.geometry
        return try frame.withPicture { picture throws(InferenceError) in
            try tracker.confirmedHands(numbers, picture: picture, geometry: geometry)
        }
    }

    /// Looks at a photo, taking the time for second looks.
    package func analyseStill(_ frame: borrowing VideoFrame) throws -> Analysis {
        let geometry = frame.geometry
        let hands = try frame.withPicture { picture throws(InferenceError) in
            try tracker.processStill(picture: picture, geometry: geometry)
        }
        return conclude(hands, at: 0)
    }

    private func conclude(_ hands: [HandLandmarks], at time: Double) -> Analysis {
        let observation = recognizer.observe(hands)
        let events = machine.advance(observation, at: time)
        let unfired = configuration.tellsCandidates ? machine.unfired : []
        let gesture = observation.gesture?.name
        return Analysis(
            hands: hands, observation: observation,
            reactionType: gesture.map(configuration.reactionType), status: machine.status,
            findings: GestureFindings(fired: events, unfired: unfired), nextCompletion: machine.nextCompletion)
    }
}

extension Configuration {
    /// What a hold must come to, as the state machine takes it.
    ///
    /// - Parameter learned: the gestures of somebody's own.
    func rules(learned: [FrameGesture]) -> GestureStateMachine.Configuration {
        var rules = GestureStateMachine.Configuration(hold: hold, cooldown: cooldown)
        rules.learned = learned
        rules.sensitivity = sensitivity
        for gesture in FrameGesture.allCases + learned { rules.sensitivities[gesture] = sensitivities[gesture.name] }
        return rules
    }
}

/// The last looks at a video, in which a hand can be looked for that is found late.
///
/// The palm detector misses a small or dark hand in one picture and sees it in the next. Once it is known where the hand is, the
/// landmark model says whether it was there before: then its gesture has been held since, and the holds are counted
/// again as if it had been seen at once.
struct RecentLooks {
    private final class Look {
        let frame: VideoFrame
        let time: Double
        var hands: [HandLandmarks]
        /// The holds before this look.
        let before: GestureStateMachine

        init(_ frame: consuming VideoFrame, time: Double, hands: [HandLandmarks], before: GestureStateMachine) {
            self.frame = frame
            self.time = time
            self.hands = hands
            self.before = before
        }
    }

    /// Seconds that looks are kept, and how many at the most. A hold may begin so much earlier than with the first look that
    /// found the hand. While nothing is seen, looks that follow each other closely are 0.2 s apart.
    private static let reach = 1.2, limit = 6

    private var looks: [Look] = []

    /// Keeps a look, but not one that completed a gesture, nor any before it: what fired has fired.
    ///
    /// - Parameters:
    ///   - frame: its pixels are not copied.
    ///   - before: the holds before this look.
    mutating func note(
        _ frame: borrowing VideoFrame, at time: Double, hands: [HandLandmarks], before: GestureStateMachine,
        hasFired: Bool
    ) throws {
        if hasFired { return looks = [] }
        dropAllBut(before: time)
        if looks.count == Self.limit { looks.removeFirst() }
        looks.append(Look(try frame.shared(), time: time, hands: hands, before: before))
    }

    mutating func forget() { looks = [] }

    /// Drops what is too long before a look, and what is not before it.
    private mutating func dropAllBut(before time: Double) {
        looks.removeAll { $0.time >= time || time - $0.time > Self.reach }
    }

    /// Looks for hands that make a gesture and that the last look did not find, from the last look back until none shows them.
    ///
    /// - Parameters:
    ///   - hands: what the look at `time` found.
    ///   - configuration: of holds now.
    ///   - search: looks for hands of some track numbers in a frame of before.
    ///   - observe: says what hands mean.
    /// - Returns: the holds as they would be if all looks had seen the hands; `nil` where there is nothing new.
    mutating func recall(
        _ hands: [HandLandmarks], at time: Double, configuration: GestureStateMachine.Configuration,
        search: (borrowing VideoFrame, Set<Int>) throws -> [HandLandmarks],
        observe: ([HandLandmarks]) -> FrameObservation
    ) rethrows -> GestureStateMachine? {
        dropAllBut(before: time)
        guard let last = looks.last else { return nil }
        let known = Set(last.hands.map(\.trackID))
        // Mostly there is no other hand than before.
        if hands.allSatisfy({ known.contains($0.trackID) }) { return nil }
        var missing = Set(zip(hands, observe(hands).hands).filter { $1.sign != nil }.map(\.0.trackID))
            .subtracting(known)
        var first: Int?
        for index in looks.indices.reversed() where !missing.isEmpty {
            let look = looks[index]
            missing.subtract(look.hands.map(\.trackID))
            var found = missing.isEmpty ? [] : try search(look.frame, missing)
            // A hand that was read there in another way is the same one, and was not missed.
            found.removeAll { hand in look.hands.contains { $0.liesOver(hand) } }
            // Where a hand was not seen, it was not held.
            missing.formIntersection(found.map(\.trackID))
            guard !found.isEmpty else { break }
            look.hands += found
            first = index
        }
        guard let first else { return nil }
        var machine = looks[first].before
        // Only a look at the present may complete a hold: it is one with care.
        machine.configuration.disabled = Set(FrameGesture.allCases + configuration.learned)
        for look in looks[first...] { _ = machine.advance(observe(look.hands), at: look.time) }
        machine.configuration = configuration
        return machine
    }
}

extension ReactionGesture {
    /// The same sign with one hand, of a gesture of two hands that has one.
    package var sameWithOneHand: ReactionGesture? {
        guard let gesture = FrameGesture(self), gesture.hands == 2 else { return nil }
        return gesture.counterpart?.name
    }
}
