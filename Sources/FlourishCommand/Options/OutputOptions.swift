import ArgumentParser
import Flourish

/// How outputs are treated.
struct OutputOptions: SettingArguments {
    @Flag(setting: "output.overwrite")
    var overwrite: Bool?

    var values: KeyValuePairs<String, SettingValue?> { ["output.overwrite": overwrite.map { .flag($0) }] }
}

/// How the output is handed on.
struct StreamOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The output's container: nut, matroska, mpegts, yuv4mpegpipe, rawvideo, flv, mp4 …; by default what its name says, and nut for -.",
            valueName: "name"), completion: .list(Choices.outputFormats))
    var outputFormat: String?

    @Flag(
        help:
            "Give the output of a recording that is stopped before its end its own name all the same, instead of out.partial.mp4 for out.mp4."
    )
    var keepPartial = false

    func apply(to configuration: inout Configuration) {
        configuration.outputFormat = outputFormat
        configuration.keepsPartialOutput = keepPartial
    }
}

/// What is told beside the picture.
struct MetadataOptions: ParsableArguments {
    @Flag(help: "Write into the H.264 or HEVC video which effects are in progress; flourish watch reads it.")
    var embedMetadata = false

    @Option(
        help: ArgumentHelp(
            "Write there, as WebVTT metadata cues, which effects are in progress.", valueName: "file.vtt"),
        completion: .file(extensions: ["vtt"]))
    var sidecar: String?

    func apply(to configuration: inout Configuration) {
        configuration.embedsMetadata = embedMetadata
    }
}

/// Whether effects are written without the video.
struct OverlayOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Write the effects alone, transparent elsewhere: VP9 in .webm, ProRes 4444 in .mov, FFV1 in .mkv, PNG pictures for effects-%05d.png, RGBA in a pipe (NUT, or --output-format rawvideo)."
        ))
    var overlay = false

    /// - Parameter idle: options that mean nothing to an overlay, and whether each was given.
    func apply(to configuration: inout Configuration, idle: [(String, Bool)]) throws(FlourishError) {
        guard overlay else { return }
        if let option = idle.first(where: \.1)?.0 {
            throw FlourishError(
                .usage, "\(option) and --overlay exclude each other: the output's name says how an overlay is coded")
        }
        configuration.writesOverlay = true
    }
}

/// Which photographs a run takes.
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

    /// - Throws: `ValidationError` for options that matter to photographs of quality alone, where none is taken.
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

/// What shells offer for options that take more than that.
enum Choices {
    /// Those of x264 and x265; the other encoders' are numbers.
    static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]
    static let pixelFormats = ["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "nv12"]
    static let inputFormats = ["nut", "matroska", "mpegts", "flv", "yuv4mpegpipe", "rawvideo", "mp4"]
    static let outputFormats = ["nut", "matroska", "mpegts", "flv", "yuv4mpegpipe", "rawvideo", "webm", "mp4", "mov"]
}
