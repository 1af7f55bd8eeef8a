import MediaIO
import Pipeline
public import Reactions
import Vision

/// The result of analysing one frame or image, and the reason why nothing fired.
///
/// ```swift
/// try await Inspector().inspect("hand.jpg") { frame in
///     for hand in frame.hands { print(hand.handedness, hand.gesture?.rawValue ?? hand.reason ?? "") }
///     print(frame.gesture?.rawValue ?? frame.reason)
/// }
/// ```
public struct FrameInspection: Sendable, Hashable {
    /// The input's path, if there are several inputs; `nil` if there is only one.
    public var input: String?
    /// The time stamp in seconds; 0 for an image.
    public var time: Double
    /// The tile of a gallery that was analysed; `nil` if the whole picture was.
    public var tile: LayoutTile?
    /// The hands, in the order in which they were first detected.
    public var hands: [HandInspection]
    /// The gesture that the hands show together; `nil` for none, and below the confidence with which it may fire.
    public var gesture: ReactionGesture?
    /// The reaction that the gesture triggers, whether it fired or not.
    public var reactionType: ReactionType?
    /// The status of the gesture (`fired`, `held 0.6 of 1.0 s`), or the reason why there is none
    /// (`perhaps victory, 0.56`).
    public var reason: String
}

/// One hand of a frame.
public struct HandInspection: Sendable, Hashable {
    /// 21 points of x, y, z in the order of MediaPipe's hand landmark model: x and y
    /// in 0…1 of the upright picture, z in units of its width, negative toward the camera.
    public var landmarks: [[Double]]
    /// `left` or `right`, from the person's view.
    public var handedness: String
    /// The model's confidence that there is a hand: 0…1.
    public var presence: Double
    /// The sign of this hand alone; `nil` for none, and below the confidence with which it may fire.
    public var gesture: HandSign?
    /// The confidence of the gesture, or of the likeliest gesture if none is recognised: 0…1.
    public var confidence: Double
    /// The reason why the hand makes no gesture; `nil` if it makes one.
    public var reason: String?
}

extension FrameInspection: Encodable {
    /// The frame as one line of JSON, without a newline.
    public var jsonLine: String { JSONLine.encode(self) }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encodeIfPresent(input, forKey: "input")
        try fields.encode(seconds: time, forKey: "time")
        try fields.encodeIfPresent(tile?.rounded, forKey: "tile")
        try fields.encode(hands, forKey: "hands")
        try fields.encode(gesture, forKey: "gesture")
        try fields.encode(reactionType, forKey: "reactionType")
        try fields.encode(reason, forKey: "reason")
    }
}

extension HandInspection: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        let points = landmarks.map { $0.map { JSONLine.rounded($0, places: 5) } }
        try fields.encode(points, forKey: "landmarks")
        try fields.encode(handedness, forKey: "handedness")
        try fields.encode(JSONLine.rounded(presence, places: 4), forKey: "presence")
        try fields.encode(gesture, forKey: "gesture")
        try fields.encode(JSONLine.rounded(confidence, places: 4), forKey: "confidence")
        try fields.encodeIfPresent(reason, forKey: "reason")
    }
}

extension FrameInspection {
    /// - Parameter tile: The tile whose picture was analysed; `nil` for the whole picture.
    init(_ analysis: HandAnalyser.Analysis, in tile: LayoutTile? = nil, time: Double, isStill: Bool) {
        self.time = time
        self.tile = tile
        hands = zip(analysis.hands, analysis.named.hands).map { HandInspection($0, $1, in: tile) }
        gesture = analysis.gesture?.name
        reactionType = analysis.reactionType
        if isStill, gesture != nil {
            reason = "a single image has no hold"
        } else {
            reason = gesture == nil ? analysis.named.reason ?? "no gesture" : analysis.status.description
        }
    }
}

extension HandInspection {
    /// - Parameter tile: The tile whose picture shows the hand; `nil` for the whole picture.
    fileprivate init(_ hand: HandLandmarks, _ reading: HandReading, in tile: LayoutTile?) {
        landmarks = hand.points.map { point in
            guard let tile else { return [point.x, point.y, point.z] }
            let place = tile.placeInPicture(PicturePoint(x: point.x, y: point.y))
            return [place.x, place.y, point.z * tile.width]
        }
        handedness = hand.handedness.rawValue
        presence = hand.presence
        gesture = reading.sign.map(HandSign.init)
        confidence = reading.confidence
        reason = reading.reason
    }
}

