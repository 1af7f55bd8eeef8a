import MediaIO
import Platform
import Reactions

/// The output of a pass: a video, an overlay as video or pictures, or only events.
///
/// The differences between kinds of output are decided here, when the output is opened.
struct RunOutput: Sendable {
    /// Encodes and muxes a video; nil if pictures or nothing are written.
    let writer: VideoWriter?
    /// Writes the pictures of an overlay.
    let pictures: PictureSequence?
    let drawing: ReactionEngine.Setup.Drawing
    /// True if the input's other streams are copied.
    let copiesOtherStreams: Bool
    /// True if an overlay has a frame at each of the video's times, because its reader counts frames; nil if no overlay
    /// is written.
    let keepsAllGaps: Bool?

    /// Opens the output of a request.
    ///
    /// - Throws: `MediaError`, as opening a `Muxer` and a `VideoEncoder` do.
    init(
        _ request: PipelineRequest, _ demuxer: Demuxer, _ pool: FramePool, _ control: SessionControl
    ) throws(MediaError) {
        let configuration = request.configuration
        let path = request.output ?? ""
        switch request.outputKind {
        case nil:
            (writer, pictures, drawing, copiesOtherStreams, keepsAllGaps) = (nil, nil, .none, false, nil)
        case .video:
            writer = try Self.video(path, demuxer, configuration, pool, control)
            (pictures, drawing, copiesOtherStreams, keepsAllGaps) = (nil, .onFrames, true, nil)
        case .overlay:
            let overlay = try Self.overlay(path, demuxer, configuration, pool, control)
            let settings = overlay.encoder.settings
            writer = overlay
            (pictures, drawing, copiesOtherStreams) = (nil, .alone, false)
            keepsAllGaps = settings.isLowLatency || settings.transparency == .raw
        case .pictures:
            pictures = PictureSequence(path, overwrite: configuration.overwrite)
            (writer, drawing, copiesOtherStreams, keepsAllGaps) = (nil, .alone, false, false)
        }
    }

    /// Opens a video with effects, and copies of the input's other streams.
    private static func video(
        _ path: String, _ demuxer: Demuxer, _ configuration: Configuration, _ pool: FramePool, _ control: SessionControl
    ) throws(MediaError) -> VideoWriter {
        var settings = VideoEncoderSettings(configuration)
        var options = try Muxer.Options(configuration, path: path)
        options.isLive = settings.isLowLatency
        options.opensWithPictures = configuration.opensWithPictures
        let muxer = try Muxer(
            path: path, options, copying: demuxer, memory: control.memory, interrupt: control.interrupt)
        if settings.isLowLatency, settings.preset == nil, [.h264, .hevc].contains(settings.codec) {
            settings.preset = LivePreset.name(demuxer.video)
        }
        // Cameras send 4:2:2 because it needs little work, but few players can show it.
        if case .videoDevice = MediaAddress(demuxer.path), settings.pixelFormat == nil {
            settings.pixelFormat = "yuv420p"
        }
        let encoder = VideoEncoder(
            settings: settings, source: demuxer.video, container: muxer.container, path: path, pool: pool)
        return VideoWriter(encoder: encoder, muxer: muxer)
    }

    /// Opens a video of only effects, which has no other stream.
    private static func overlay(
        _ path: String, _ demuxer: Demuxer, _ configuration: Configuration, _ pool: FramePool, _ control: SessionControl
    ) throws(MediaError) -> VideoWriter {
        var settings = VideoEncoderSettings()
        settings.isLowLatency = configuration.isLive
        var options = try Muxer.Options(configuration, path: path)
        options.roundsTimesDown = true
        let muxer = try Muxer(path: path, options, memory: control.memory, interrupt: control.interrupt)
        settings.transparency = try TransparentCoding(for: path, in: muxer.container)
        var video = demuxer.video
        video.index = 0
        let encoder = VideoEncoder(
            settings: settings, source: video, container: muxer.container, path: path, pool: pool)
        return VideoWriter(encoder: encoder, muxer: muxer)
    }
}

/// The choices in which a live run differs from a run over a recording. They are made when the run is created.
struct RunPacing: Sendable {
    /// Decides what to omit on a slow machine; nil if frames wait for all work.
    let quality: LiveQuality?
    /// Detects gestures on a separate thread; nil if the pipeline's stages detect gestures, or if gestures are
    /// disabled.
    let analysis: LiveAnalysis?
    let photos: PhotoPolicy
    /// The time at which warnings about copied streams are emitted.
    let copyWarnings: EmissionTime
    /// True if the partial output of a run that ran out of memory is kept.
    let keepsIncompleteOutput: Bool
    /// True if deferred photographs are finished although the run was stopped.
    let finishesPhotosWhenStopped: Bool

    init(_ configuration: Configuration) {
        guard configuration.isLive else {
            (quality, analysis) = (nil, nil)
            (photos, copyWarnings, keepsIncompleteOutput, finishesPhotosWhenStopped) = (.recorded, .atEnd, false, false)
            return
        }
        quality = LiveQuality()
        analysis = configuration.gesturesEnabled ? LiveAnalysis() : nil
        (photos, copyWarnings, keepsIncompleteOutput, finishesPhotosWhenStopped) = (.live, .atOnce, true, true)
    }
}

/// The files that runs of this process are still writing.
package enum UnfinishedOutputs {
    /// Removes all temporary files, for a process that is about to end.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package static func remove() -> Bool { TemporaryFile.removeAll() }
}
