import MediaIO
import Platform
import Reactions

/// The route that a run takes from its input to its output, and the reason for it.
///
/// ``choose(_:)`` is a pure function of ``Facts``: the requested settings, and the results of probing the input.
package struct RunRoute: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Each frame is drawn and encoded as it arrives, in parallel with the analysis.
        case live
        /// Frames are analysed, drawn on and encoded in one pass.
        case singlePass
        /// An analysis pass finds all reactions; then all frames are encoded.
        case analyseThenEncode
        /// The frames with effects are encoded once all reactions are known, and all others are copied.
        case smart
        /// Once all reactions are known, only frames with effects are decoded, and only the effects are written.
        case overlay
    }

    /// The method by which the reactions become known before the output is written.
    enum Preparation: String, Sendable, Hashable {
        /// The reactions become known only while the output is written.
        case none
        /// An analysis pass finds the reactions, and indexes packets.
        case analysis
        /// The reactions are known; packets are indexed.
        case index
        /// The reactions are known and are photographed; packets are indexed.
        case indexAndPhotographs
    }

    var kind: Kind
    var preparation = Preparation.none
    /// The reason why frames without effects are encoded rather than copied; nil if they are copied, or if copying was
    /// not an option.
    var reason: SmartRenderUnavailable?

    /// Chooses the route of a run that writes a video.
    static func choose(_ facts: Facts) -> RunRoute {
        switch facts.output {
        case .overlay, .pictures:
            if facts.secondPassUnavailable != nil { return RunRoute(kind: .singlePass) }
            let analyses = facts.findsGestures || facts.findsTiles
            return RunRoute(kind: .overlay, preparation: analyses ? .analysis : .index)
        case .video:
            // A single pass writes the output from the beginning, so a stopped run keeps its part.
            if facts.preference == .never { return RunRoute(kind: facts.onePass) }
            if let unavailable = facts.copyingUnavailable { return whole(facts, because: unavailable) }
            return RunRoute(kind: .smart, preparation: facts.preparation)
        }
    }

    /// The route on which all frames are encoded. If possible, reactions are found as for smart rendering, so that they
    /// do not depend on the route.
    static func whole(_ facts: Facts, because reason: SmartRenderUnavailable) -> RunRoute {
        let analyses = facts.findsGestures && facts.outputIsFile && facts.secondPassUnavailable == nil
        return analyses
            ? RunRoute(kind: .analyseThenEncode, preparation: .analysis, reason: reason)
            : RunRoute(kind: facts.onePass, reason: reason)
    }

    /// One line that describes the route and its reason.
    package var explanation: String {
        let route =
            switch kind {
            case .live: "live: each frame is encoded as it arrives"
            case .singlePass: "single pass: all frames are encoded"
            case .analyseThenEncode: "analysis pass, then all frames are encoded"
            case .smart: "smart rendering: frames with effects are encoded, all others are copied"
            case .overlay: "overlay: only frames with effects are decoded"
            }
        return reason.map { "\(route), since \($0)" } ?? route
    }
}

extension RunRoute {
    /// The inputs to the choice of a route.
    struct Facts: Sendable, Hashable {
        var isLive = false
        /// True if clients may control the run.
        var isSteered = false
        /// Boolean values that indicate whether input and output are files, which can be read again.
        var inputIsFile = true
        var outputIsFile = true
        var photographsEffects = false
        var measuresLatency = false
        /// True if rings beside hands are drawn while the gestures are still unknown.
        var drawsHoldRings = false
        var output = OutputKind.video
        var preference = SmartRender.auto
        /// The option of a video effect, which changes all frames; `nil` if none is on.
        var videoEffect: String?
        /// The option that requires encoding all frames.
        var encoderOption: String?
        /// True if gestures must still be detected: there is no plan, and recognition is enabled.
        var findsGestures = true
        var hasPlan = false
        /// True if tiles must still be detected, because reactions have a place.
        var findsTiles = false
        /// True if reactions that are known in advance are photographed.
        var photographsSchedule = false
        /// The reason, according to the headers, why the input's video cannot be copied to the output; `nil` if there
        /// is none, and before probing.
        var probedUnavailable: SmartRenderUnavailable?

