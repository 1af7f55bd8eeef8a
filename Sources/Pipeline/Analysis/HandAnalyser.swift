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
