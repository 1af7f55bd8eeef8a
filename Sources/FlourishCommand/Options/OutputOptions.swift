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
    @Flag(help: "Write into the H.264 or HEVC video which effects are in progress; flourish watch reads it.")
    var embedMetadata = false

    @Option(
        help: ArgumentHelp(
            "Write there, as WebVTT metadata cues, which effects are in progress.", valueName: "file.vtt"),
        completion: .file(extensions: ["vtt"]))
    var sidecar: String?

    @Option(
        help: ArgumentHelp(
            "The output's container: nut, matroska, mpegts, yuv4mpegpipe, rawvideo, flv, mp4 …; by default what its name says, and nut for -.",
            valueName: "name"), completion: .outputFormats)
    var outputFormat: String?

    @Flag(
        help:
            "Give the output of a recording that is stopped before its end its own name all the same, instead of out.partial.mp4 for out.mp4."
    )
    var keepPartial = false

    @OptionGroup var outputs: OutputOptions

    @Flag(
        help: ArgumentHelp(
            "Write the effects alone, transparent elsewhere: VP9 in .webm, ProRes 4444 in .mov, FFV1 in .mkv, PNG pictures for effects-%05d.png, RGBA in a pipe (NUT, or --output-format rawvideo)."
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
                .usage, "\(option) and --overlay exclude each other: the output's name says how an overlay is coded")
        }
        configuration.writesOverlay = true
    }
}

/// The options that choose the photographs of a run.
struct PhotographOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take a photograph of each reaction into this folder: at the best instant of the hold of its gesture, or as it begins.",
            valueName: "folder"),
        completion: .directory)
    var photos: String?

    @Option(
        help: ArgumentHelp("How much time a photograph may take: speed, balanced or quality.", valueName: "quality"))
    var photoQuality: PhotoQualityPrioritization?

    @Option(help: ArgumentHelp("The kind of file: jpeg, png, webp or avif.", valueName: "type"))
    var photoType: PhotoFileType?

    @Flag(help: "Photograph the video as it came; the default.")
    var photoClean = false

    @Flag(help: "Photograph it with its effects, once they have unfolded; with --photo-clean both.")
    var photoWithEffects = false

    @Option(
        help: ArgumentHelp(
            "Finish photographs of quality later, and write a proxy of each at once: off, the default; idle, while no other is asked for, or else at the run's end; end; or later, by flourish develop.",
            valueName: "when"))
    var photoDeferred: PhotoOptions.DeferredDelivery?

    @Flag(help: "Take balanced photographs instead of quality where they are asked for quickly one after another.")
    var fastCapture = false

    func validate() throws {
        let given = [
            ("--photo-quality", photoQuality != nil), ("--photo-type", photoType != nil), ("--photo-clean", photoClean),
            ("--photo-with-effects", photoWithEffects), ("--photo-deferred", photoDeferred != nil),
            ("--fast-capture", fastCapture),
        ]
        if photos == nil, let option = given.first(where: \.1)?.0 {
            throw ValidationError("\(option) goes with --photos")
        }
    }

    /// Refuses options that affect photographs of the highest quality alone, if the run takes none of its own.
    ///
    /// - Throws: `ValidationError`.
    func refuseIdle() throws {
        guard photos != nil, photoQuality != .quality else { return }
        let idle = [("--photo-deferred", photoDeferred.map { $0 != .off } ?? false), ("--fast-capture", fastCapture)]
        if let option = idle.first(where: \.1)?.0 {
            throw ValidationError("\(option) goes with --photo-quality quality")
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

// The containers that shells offer; FFmpeg has more.
extension CompletionKind {
    static var inputFormats: CompletionKind { .list(Settings.streamFormats) }

    static var outputFormats: CompletionKind { .list(Settings.streamFormats) }
}
