import Effects

/// The effects that are installed, as the library's types.
struct EffectCatalog: Sendable {
    let library: EffectLibrary
    /// The types that can be shown: the built-in ones in their order, then others by name.
    let types: [ReactionType]

    /// Reads all effect descriptions.
    ///
    /// - Throws: ``FlourishError/Code/unavailable`` where there are none or one is wrong.
    init(resources: Resources) throws(FlourishError) {
        guard let assets = resources.assets else {
            throw FlourishError(
                .unavailable,
                "the effect descriptions (Assets/Reactions) are not installed; run Scripts/install, or set FLOURISH_ASSETS")
        }
        do {
            library = try EffectLibrary(assets: assets)
        } catch {
            throw FlourishError(.unavailable, error.description)
        }
        let found = library.descriptions.keys.map(ReactionType.init)
        types = ReactionType.builtIn.filter(found.contains)
            + found.filter { !ReactionType.builtIn.contains($0) }.sorted { $0.rawValue < $1.rawValue }
    }

    /// How long each type lasts and where it starts unless told otherwise.
    var presets: [ReactionType: EffectTimeline.Preset] {
        var presets: [ReactionType: EffectTimeline.Preset] = [:]
        for type in types {
            guard let description = library.descriptions[type.rawValue] else { continue }
            presets[type] = EffectTimeline.Preset(
                duration: description.duration,
                origin: PicturePoint(x: description.place.x, y: description.place.y))
        }
        return presets
    }

    /// The types that can be shown; none where no descriptions are installed.
    static func availableTypes(in resources: Resources) -> [ReactionType] {
        (try? EffectCatalog(resources: resources))?.types ?? []
    }

    /// Checks that all of these types can be shown.
    /// - Throws: ``FlourishError/Code/usage`` for the first that cannot.
    static func check(_ types: [ReactionType], in resources: Resources) throws(FlourishError) {
        guard !types.isEmpty else { return }
        let available = try EffectCatalog(resources: resources).types
        for type in types where !available.contains(type) {
            throw unknown(type, among: available)
        }
    }

    /// The error for a type that cannot be shown.
    static func unknown(_ type: ReactionType, among available: [ReactionType]) -> FlourishError {
        let known = available.map(\.rawValue).joined(separator: ", ")
        return FlourishError(.usage, "there is no reaction \(type); choose one of \(known)")
    }
}
