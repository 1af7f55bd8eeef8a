import MediaIO
import Platform
import Reactions

/// The output of a pass: a video, an overlay as video or pictures, or only events.
///
/// The differences between kinds of output are decided here, when the output is opened.
package struct RunOutput: Sendable {
    /// A kind of output.
    package enum Kind: Sendable, Hashable {
        /// The video with its effects.
        case video
        /// Only the effects, as a video with transparency.
        case overlay
        /// Only the effects, as a picture for each frame.
        case pictures

        /// - Parameter path: The output's path; for a sequence of pictures, a pattern.
        package init(_ configuration: Configuration, path: String = "") {
            self = !configuration.writesOverlay ? .video : PictureSequence.isPattern(path) ? .pictures : .overlay
        }
    }

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

    /// Opens the output of a pass.
    ///
    /// - Throws: `MediaError`, as opening a `Muxer` and a `VideoEncoder` do.
    init(
        _ pass: RunPass, _ demuxer: Demuxer, _ pool: FramePool, _ control: SessionControl
    ) throws(MediaError) {
        let configuration = pass.configuration
        let path = pass.output ?? ""
        switch pass.outputKind {
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

/// The files that runs of this process are still writing.
package enum UnfinishedOutputs {
    /// Removes all temporary files, for a process that is about to end.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package static func remove() -> Bool { TemporaryFile.removeAll() }
}
