package import MediaIO
import Raster
package import Reactions
package import Vision

/// Detects hands in the pictures of a video and recognises their gestures. It uses models that several analysers may
/// share, and owns the state of tracking and holds. A ``DetectionScheduler`` or ``CoarseScanner`` selects the pictures.
///
/// Used by one thread at a time.
package final class HandAnalyser {
    /// The result for one picture.
    package struct Analysis {
        package var hands: [HandLandmarks]
        /// All tracked hands, if ``hands`` omits those that a closer look at the end of a hold did not confirm.
        package var tracked: [HandLandmarks]?
        /// All that the classifiers detect, as holds count it.
        package var observation: FrameObservation
        /// The observation as users are shown it: with the names of what may fire.
        package var named: FrameObservation
        /// The gesture that fired, or otherwise the leading one that has a name.
        package var gesture: FrameGesture?
        /// The reaction that ``gesture`` triggers, if there is one.
        package var reactionType: ReactionType?
        package var status: GestureStatus
        /// True if the gesture of the status had a name when it was last detected.
        package var isStatusNamed: Bool
        /// The gestures whose hold this picture completed, and the gestures whose hold it ended.
        package var findings: GestureFindings
        /// The time at which the next hold will be complete, in seconds; `nil` if no hold is in progress.
        package var nextCompletion: Double?
        /// The hands that hold the gesture of the status.
        package var holdingHands: [HandSpot] = []

        /// The gesture in progress at the time of the picture.
        ///
        /// - Parameter tile: The tile that is the picture; `nil` for a whole picture.
        package func coming(at time: Double, in tile: LayoutTile? = nil) -> ComingGesture? {
            var coming = ComingGesture(
                status, at: time, nextCompletion: nextCompletion,
                hands: tile.map { tile in holdingHands.map { $0.placed(in: tile) } } ?? holdingHands)
            coming?.tile = tile?.id
            return coming
        }

        /// The hands in the picture, for masks of people.
        ///
        /// - Parameter tile: The tile that is the picture; `nil` for a whole picture.
        package func seenHands(at time: Double, in tile: LayoutTile? = nil) -> [SeenHand] {
            (tracked ?? hands).map { SeenHand(outline: $0.outline, time: time, tile: tile?.id) }
        }

        /// The nearness to a gesture from which a hand is analysed as often as a hand that makes the gesture.
        private static let interest = 0.2

        /// The part of the result that determines the time of the next analysis.
        package var state: AnalysisSchedule.DetectionState {
            Self.state(of: hands, observation, isIdle: status == .idle)
        }

        /// Returns the detection state of the hands in one picture.
        ///
        /// - Parameter isIdle: whether no gesture is being held.
        package static func state(
            of hands: [HandLandmarks], _ observation: FrameObservation, isIdle: Bool
        ) -> AnalysisSchedule.DetectionState {
            if hands.isEmpty { return .nothing }
            let isOfInterest =
                observation.gesture != nil || !isIdle
                || observation.hands.contains(where: isOfInterest)
            return isOfInterest ? .gesture : .hands
        }

        package static func isOfInterest(_ hand: HandReading) -> Bool { hand.nearness > interest }
    }

    private var configuration: Configuration
    private let tracker: HandTracker
    /// The lease of a model that the tracker uses.
    private let landmarks: ModelLease
    /// The network that classifies gestures.
    package let network: GestureNetwork
    /// The custom gestures.
    private let learned: [LearnedGesture]
    private let recognizer: GestureRecognizer
    private var machine: GestureStateMachine
    private var recent = DetectionHistory()
    /// The times at which someone speaks; `nil` if that does not matter.
    private let speech: SpeechTimeline?
    /// True if hands that are detected late are searched for in earlier pictures.
    ///
    /// Only the decoded frames of a recording stay unchanged. A client may overwrite the frames that it supplies, and a
    /// live run draws on its frames. Live runs do not need the search, because users hold a gesture until the reaction
    /// appears.
    private let searchesHistory: Bool
    /// The gesture of the last status that was detected, if it had a name.
    private var named: FrameGesture?
    /// The result of the last picture.
    private var state = AnalysisSchedule.DetectionState.nothing

    /// Loads the models.
    ///
    /// - Parameters:
    ///   - judgesPictures: whether the picture of the hand is also classified; `false` in the training of that
    ///     classifier.
    ///   - isGestureLikely: whether candidate intervals of a recording are analysed.
    ///   - threads: the number of threads for each model.
    ///   - speech: the times at which someone speaks, on the clock of the pictures; `nil` for never.
    /// - Throws: ``FlourishError/Code/unavailable`` if a model or the library is missing.
    package init(
        resources: Resources, configuration: Configuration, judgesPictures: Bool = true, isGestureLikely: Bool = false,
        threads: Int = 1, speech: SpeechTimeline? = nil
    ) throws(FlourishError) {
        guard configuration.gesturesEnabled else {
            throw FlourishError(.usage, "recognition.gestures is false, so hands are not detected; set it to true")
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
            let landmarks = try ModelLease(installed: ModelFile.handLandmarks, in: resources, threads: threads)
            self.landmarks = landmarks
            let detector = try PalmDetector { size throws(InferenceError) in
                try ModelLease(
                    installed: size.file(of: ModelFile.palmDetection), in: resources, threads: threads)
            }
            var rules = HandTracker.Configuration()
            rules.isGestureLikely = isGestureLikely
            tracker = HandTracker(
                detector: detector, landmarker: try HandLandmarker(model: landmarks.model), configuration: rules)
        } catch {
            throw FlourishError(describing: error)
        }
        self.configuration = configuration
        self.speech = configuration.speechPolicy == .allow ? nil : speech
        searchesHistory = isGestureLikely
        machine = GestureStateMachine(configuration: Self.rules(configuration, learned: learned))
    }

    /// Creates an analyser for other pictures that uses the models of an existing analyser, on the same thread.
    package init(sharingModelsOf other: HandAnalyser) {
        (configuration, landmarks, speech) = (other.configuration, other.landmarks, other.speech)
        (network, learned, recognizer) = (other.network, other.learned, other.recognizer)
        searchesHistory = other.searchesHistory
        tracker = HandTracker(sharingModelsOf: other.tracker)
        machine = GestureStateMachine(configuration: Self.rules(configuration, learned: learned))
    }

    /// Adopts the settings of a running session. Holds in progress continue.
    package func follow(_ settings: LiveSettings) {
        guard configuration.adoptRecognition(of: settings) else { return }
        machine.configuration = Self.rules(configuration, learned: learned)
    }

    private static func rules(
        _ configuration: Configuration, learned: [LearnedGesture]
    ) -> GestureStateMachine.Configuration {
        var rules = configuration.rules(learned: learned.map(\.gesture))
        rules.disabled = rule(disabling: configuration.disabledGestures, learned: rules.learned)
        return rules
    }

    private static func rule(
        disabling disabled: Set<ReactionGesture>, learned: [FrameGesture]
    ) -> Set<FrameGesture> {
        Set((FrameGesture.allCases + learned).filter { disabled.contains($0.name) })
    }

    /// The files of the models.
    package enum ModelFile {
        static let palmDetection = "palm_detection_full"
        static let handLandmarks = "hand_landmark_full_tapped.tflite"
        package static let all =
            PalmDetector.InputSize.all.map { $0.file(of: palmDetection) } + [handLandmarks]
    }

    /// Allocates the memory of inference at the start of a live run rather than when the first hand is seen.
    ///
    /// - Throws: `InferenceError` if a model fails.
    package func warmUp() throws { try landmarks.model.run() }

    /// Resets all state, so that another video can follow.
    package func reset() {
        tracker.reset()
        machine.reset()
        recent.forget()
        state = .nothing
    }

    /// Continues with another view of the same person. Hands are searched for again and holds start again, but a
    /// gesture that fired must still be released.
    package func restart() {
        tracker.reset()
        machine.dropHolds()
        recent.forget()
        state = .nothing
    }

    /// True if pictures are kept beyond their analysis.
    package var keepsPictures: Bool { searchesHistory }

    /// The time for which a gesture must be held, in seconds.
    package var hold: Double { configuration.hold }

    /// Requests palm detection in the whole of the next picture, after a change of the scene.
    package func expectHands() { tracker.expectHands() }

    /// True if the detections of the last picture are certain.
    package var isSureOfHands: Bool { tracker.isSure }

    /// Records the changed regions of the picture at a time, in seconds.
    package func note(_ regions: [ChangedRegion], at time: Double) { tracker.recordChanges(regions, at: time) }

    /// Sets the regions in which the scan has seen hands around this time, in upright pixels.
    package func expectHands(at places: [HandRegion]) { tracker.expected = places }

    /// Analyses the next picture of a video.
    ///
    /// - Parameter time: its time stamp in seconds.
    /// - Throws: `InferenceError` if a model fails.
    package func analyse(_ frame: borrowing VideoFrame, at time: Double) throws -> Analysis {
        let geometry = frame.geometry
        var hands = try frame.withPicture { picture throws(InferenceError) in
            try tracker.process(picture: picture, geometry: geometry, time: time, closely: state != .hands)
        }
        if searchesHistory { try recall(hands, at: time) }
        let completing = machine.handsCompleting(at: time)
        let tracked = completing.isEmpty ? nil : hands
        if !completing.isEmpty { hands = try detectAfresh(at: completing, in: frame) }
        let before = searchesHistory ? machine : nil
        var analysis = conclude(hands, at: time)
        analysis.tracked = tracked
        if let before {
            try recent.note(frame, at: time, hands: hands, before: before, hasFired: !analysis.findings.fired.isEmpty)
        }
        state = analysis.state
        return analysis
    }

    /// Recounts holds if hands that the last analysis missed were in view.
    private func recall(_ hands: [HandLandmarks], at time: Double) throws {
        let recalled = try recent.recall(hands, at: time, configuration: machine.configuration) { frame, numbers in
            let geometry = frame.geometry
            return try frame.withPicture { picture throws(InferenceError) in
                try tracker.hands(numbers, inEarlier: picture, geometry: geometry)
            }
        } observe: {
            observe($0, at: $1)
        }
        if let recalled { machine = recalled }
    }

    /// Detects hands in a picture of a video without tracking and without counting holds.
    ///
    /// - Parameter time: its time stamp in seconds.
    /// - Returns: the result, and the regions of hands that make or almost make a gesture: at least one if the result
    ///   is a gesture.
    /// - Throws: `InferenceError` if a model fails.
    package func detectWithoutTracking(
        _ frame: borrowing VideoFrame, at time: Double
    ) throws -> (state: AnalysisSchedule.DetectionState, places: [HandRegion]) {
        let geometry = frame.geometry
        tracker.loseHands()
        let hands = try frame.withPicture { picture throws(InferenceError) in
            try tracker.process(picture: picture, geometry: geometry, time: time)
        }
        let observation = recognizer.observe(hands)
        let near = zip(hands, observation.hands).filter { Analysis.isOfInterest($1) }.map(\.0.trackID)
        let state = Analysis.state(of: hands, observation, isIdle: true)
        // Of a gesture of two hands, neither hand need be near a gesture by itself.
        return (state, tracker.places(of: Set(near.isEmpty ? hands.map(\.trackID) : near)))
    }

    /// Returns the landmarks of hands in the picture that was analysed last, with higher accuracy. See
    /// `HandTracker.confirmedHands`.
    package func detectAfresh(at numbers: Set<Int>, in frame: borrowing VideoFrame) throws -> [HandLandmarks] {
        guard !numbers.isEmpty else { return [] }
        let geometry = frame.geometry
        return try frame.withPicture { picture throws(InferenceError) in
            try tracker.confirmedHands(numbers, picture: picture, geometry: geometry)
        }
    }

    /// Analyses a photo with repeated inferences for higher accuracy.
    package func analyseStill(_ frame: borrowing VideoFrame) throws -> Analysis {
        let geometry = frame.geometry
        let hands = try frame.withPicture { picture throws(InferenceError) in
            try tracker.processStill(picture: picture, geometry: geometry)
        }
        return conclude(hands, at: 0)
    }

    private func observe(_ hands: [HandLandmarks], at time: Double) -> FrameObservation {
        var observation = recognizer.observe(hands)
        if let speech { observation.speech = speech.recent(before: time) }
        return observation
    }

    private func conclude(_ hands: [HandLandmarks], at time: Double) -> Analysis {
        let observation = observe(hands, at: time)
        let events = machine.advance(observation, at: time)
        let unfired = configuration.reportsCandidates ? machine.nearMisses : []
        let (status, shown) = (machine.status, machine.configuration.named(observation))
        if let held = status.gesture, let seen = observation[held] {
            named = machine.configuration.names(seen) ? held : nil
        }
        let gesture = if case .fired(let fired) = status { fired } else { shown.gesture }
        return Analysis(
            hands: hands, observation: observation, named: shown, gesture: gesture,
            reactionType: (gesture?.name).map(configuration.reactionType), status: status,
            isStatusNamed: named != nil && named == status.gesture,
            findings: GestureFindings(fired: events, unfired: unfired), nextCompletion: machine.nextCompletion,
            holdingHands: machine.holdingHands)
    }
}

extension HandLandmarks {
    /// The presence from which a hand counts fully as a part of a person. The tracker keeps hands from 0.5 on.
    private static let surePresence = 0.8

    /// The outline of the hand in its picture.
    fileprivate var outline: HandOutline {
        HandOutline(
            points: points.map { SIMD2(Float($0.x), Float($0.y)) },
            confidence: Float(max(0, min(1, (presence - 0.5) / (Self.surePresence - 0.5)))))
    }
}

extension HandSpot {
    /// Returns a hand of a tile's picture as one of the whole picture.
    fileprivate func placed(in tile: LayoutTile) -> HandSpot {
        HandSpot(
            centre: tile.placeInPicture(centre),
            palmLength: PicturePoint(x: palmLength.x * tile.width, y: palmLength.y * tile.height))
    }
}

extension SpeechTimeline {
    /// The time before a picture for which holds may depend on speech, in seconds.
    private static var reach: Double { 30 }

    /// Returns the speech before a time, in seconds.
    fileprivate func recent(before time: Double) -> RecentSpeech {
        let (intervals, end) = speech(in: time - Self.reach...time)
        return RecentSpeech(intervals: intervals, end: end)
    }
}
