import MediaIO
import Platform
import Reactions

/// The output of a pass: a video, an overlay as video or pictures, or events alone.
///
/// The differences between kinds of output are decided here, when the output is opened.
struct RunOutput: Sendable {
    /// Encodes and muxes a video; nil where pictures or nothing are written.
    let writer: VideoWriter?
    /// Writes the pictures of an overlay.
    let pictures: PictureSequence?
    let drawing: ReactionEngine.Setup.Drawing
    /// A Boolean value that indicates whether the input's other streams are copied.
    let copiesOtherStreams: Bool
    /// A Boolean value that indicates whether an overlay has a frame at each of the video's times, since its reader
    /// counts frames; nil where no overlay is written.
    let keepsAllGaps: Bool?

    /// Opens the output of a request.
    ///
    /// - Throws: `MediaError`, as opening a `Muxer` and a `VideoEncoder` do.
    init(
        _ request: PipelineRequest, _ demuxer: Demuxer, _ pool: FramePool, _ control: SessionControl
    ) throws(MediaError) {
        let configuration = request.configuration
        guard let path = request.output else {
            (writer, pictures, drawing, copiesOtherStreams, keepsAllGaps) = (nil, nil, .none, false, nil)
            return
        }
        guard configuration.writesOverlay else {
            writer = try Self.video(path, demuxer, configuration, pool, control)
            (pictures, drawing, copiesOtherStreams, keepsAllGaps) = (nil, .onFrames, true, nil)
            return
        }
        pictures = PictureSequence(path, overwrite: configuration.overwrite)
        writer = pictures == nil ? try Self.overlay(path, demuxer, configuration, pool, control) : nil
        (drawing, copiesOtherStreams) = (.alone, false)
        let isStream = configuration.isLive || writer?.encoder.settings.transparency == .raw
        keepsAllGaps = isStream && pictures == nil
    }

    private static func video(
        _ path: String, _ demuxer: Demuxer, _ configuration: Configuration, _ pool: FramePool, _ control: SessionControl
    ) throws(MediaError) -> VideoWriter {
        var settings = VideoEncoderSettings(configuration)
        let muxer = try Muxer(
            path: path, overwrite: configuration.overwrite,
            format: try ContainerFormat(configuration, path: path), timeout: configuration.input.timeout,
            isLive: settings.isLowLatency || configuration.isPreview, copying: demuxer,
            opensWithPictures: configuration.isPreview, memory: control.memory, interrupt: control.interrupt)
        if settings.isLowLatency, settings.preset == nil, [.h264, .hevc].contains(settings.codec) {
            settings.preset = LivePreset.name(demuxer.video)
        }
        // Cameras send 4:2:2 since it is little work; few players show it.
        if case .videoDevice = MediaAddress(demuxer.path), settings.pixelFormat == nil {
            settings.pixelFormat = "yuv420p"
        }
        let encoder = VideoEncoder(
            settings: settings, source: demuxer.video, container: muxer.container, path: path, pool: pool)
        return VideoWriter(encoder: encoder, muxer: muxer)
    }

    /// Opens a video of effects alone, which has no other stream.
    private static func overlay(
        _ path: String, _ demuxer: Demuxer, _ configuration: Configuration, _ pool: FramePool, _ control: SessionControl
    ) throws(MediaError) -> VideoWriter {
        var settings = VideoEncoderSettings()
        settings.isLowLatency = configuration.isLive
        let muxer = try Muxer(
            path: path, overwrite: configuration.overwrite,
            format: try ContainerFormat(configuration, path: path), timeout: configuration.input.timeout,
            isLive: settings.isLowLatency, roundsTimesDown: true, memory: control.memory, interrupt: control.interrupt)
        settings.transparency = try TransparentCoding(for: path, in: muxer.container)
        var video = demuxer.video
        video.index = 0
        let encoder = VideoEncoder(
            settings: settings, source: video, container: muxer.container, path: path, pool: pool)
        return VideoWriter(encoder: encoder, muxer: muxer)
    }
}

/// The parts that only a live run has.
struct LiveParts: Sendable {
    /// Decides what to omit where the machine is too slow.
    let quality = LiveQuality()
    /// Finds gestures beside the frames' way; nil where they are off.
    let analysis: LiveAnalysis?

    init?(_ configuration: Configuration) {
        guard configuration.isLive else { return nil }
        analysis = configuration.gesturesEnabled ? LiveAnalysis() : nil
    }
}

/// The files that runs of this process are still writing.
package enum UnfinishedOutputs {
    /// Removes them all, for a process that is about to end at once.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package static func remove() -> Bool { TemporaryFile.removeAll() }
}