        /// The reason why the effects cannot be known before the output is written.
        var secondPassUnavailable: SmartRenderUnavailable? {
            if isLive { return SmartRenderUnavailable("a live run processes frames as they arrive") }
            if isSteered { return SmartRenderUnavailable("--control and --panel can change the run") }
            if !inputIsFile { return SmartRenderUnavailable("the input is not a file that can be read twice") }
            if photographsEffects {
                return SmartRenderUnavailable("photographs with effects require all frames to be drawn")
            }
            if drawsHoldRings { return SmartRenderUnavailable("--hold-ring output draws while gestures are held") }
            if measuresLatency { return SmartRenderUnavailable("--stats measures every frame") }
            return nil
        }

        /// The route with a single pass.
        var onePass: Kind { isLive ? .live : .singlePass }

        /// The preparation for copying frames. Photographs of reactions need an analysis pass, too, because most frames
        /// are not decoded otherwise. Photographs of a plan are captured in a separate pass.
        var preparation: Preparation {
            if findsGestures || findsTiles || photographsSchedule && !hasPlan { return .analysis }
            return photographsSchedule ? .indexAndPhotographs : .index
        }

        var copyingUnavailable: SmartRenderUnavailable? {
            if let unavailable = secondPassUnavailable { return unavailable }
            if !outputIsFile { return SmartRenderUnavailable("the output is not a file") }
            if let videoEffect { return SmartRenderUnavailable("\(videoEffect) changes all frames") }
            if let encoderOption { return SmartRenderUnavailable("\(encoderOption) applies to the whole video") }
            return probedUnavailable
        }
    }
}

extension RunRoute.Facts {
    /// Reads the facts from a request.
    init(_ request: PipelineRequest) {
        let configuration = request.configuration
        isLive = configuration.isLive
        isSteered = configuration.isSteered
        inputIsFile = RecordedFile.size(of: request.input) != nil
        outputIsFile = request.writesFile
        photographsEffects = configuration.photos.map { $0.content != .clean } ?? false
        measuresLatency = configuration.measuresLatency
        output = request.outputKind ?? .video
        preference = configuration.encoding.smartRender
        encoderOption = configuration.encoding.optionForAllFrames
        let effects = configuration.videoEffects
        videoEffect = effects.portrait > 0 ? "--portrait" : effects.studioLight > 0 ? "--studio-light" : nil
        hasPlan = request.plan != nil
        findsGestures = !hasPlan && configuration.gesturesEnabled
        drawsHoldRings = findsGestures && configuration.holdRing == .output
        findsTiles = request.findsTiles
        photographsSchedule = configuration.photos?.folder != nil && !request.schedule.isEmpty
    }

    /// Adds the information from the headers of the input and the output's container.
    mutating func probe(_ demuxer: Demuxer, container: ContainerFormat) {
        probedUnavailable = Self.incompatibility(copying: demuxer, into: container)
    }

    /// Returns the reason why the video's packets cannot be copied into a container; `nil` if they can.
    private static func incompatibility(copying demuxer: Demuxer, into container: ContainerFormat)
        -> SmartRenderUnavailable?
    {
        // A copy from AVI to AVI needs no presentation time stamps.
        if demuxer.formatName == "avi", container != .avi {
            return SmartRenderUnavailable("AVI has no presentation time stamps")
        }
        if demuxer.isStillImage { return SmartRenderUnavailable("the input is a single image") }
        if !container.keepsExactTimes, demuxer.formatName != container.rawValue {
            return SmartRenderUnavailable("\(container.displayName) does not keep exact time stamps")
        }
        return Muxer.incompatibility(copyingVideoOf: demuxer, into: container).map { SmartRenderUnavailable($0) }
    }
}

extension EncodingOptions {
    /// The option that requires encoding all frames, by its name on the command line; `nil` if there is none.
    package var optionForAllFrames: String? {
        let options = [
            ("--codec", namesCodec), ("--crf", crf != nil), ("--bitrate", bitrate != nil),
            ("--max-frame-qp", maxFrameQP != nil), ("--preset", preset != nil), ("--pixel-format", pixelFormat != nil),
        ]
        return options.first(where: \.1)?.0
    }
}
