package import Gestures
package import HandPose
import Inference
package import MediaIO
import Raster
package import Reactions

/// Detects hands in pictures and recognises their gestures: palm detection, landmarks, tracking, gesture and hold in one.
///
/// Used by one thread at a time.
package final class HandAnalyser {
    /// The result for one picture.
    package struct Analysis {
        package var hands: [HandLandmarks]
        package var observation: FrameObservation
        /// The reaction that the observed gesture triggers, if there is one.
        package var reactionType: ReactionType?
        package var status: GestureStatus
        /// The gestures whose hold this picture completed, and the gestures whose hold it ended.
        package var findings: GestureFindings
        /// The time at which the next hold will be complete, if one is in progress.
        var nextCompletion: Double?

        /// The nearness to a gesture from which a hand is analysed as often as one that makes it.
        private static let interest = 0.2

        /// The part of the result that determines the time of the next analysis.
        var state: AnalysisSchedule.DetectionState { Self.state(of: hands, observation, isIdle: status == .idle) }

        /// - Parameter isIdle: whether nothing is being held.
        static func state(
            of hands: [HandLandmarks], _ observation: FrameObservation, isIdle: Bool
        ) -> AnalysisSchedule.DetectionState {
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
    /// The lease of a model that the tracker uses.
    private let landmarks: ModelLease
    /// The network that classifies gestures.
    package let network: GestureNetwork
    /// The user's own gestures.
    private let learned: [LearnedGesture]
    private let recognizer: GestureRecognizer
    private var machine: GestureStateMachine
    private var recent = DetectionHistory()
    /// A Boolean value that indicates whether hands that are detected late are searched for in earlier pictures.
    ///
    /// This is done only for a recording that the run decodes. A client may overwrite the frames that it supplies, and a live
    /// run draws into its frames; there the user holds a gesture until the reaction.
    private let searchesHistory: Bool
    /// The result of the last picture.
    private var state = AnalysisSchedule.DetectionState.nothing

    /// Loads the models.
    ///
    /// - Parameters:
    ///   - judgesPictures: whether the hand's picture is classified, too. The training of that classifier does without.
    ///   - isGestureLikely: whether candidate intervals of a recording are analysed.
    ///   - threads: the number of threads for each model.
    /// - Throws: ``FlourishError/Code/unavailable`` if a model or the library is missing.
    package init(
        resources: Resources, configuration: Configuration, judgesPictures: Bool = true, isGestureLikely: Bool = false,
        threads: Int = 1
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
            let landmarks = try ModelLease(
                installed: ModelFile.handLandmarks, in: resources, tapping: HandLandmarker.spareOutput, threads: threads
            )
            self.landmarks = landmarks
            let detector = try PalmDetector { size throws(InferenceError) in
                try ModelLease(installed: ModelFile.palmDetection, in: resources, size: size, threads: threads)
            }
            var rules = HandTracker.Configuration()
            rules.isGestureLikely = isGestureLikely
            tracker = HandTracker(
                detector: detector, landmarker: try HandLandmarker(model: landmarks.model), configuration: rules)
        } catch {
            throw FlourishError(describing: error)
        }
        self.configuration = configuration
        searchesHistory = isGestureLikely
        disabledGestures = configuration.disabledGestures
        machine = Self.machine(configuration, learned: learned)
    }

    /// Creates an analyser of other pictures that uses the models of another one, on the same thread.
    init(sharingModelsOf other: HandAnalyser) {
        (configuration, landmarks) = (other.configuration, other.landmarks)
        (network, learned, recognizer) = (other.network, other.learned, other.recognizer)
        searchesHistory = other.searchesHistory
        tracker = HandTracker(sharingModelsOf: other.tracker)
        disabledGestures = configuration.disabledGestures
        machine = Self.machine(configuration, learned: learned)
    }

    /// The gestures that complete no hold.
    package var disabledGestures: Set<ReactionGesture> {
        didSet {
            guard disabledGestures != oldValue else { return }
            machine.configuration.disabled = Self.rule(
                disabling: disabledGestures, learned: machine.configuration.learned)
        }
    }

    private static func machine(_ configuration: Configuration, learned: [LearnedGesture]) -> GestureStateMachine {
        var rules = configuration.rules(learned: learned.map(\.gesture))
        rules.disabled = rule(disabling: configuration.disabledGestures, learned: rules.learned)
        return GestureStateMachine(configuration: rules)
    }

    private static func rule(
        disabling disabled: Set<ReactionGesture>, learned: [FrameGesture]
    ) -> Set<FrameGesture> {
        Set((FrameGesture.allCases + learned).filter { disabled.contains($0.name) })
    }

    /// The files of the models.
    package enum ModelFile {
        static let palmDetection = "palm_detection_full.tflite"
        static let handLandmarks = "hand_landmark_full.tflite"
        package static let all = [palmDetection, handLandmarks]
    }

    /// Allocates the memory of inference at the start of a live run rather than when the first hand is seen.
    ///
    /// - Throws: `InferenceError` if a model fails.
    func warmUp() throws { try landmarks.model.run() }

    /// Resets all state, so that another video can follow.
    package func reset() {
        tracker.reset()
        machine.reset()
        recent.forget()
        state = .nothing
    }

    /// Continues with another view of the same person: hands are searched for again and holds start again, but a gesture that
    /// fired still has to be released.
    func restart() {
        tracker.reset()
        machine.dropHolds()
        recent.forget()
        state = .nothing
    }

    /// A Boolean value that indicates whether pictures are kept beyond their analysis.
    var keepsPictures: Bool { searchesHistory }

    /// The time for which a gesture must be held, in seconds.
    package var hold: Double { configuration.hold }

    /// Requests palm detection in the whole next picture, after a change of the scene.
    func expectHands() { tracker.expectHands() }

    /// A Boolean value that indicates whether the detections of the last picture are certain.
    var isSureOfHands: Bool { tracker.isSure }

    /// Records the changed regions of the picture at a time, in seconds.
    func note(_ regions: [ChangedRegion], at time: Double) { tracker.recordChanges(regions, at: time) }

    /// Sets the regions in which the scan has seen hands around this time.
    func expectHands(at places: [HandRegion]) { tracker.expected = places }

    /// Analyses the next picture of a video.
    ///
    /// - Parameter time: its time stamp in seconds.
    /// - Throws: `InferenceError` if a model fails.
    func analyse(_ frame: borrowing VideoFrame, at time: Double) throws -> Analysis {
        let geometry = frame.geometry
        var hands = try frame.withPicture { picture throws(InferenceError) in
            try tracker.process(picture: picture, geometry: geometry, time: time, closely: state != .hands)
        }
        if searchesHistory { try recall(hands, at: time) }
        let completing = machine.handsCompleting(at: time)
        if !completing.isEmpty { hands = try detectAfresh(at: completing, in: frame) }
        let before = searchesHistory ? machine : nil
        let analysis = conclude(hands, at: time)
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
            recognizer.observe($0)
        }
        if let recalled { machine = recalled }
    }

    /// Detects hands in a picture of a video without tracking and without counting holds.
    ///
    /// - Parameter time: its time stamp in seconds.
    /// - Returns: the result, and the regions of hands that make a gesture, or nearly.
    /// - Throws: `InferenceError` if a model fails.
    func detectWithoutTracking(
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
        return (state, tracker.places(of: Set(near)))
    }

    /// Returns the landmarks of hands of the picture that was analysed last, with higher accuracy; see
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

    private func conclude(_ hands: [HandLandmarks], at time: Double) -> Analysis {
        let observation = recognizer.observe(hands)
        let events = machine.advance(observation, at: time)
        let unfired = configuration.reportsCandidates ? machine.nearMisses : []
        let gesture = observation.gesture?.name
        return Analysis(
            hands: hands, observation: observation,
            reactionType: gesture.map(configuration.reactionType), status: machine.status,
            findings: GestureFindings(fired: events, unfired: unfired), nextCompletion: machine.nextCompletion)
    }
}

