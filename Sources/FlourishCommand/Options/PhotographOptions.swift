import ArgumentParser
import Flourish

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
            "When to finish photographs of the highest quality, after a proxy is written: off (immediately, the default), idle (between requests, or at the end of the run), end (at the end of the run) or later (by flourish photo --develop).",
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
