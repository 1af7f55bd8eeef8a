/// All targets, by name.
package enum FuzzDoors {
    /// The names, in the sequence of a campaign: media last, which takes longest.
    package static let names = [
        "effect", "sprite", "palette", "gestures", "weights", "puppet", "configuration", "plan", "patch", "markers",
        "control", "request", "sei", "negative", "media",
    ]

    /// - Parameters:
    ///   - scratch: a folder that the target may fill and empty.
    ///   - assets: those of the repository.
    ///   - seeds: small valid media.
    package static func open(
        _ name: String, scratch: String, assets: String, seeds: String
    ) async throws -> (any FuzzDoor)? {
        let folder = try FuzzFolder(scratch)
        return switch name {
        case "effect": EffectDoor(folder: folder, assets: assets, changesSprite: false)
        case "sprite": EffectDoor(folder: folder, assets: assets, changesSprite: true)
        case "palette": PaletteDoor(folder: folder)
        case "gestures": GestureSetDoor(folder: folder)
        case "weights": WeightsDoor(assets: assets)
        case "puppet": PuppetDoor(folder: folder, assets: assets)
        case "configuration": ConfigurationDoor(folder: folder)
        case "plan": PlanDoor()
        case "patch": PatchDoor()
        case "markers": MarkersDoor()
        case "control": ControlDoor(assets: assets)
        case "request": try await RequestDoor(assets: assets)
        case "sei": MessageDoor()
        case "negative": NegativeDoor(folder: folder)
        case "media": MediaDoor(folder: folder, seedFolder: seeds)
        default: nil
        }
    }
}
