import ArgumentParser
import Flourish

/// Which photographs a run takes.
struct PhotographOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Take a photograph of each reaction that a gesture triggers, at the best instant of its hold, into this folder.",
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

    func validate() throws {
        let given = [
            ("--photo-quality", photoQuality != nil), ("--photo-type", photoType != nil), ("--photo-clean", photoClean),
            ("--photo-with-effects", photoWithEffects),
        ]
        if photos == nil, let option = given.first(where: \.1)?.0 {
            throw ValidationError("\(option) goes with --photos")
        }
    }

    func apply(to configuration: inout Configuration) {
        guard let photos else { return }
        var options = PhotoOptions(folder: photos)
        if let photoQuality { options.photoQualityPrioritization = photoQuality }
        if let photoType { options.processedFileType = photoType }
        options.content = photoWithEffects ? photoClean ? .both : .withEffects : .clean
        options.photoSettingsForSceneMonitoring = PhotoSettings(
            options.processedFileType, photoQualityPrioritization: options.photoQualityPrioritization)
        configuration.photos = options
    }
}