/// Writes a video with the results of the analysis drawn over every picture.
///
/// Used by one thread at a time.
final class InspectionRecorder {
    private let writer: VideoWriter
    private let painter: InspectionPainter
    private let configuration: Configuration
    private let warn: (String) -> Void
    private var damage = CopyDamage()
    /// The last results, by the numbers of tiles; `nil` is the whole picture.
    private var scenes: [Int?: InspectionScene] = [:]
    private var lastFired: (name: String, time: Double)?
    /// The seconds for which a fired gesture is shown.
    private static let firedInterval = 2.0

    /// Creates the output as a temporary file.
    ///
    /// - Parameters:
    ///   - interrupt: Ends the wait for a named pipe's reader.
    ///   - warn: Called for each part of the input that cannot be kept.
    /// - Throws: `MediaError`, ``FlourishError``.
    init(
        output: String, demuxer: Demuxer, pool: FramePool, configuration: Configuration, interrupt: InterruptFlag,
        warn: @escaping (String) -> Void
    ) throws {
        self.warn = warn
        self.configuration = configuration
        painter = try InspectionPainter(pool: pool, resources: configuration.resources ?? .located())
        let muxer = try Muxer(
            path: output, Muxer.Options(overwrite: configuration.overwrite), copying: demuxer, interrupt: interrupt)
        let encoder = VideoEncoder(
            settings: VideoEncoderSettings(configuration.encoding), source: demuxer.video,
            container: muxer.container, path: output, pool: pool)
        writer = VideoWriter(encoder: encoder, muxer: muxer)
        for skipped in muxer.skippedStreams { warn(skipped.warning.message) }
    }

    /// Writes a packet of another stream.
    func copy(_ packet: consuming Packet) throws {
        let stream = packet.streamIndex
        try writer.muxer.write(packet)
        warn(about: damage.add(writer.muxer.dequeueDamage(), stream: stream))
    }

    /// Records the result of an analysis, which is shown until the next one.
    func record(_ analysis: HandAnalyser.Analysis, _ inspection: FrameInspection) {
        scenes[inspection.tile?.id] = InspectionScene(analysis, inspection, configuration: configuration)
        if let fired = analysis.findings.fired.last {
            lastFired = (configuration.reactionType(for: fired.gesture.name).rawValue, inspection.time)
        }
    }

    /// Discards the results of tiles that are no longer shown.
    ///
    /// - Parameter parts: The numbers of the current tiles; `nil` is the whole picture.
    func keep(_ parts: [Int?]) { scenes = scenes.filter { parts.contains($0.key) } }

    /// Draws on a frame and writes it.
    func write(_ item: consuming PipelineFrame) throws {
        let (time, index) = (item.time, item.plan.id)
        if let fired = lastFired, time - fired.time > Self.firedInterval { lastFired = nil }
        let caption = InspectionCaption(
            clock: "\(InspectionText.clock(time))   frame \(index)",
            fired: lastFired.map { "\($0.name) fired at \(InspectionText.clock($0.time))" })
        var frame = item.takeFrame()
        let shown = scenes.sorted { ($0.key ?? 0) < ($1.key ?? 0) }.map(\.value)
        try painter.draw(shown, caption, on: &frame)
        try writer.write(frame)
        for adjustment in writer.encoder.dequeueAdjustments() { warn(adjustment.warning.message) }
    }

    /// Writes the remaining packets and moves the file to its place.
    ///
    /// - Parameter isPart: Whether the file's name marks the file as a part of the video.
    /// - Returns: The name.
    func finish(asPart isPart: Bool) throws -> String {
        try writer.finish()
        try writer.muxer.flush()
        warn(about: damage.finish(writer.muxer.dequeueDamage()))
        try writer.muxer.complete()
        warn(about: [writer.muxer.lossWarning()].compactMap(\.self))
        return try writer.muxer.finish(asPart: isPart)
    }

    private func warn(about warnings: [PipelineWarning]) {
        for warning in warnings { warn(warning.message) }
    }
}
