package import MediaIO
import Platform
import Reactions

/// The route that a run takes from its input to its output, and the reason for it.
package enum RunRoute: Sendable, Hashable {
    /// Frames are analysed, drawn on and encoded in one pass; in a live run in parallel, as they arrive. There is no
    /// reason if copying was not an option.
    case onePass(isLive: Bool, because: SmartRenderUnavailable?)
    /// An analysis finds all reactions, as for smart rendering; then all frames are encoded.
    case analyseThenEncode(because: SmartRenderUnavailable)
    /// The frames with effects are encoded once all reactions are known, and all others are copied.
    case smart
    /// Once all reactions are known, only frames with effects are decoded, and only the effects are written.
    case overlay

    /// Chooses the route of a run that writes a video.
    ///
    /// - Parameter probed: The reason, according to the headers, why the input's video cannot be copied to the output;
    ///   `nil` if there is none, and before probing.
    init(_ pass: RunPass, probed: SmartRenderUnavailable? = nil) {
        switch pass.outputKind ?? .video {
        case .overlay, .pictures:
            let isSparse = pass.secondPassUnavailable == nil && pass.configuration.videoEffects.isOff
            self = isSparse ? .overlay : .onePass(pass)
        case .video:
            // A single pass writes the output from the beginning, so a stopped run keeps its part.
            if pass.configuration.encoding.smartRender == .never {
                self = .onePass(pass)
            } else if let unavailable = pass.copyingUnavailable ?? probed {
                self = .whole(pass, because: unavailable)
            } else {
                self = .smart
            }
        }
    }

    /// Returns the route on which all frames are encoded. If possible, reactions are found as for smart rendering, so
    /// that they do not depend on the route.
    static func whole(_ pass: RunPass, because reason: SmartRenderUnavailable) -> RunRoute {
        pass.findsGestures && pass.writesFile && pass.secondPassUnavailable == nil
            ? .analyseThenEncode(because: reason) : .onePass(pass, because: reason)
    }

    private static func onePass(_ pass: RunPass, because reason: SmartRenderUnavailable? = nil) -> RunRoute {
        .onePass(isLive: pass.configuration.isLive, because: reason)
    }

    /// The reason why frames without effects are encoded rather than copied; nil if they are copied, or if copying was
    /// not an option.
    var reason: SmartRenderUnavailable? {
        switch self {
        case .onePass(_, let reason): reason
        case .analyseThenEncode(let reason): reason
        case .smart, .overlay: nil
        }
    }

    /// One line that describes the route and its reason.
    package var explanation: String {
        let route =
            switch self {
            case .onePass(isLive: true, _): "live: each frame is encoded as it arrives"
            case .onePass: "single pass: all frames are encoded"
            case .analyseThenEncode: "analysis pass, then all frames are encoded"
            case .smart: "smart rendering: frames with effects are encoded, all others are copied"
            case .overlay: "overlay: only frames with effects are decoded"
            }
        return reason.map { "\(route), since \($0)" } ?? route
    }
}

/// The facts that determine the route.
extension RunPass {
    /// True if gestures must still be detected.
    var findsGestures: Bool { plan == nil && configuration.gesturesEnabled }

    /// True if an analysis must find the reactions or their places. Photographs of scheduled reactions need it, too,
    /// because most frames are not decoded otherwise.
    var needsAnalysis: Bool { findsGestures || findsTiles || plan == nil && photographsSchedule }

    /// True if reactions that are known in advance are photographed.
    var photographsSchedule: Bool { !photographedSchedule.isEmpty }

    /// True if the output is a file. For other outputs, such as a pipe, a reader waits.
    fileprivate var writesFile: Bool {
        guard let file = output.flatMap({ MediaAddress($0).filePath }) else { return false }
        return !TemporaryFile.isSpecial(file)
    }

    /// The reason why the effects cannot be known before the output is written.
    var secondPassUnavailable: SmartRenderUnavailable? {
        if configuration.isLive { return SmartRenderUnavailable("a live run processes frames as they arrive") }
        if configuration.isSteered { return SmartRenderUnavailable("--control and --panel can change the run") }
        if RecordedFile.size(of: input) == nil {
            return SmartRenderUnavailable("the input is not a file that can be read twice")
        }
        if let photos = configuration.photos, photos.content != .clean {
            return SmartRenderUnavailable("photographs with effects require all frames to be drawn")
        }
        if configuration.photos != nil, configuration.videoEffects.autoFraming > 0 {
            return SmartRenderUnavailable("photographs show what --auto-framing shows, which requires all frames")
        }
        if findsGestures, configuration.holdRing == .output {
            return SmartRenderUnavailable("--hold-ring output draws while gestures are held")
        }
        if configuration.measuresLatency { return SmartRenderUnavailable("--stats measures every frame") }
        return nil
    }

    /// The reason why the caller's request rules out copying frames; `nil` if it does not.
    fileprivate var copyingUnavailable: SmartRenderUnavailable? {
        if let unavailable = secondPassUnavailable { return unavailable }
        if !writesFile { return SmartRenderUnavailable("the output is not a file") }
        let effects = configuration.videoEffects
        if effects.background.replaces { return SmartRenderUnavailable("--background changes all frames") }
        if effects.portrait > 0 { return SmartRenderUnavailable("--portrait changes all frames") }
        if effects.studioLight > 0 { return SmartRenderUnavailable("--studio-light changes all frames") }
        if effects.autoFraming > 0 { return SmartRenderUnavailable("--auto-framing changes all frames") }
        return configuration.encoding.optionForAllFrames.map {
            SmartRenderUnavailable("\($0) applies to the whole video")
        }
    }

    /// Returns the reason, according to the headers, why the video's packets cannot be copied to the output; `nil` if
    /// they can.
    ///
    /// - Throws: `MediaError` if the output's container is unknown.
    func incompatibility(copying demuxer: Demuxer) throws(MediaError) -> SmartRenderUnavailable? {
        let container = try ContainerFormat.chosen(configuration, path: output ?? "")
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
