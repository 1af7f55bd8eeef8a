import ArgumentParser
import Flourish

/// The option that replaces existing outputs.
struct OutputOptions: SettingArguments {
    @Flag(setting: "output.overwrite")
    var overwrite: Bool?

    var values: [(name: String, value: SettingValue?)] { [("output.overwrite", overwrite.map { .flag($0) })] }
}

/// The options that choose how a run writes its output.
struct RunOutputOptions: ParsableArguments {
    @Flag(help: "Embed the effects in progress in the H.264 or HEVC video; flourish watch prints them.")
    var embedMetadata = false

    @Option(
        help: ArgumentHelp(
            "Write the effects in progress as WebVTT metadata cues to this file.", valueName: "file.vtt"),
        completion: .file(extensions: ["vtt"]))
    var sidecar: String?

    @Option(
        help: ArgumentHelp(
            "The output's container: nut, matroska, mpegts, yuv4mpegpipe, rawvideo, flv, mp4 …; by default that of its extension, and nut for -.",
            valueName: "name"), completion: .outputFormats)
    var outputFormat: String?

    @Flag(
        help:
            "Write the output of an interrupted run to out.mp4, instead of out.partial.mp4."
    )
    var keepPartial = false

    @OptionGroup var outputs: OutputOptions

    @Flag(
        help: ArgumentHelp(
            "Write only the effects, on a transparent background: VP9 in .webm, ProRes 4444 in .mov, FFV1 in .mkv, PNG images for effects-%05d.png, RGBA in a pipe (NUT, or --output-format rawvideo)."
        ))
    var overlay = false

    /// - Parameter coding: The options that have no effect on an overlay, each with a Boolean value that indicates
    ///   whether it is given.
    func apply(to configuration: inout Configuration, coding: [(String, Bool)]) throws(FlourishError) {
        configuration.embedsMetadata = embedMetadata
        configuration.outputFormat = outputFormat
        configuration.keepsPartialOutput = keepPartial
        guard overlay else { return }
        if let option = coding.first(where: \.1)?.0 {
            throw FlourishError(
                .usage,
                "\(option) and --overlay cannot be combined: the output's extension selects the codec of an overlay")
        }
        configuration.writesOverlay = true
    }
}

/// The options that choose the photographs of a run.
struct PhotographOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Save a photograph of each reaction in this folder: of the best frame during its gesture's hold, or of its start.",
            valueName: "folder"),
        completion: .directory)
    var photos: String?

    @Option(
        help: ArgumentHelp(
            "The trade-off between quality and processing time: speed, balanced or quality.", valueName: "quality"))
    var photoQuality: PhotoQualityPrioritization?

    @Option(help: ArgumentHelp("The file format: jpeg, png, webp or avif.", valueName: "type"))
    var photoType: PhotoFileType?

    @Flag(help: "Photograph the video without effects (the default).")
    var photoClean = false

    @Flag(help: "Photograph the video with its effects; with --photo-clean, both.")
    var photoWithEffects = false

    @Option(
        help: ArgumentHelp(
            "When to finish photographs of the highest quality, after a proxy is written: off (immediately, the default), idle (between requests, or at the end of the run), end (at the end of the run) or later (by flourish develop).",
            valueName: "when"))
    var photoDeferred: PhotoOptions.DeferredDelivery?

    @Flag(help: "Reduce quality to balanced for photographs in quick succession.")
    var fastCapture = false

    func validate() throws {
        let given = [
            ("--photo-quality", photoQuality != nil), ("--photo-type", photoType != nil), ("--photo-clean", photoClean),
            ("--photo-with-effects", photoWithEffects), ("--photo-deferred", photoDeferred != nil),
            ("--fast-capture", fastCapture),
        ]
        if photos == nil, let option = given.first(where: \.1)?.0 {
            throw ValidationError("\(option) requires --photos")
        }
    }

    /// Refuses options that affect only photographs of the highest quality, if the run takes no such photographs.
    ///
    /// - Throws: `ValidationError`.
    func refuseIdle() throws {
        guard photos != nil, photoQuality != .quality else { return }
        let idle = [("--photo-deferred", photoDeferred.map { $0 != .off } ?? false), ("--fast-capture", fastCapture)]
        if let option = idle.first(where: \.1)?.0 {
            throw ValidationError("\(option) requires --photo-quality quality")
        }
    }

    func apply(to configuration: inout Configuration) {
        guard let photos else { return }
        var options = PhotoOptions(folder: photos)
        if let photoQuality { options.photoQualityPrioritization = photoQuality }
        if let photoType { options.processedFileType = photoType }
        options.content = photoWithEffects ? photoClean ? .both : .withEffects : .clean
        if let photoDeferred { options.deferredPhotoDelivery = photoDeferred }
        options.isFastCapturePrioritizationEnabled = fastCapture
        options.photoSettingsForSceneMonitoring = PhotoSettings(
            options.processedFileType, photoQualityPrioritization: options.photoQualityPrioritization)
        configuration.photos = options
    }
}

// The containers that shells offer. FFmpeg supports more.
extension CompletionKind {
    static var inputFormats: CompletionKind { .list(Settings.streamFormats) }

    static var outputFormats: CompletionKind { .list(Settings.streamFormats) }
}