extension Configuration {
    /// Returns the configuration of the state machine that counts holds.
    ///
    /// - Parameter learned: the user's own gestures.
    func rules(learned: [FrameGesture]) -> GestureStateMachine.Configuration {
        var rules = GestureStateMachine.Configuration(hold: hold, cooldown: cooldown)
        rules.learned = learned
        rules.sensitivity = sensitivity
        for gesture in FrameGesture.allCases + learned { rules.sensitivities[gesture] = sensitivities[gesture.name] }
        return rules
    }
}

/// The last analyses of a video, which are searched for the start of a gesture whose hand is detected late.
///
/// The palm detector may miss a small or dark hand in one picture and detect it in the next. Once the hand's place is known,
/// the landmark model checks whether it was there before. If so, its gesture has been held since then, and the holds are
/// recounted as if it had been detected at once.
struct DetectionHistory {
    private final class Look {
        let frame: VideoFrame
        let time: Double
        var hands: [HandLandmarks]
        /// The holds before this analysis.
        let before: GestureStateMachine

        init(_ frame: consuming VideoFrame, time: Double, hands: [HandLandmarks], before: GestureStateMachine) {
            self.frame = frame
            self.time = time
            self.hands = hands
            self.before = before
        }
    }

    /// The time for which analyses are kept, in seconds, and how many are kept at most. A hold may begin this much earlier than
    /// the first analysis that detected the hand. While nothing is seen, analyses in close succession are 0.2 s apart.
    private static let reach = 1.2, limit = 6

