import ArgumentParser
import Flourish

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
