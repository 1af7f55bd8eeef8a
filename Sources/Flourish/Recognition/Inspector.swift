import Gestures
import HandPose
import MediaIO

/// Looks at a video or an image as a session would, and tells what it sees.
public final class Inspector: Sendable {
    private let configuration: Configuration
    private let interrupt = InterruptFlag()

    /// An inspector that recognises as a session with this configuration would.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Looks at each frame that a session would analyse, or at the one picture of an image.
    ///
    /// - Parameters:
    ///   - input: a video, or a JPEG or PNG image.
    ///   - handler: called for each analysed frame, in order, on a thread of its own.
    /// - Throws: ``FlourishError``.
    public func inspect(
        _ input: String, handler: @escaping @Sendable (FrameInspection) -> Void
    ) async throws(FlourishError) {
        try await inspect([input], handler: handler)
    }

    /// Looks at one input after the other, as if each were the only one, but loads the
    /// models once: of a photo that takes longer than looking at it.
    ///
    /// - Parameters:
    ///   - inputs: videos, and JPEG or PNG images.
    ///   - handler: called for each analysed frame, in order, on a thread of its own.
    /// - Throws: ``FlourishError`` at the first input that cannot be read.
    public func inspect(
        _ inputs: [String], handler: @escaping @Sendable (FrameInspection) -> Void
    ) async throws(FlourishError) {
        let result = await StageThread.run { () throws(FlourishError) in
            do {
                let analyser = try HandAnalyser(
                    resources: self.configuration.resources ?? .located(),
                    configuration: self.configuration)
                for input in inputs where !self.interrupt.isRaised {
                    analyser.reset()
                    try self.run(input, analyser) { frame in
                        var frame = frame
                        frame.input = inputs.count > 1 ? input : nil
                        handler(frame)
                    }
                }
            } catch {
                throw FlourishError(describing: error)
            }
        }
        try result.get()
    }

    /// Ends the inspection early.
    public func stop() { interrupt.raise() }

    /// Whether ``stop()`` was called.
    public var isStopped: Bool { interrupt.isRaised }

    private func run(
        _ input: String, _ analyser: HandAnalyser, _ handler: (FrameInspection) -> Void
    ) throws {
        let demuxer = try Demuxer(path: input, interrupt: interrupt)
        let reader = ReadStage(
            demuxer: demuxer, decoder: try VideoDecoder(demuxer), copiesOtherStreams: false,
            interrupt: interrupt)
        if demuxer.isStillImage {
            guard let item = try reader.nextFrame(copy: { _ in true }) else {
                throw FlourishError(.inputUnusable, "\(input): the image cannot be decoded; it is damaged")
            }
            let analysis = try analyser.analyseStill(item.frame)
            handler(FrameInspection(analysis, time: 0, isStill: true))
            return
        }
        var schedule = AnalysisSchedule()
        var frames = 0
        while let item = try reader.nextFrame(copy: { _ in true }) {
            frames += 1
            guard schedule.isDue(at: item.time) else { continue }
            let analysis = try analyser.analyse(item.frame, at: item.time)
            schedule.looked(at: item.time, sawHand: !analysis.hands.isEmpty)
            handler(FrameInspection(analysis, time: item.time, isStill: false))
        }
        guard frames > 0 || interrupt.isRaised else {
            throw FlourishError.noPicture(in: input)
        }
    }
}

extension FrameInspection {
    init(_ analysis: HandAnalyser.Analysis, time: Double, isStill: Bool) {
        let observation = analysis.observation
        self.time = time
        hands = zip(analysis.hands, observation.hands).map(HandInspection.init)
        gesture = observation.gesture.flatMap { ReactionGesture(rawValue: $0.rawValue) }
        reactionType = gesture?.reactionType
        if isStill, gesture != nil {
            reason = "an image is not held"
        } else {
            reason = gesture == nil
                ? observation.reason ?? "no gesture" : analysis.status.description
        }
    }
}

extension HandInspection {
    fileprivate init(_ hand: HandLandmarks, _ reading: HandReading) {
        landmarks = hand.points.map { [$0.x, $0.y, $0.z] }
        handedness = hand.handedness.rawValue
        presence = hand.presence
        gesture = reading.gesture.flatMap { HandSign(rawValue: $0.rawValue) }
        confidence = reading.confidence
        reason = reading.reason
    }
}