    private var looks: [Look] = []

    /// Keeps an analysis, or clears all if it completed a gesture: a gesture that fired is final.
    ///
    /// - Parameters:
    ///   - frame: the picture, whose pixels are not copied.
    ///   - before: the holds before this analysis.
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

    /// Removes analyses that are too long before a time, or not before it.
    private mutating func dropAllBut(before time: Double) {
        looks.removeAll { $0.time >= time || time - $0.time > Self.reach }
    }

    /// Searches for hands that make a gesture and that the last analysis missed, backwards until a picture shows none of them.
    ///
    /// - Parameters:
    ///   - hands: the hands at `time`.
    ///   - configuration: the current configuration of holds.
    ///   - search: detects hands of some track numbers in an earlier frame.
    ///   - observe: recognises the gestures of hands.
    /// - Returns: the holds as if all analyses had detected the hands; `nil` if there is nothing new.
    mutating func recall(
        _ hands: [HandLandmarks], at time: Double, configuration: GestureStateMachine.Configuration,
        search: (borrowing VideoFrame, Set<Int>) throws -> [HandLandmarks],
        observe: ([HandLandmarks]) -> FrameObservation
    ) rethrows -> GestureStateMachine? {
        dropAllBut(before: time)
        guard let last = looks.last else { return nil }
        let known = Set(last.hands.map(\.trackID))
        // Usually there is no new hand.
        if hands.allSatisfy({ known.contains($0.trackID) }) { return nil }
        var missing = Set(zip(hands, observe(hands).hands).filter { $1.sign != nil }.map(\.0.trackID))
            .subtracting(known)
        var first: Int?
        for index in looks.indices.reversed() where !missing.isEmpty {
            let look = looks[index]
            missing.subtract(look.hands.map(\.trackID))
            var found = missing.isEmpty ? [] : try search(look.frame, missing)
            // A hand that overlaps a detected one is the same one, and was not missed.
            found.removeAll { hand in look.hands.contains { $0.overlaps(hand) } }
            // A hand that is not in view has no hold.
            missing.formIntersection(found.map(\.trackID))
            guard !found.isEmpty else { break }
            look.hands += found
            first = index
        }
        guard let first else { return nil }
        var machine = looks[first].before
        // Only the current analysis may complete a hold, since it confirms the hand with higher accuracy.
        machine.configuration.disabled = Set(FrameGesture.allCases + configuration.learned)
        for look in looks[first...] { _ = machine.advance(observe(look.hands), at: look.time) }
        machine.configuration = configuration
        return machine
    }
}

extension ReactionGesture {
    /// The one-hand gesture with the same sign, if this is a two-hand gesture that has one.
    package var sameWithOneHand: ReactionGesture? {
        guard let gesture = FrameGesture(self), gesture.hands == 2 else { return nil }
        return gesture.counterpart?.name
    }
}
