/// All targets, by name.
package enum FuzzTargets {
    /// The names, in the sequence of a campaign: media last, which takes longest.
    package static let names = [
        "effect", "sprite", "pack", "sound", "palette", "gestures", "weights", "puppet", "configuration", "plan",
        "patch", "markers", "meeting",
        "control", "request", "sei", "negative", "media",
    ]

    /// - Parameters:
    ///   - scratch: a folder that the target may fill and empty.
    ///   - assets: those of the repository.
    ///   - seeds: small valid media.
    package static func open(
        _ name: String, scratch: String, assets: String, seeds: String
    ) async throws -> (any FuzzTarget)? {
        let folder = try FuzzFolder(scratch)
        return switch name {
        case "effect": EffectTarget(folder: folder, assets: assets, changesSprite: false)
        case "sprite": EffectTarget(folder: folder, assets: assets, changesSprite: true)
        case "pack": try PackTarget(folder: folder, assets: assets)
        case "sound": SoundTarget(folder: folder, seedFolder: seeds)
        case "palette": PaletteTarget(folder: folder)
        case "gestures": GestureSetTarget(folder: folder)
        case "weights": WeightsTarget(assets: assets)
        case "puppet": PuppetTarget(folder: folder, assets: assets)
        case "configuration": ConfigurationTarget(folder: folder)
        case "plan": PlanTarget()
        case "patch": PatchTarget()
        case "markers": MarkersTarget()
        case "meeting": MeetingTarget()
        case "control": ControlTarget(assets: assets)
        case "request": try await RequestTarget(assets: assets)
        case "sei": MessageTarget()
        case "negative": DeferredPhotoTarget(folder: folder)
        case "media": MediaTarget(folder: folder, seedFolder: seeds)
        default: nil
        }
    }
}
