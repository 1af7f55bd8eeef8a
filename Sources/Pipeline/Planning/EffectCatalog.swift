package import Effects
import Platform
import RateControl
package import Reactions

/// The available effects, installed and custom, by reaction type and in one style. Its creation reads the files of the
/// effects; afterwards it is a value.
package struct EffectCatalog: Sendable {
    /// The effects in the requested style.
    package private(set) var library: EffectLibrary
    /// The available types. Built-in types precede others, which are sorted by name.
    package private(set) var types: [ReactionType]
    /// The style of the effects.
    package private(set) var style: ReactionStyle
    /// The effects as their descriptions define them, without a style.
    private var plain: EffectLibrary

    /// Reads all effect descriptions.
    ///
    /// - Parameters:
    ///   - extra: The path of a description to add. Its type may already exist.
    ///   - named: Types that are to be shown. Those that show words are added.
    ///   - planned: The same of a plan, whose faults are those of a file.
    /// - Throws: ``FlourishError/Code/unavailable`` if there are no effects, or one is invalid;
    ///   ``FlourishError/Code/inputUnusable`` and ``FlourishError/Code/inputUnavailable`` for custom effects.
    package init(
        resources: Resources, style: ReactionStyle = ReactionStyle(), adding extra: String? = nil,
        naming named: [ReactionType] = [], planning planned: [ReactionType] = []
    ) throws(FlourishError) {
        guard let assets = resources.assets else {
            throw FlourishError(
                .unavailable,
                "the effect descriptions (Assets/Reactions) are not installed", remedy: .namingAssets)
        }
        var library: EffectLibrary
        do {
            library = try EffectLibrary(assets: assets)
        } catch {
            throw FlourishError(.unavailable, error.description)
        }
        do {
            for folder in resources.effectFolders { try library.add(folder: folder) }
            added = try extra.map { (file) throws(EffectError) in ReactionType(rawValue: try library.add(file: file)) }
        } catch {
            throw FlourishError(error)
        }
        try Self.add(wordsOf: named, to: &library, fault: .usage)
        try Self.add(wordsOf: planned, to: &library, fault: .inputUnusable)
        self.style = style
        plain = library
        self.library = library.styled(style.effectStyle)
        types = Self.types(in: library)
    }

    /// - Parameter fault: The code of the error for words that cannot be shown.
    private static func add(
        wordsOf types: [ReactionType], to library: inout EffectLibrary, fault: FlourishError.Code
    ) throws(FlourishError) {
        for type in types {
            do {
                try library.add(wordsOf: type)
            } catch {
                throw FlourishError(
                    error.isUnavailable ? .unavailable : fault, "\(type.rawValue.prefix(80)): \(error.description)")
            }
        }
    }

    private static func types(in library: EffectLibrary) -> [ReactionType] {
        let found = library.descriptions.keys.map(ReactionType.init)
        return ReactionType.builtIn.filter(found.contains)
            + found.filter { !ReactionType.builtIn.contains($0) }.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the effects with another one, whose description need not be in a file. Its type may already exist.
    ///
    /// - Parameter file: The path that errors name. The effect's sprites are in its folder.
    /// - Throws: `EffectError` for an invalid description or sprite.
    package func adding(_ json: [UInt8], file: String) throws(EffectError) -> EffectCatalog {
        var copy = self
        copy.added = ReactionType(rawValue: try copy.plain.add(json: json, file: file))
        copy.library = copy.plain.styled(style.effectStyle)
        copy.types = Self.types(in: copy.plain)
        return copy
    }

    /// Reads all effect descriptions for a valid configuration, and verifies that the configuration names only existing
    /// effects.
    ///
    /// - Parameter plan: The plan whose reactions are shown.
    /// - Throws: ``FlourishError`` of reading, and ``FlourishError/Code/usage``.
    package init(
        resources: Resources, checking configuration: Configuration, showing plan: ReactionPlan? = nil
    ) throws(FlourishError) {
        try self.init(
            resources: resources, style: configuration.style, naming: configuration.namedTypes,
            planning: plan?.shownTypes ?? [])
        try check(configuration.namedTypes)
        try configuration.ownGestures.check(types)
    }

    /// Returns the effects in another style.
    package func styled(_ style: ReactionStyle) -> EffectCatalog {
        var copy = self
        copy.style = style
        copy.library = plain.styled(style.effectStyle)
        return copy
    }

    /// Returns the effects with a share of their dimming of the room, 0…1, in every style.
    package func dimming(by share: Double) -> EffectCatalog {
        var copy = self
        copy.plain = plain.dimming(by: share)
        copy.library = copy.plain.styled(style.effectStyle)
        return copy
    }

    /// The type of the description that was added.
    package private(set) var added: ReactionType?

    /// The default duration and start of each type.
    package var presets: [ReactionType: EffectTimeline.Preset] {
        var presets: [ReactionType: EffectTimeline.Preset] = [:]
        for (index, type) in types.enumerated() {
            guard let description = library.descriptions[type.rawValue] else { continue }
            let place =
                style.isCalm
                ? Self.calmPlace(index) : PicturePoint(x: description.place.x, y: description.place.y)
            var preset = EffectTimeline.Preset(duration: description.duration, origin: place)
            // The cost of a small icon is negligible for an encoder.
            if !style.isCalm {
                preset.complexity = description.complexity
                preset.cost = EffectCost(description)?.thinned(to: style.effectStyle.pieces)
            }
            presets[type] = preset
        }
        return presets
    }

    /// Returns the place of the icon of a reaction without a gesture. It is in the upper right, away from faces. Icons
    /// of neighbours in the list do not cover each other.
    private static func calmPlace(_ index: Int) -> PicturePoint {
        PicturePoint(x: 0.84 - 0.09 * Double(index % 3), y: 0.24)
    }

    /// The sounds of the effects, by type.
    var sounds: [String: EffectSound] { plain.sounds }

    /// The types that can be shown; none if no descriptions are installed.
    package static func availableTypes(in resources: Resources) -> [ReactionType] {
        (try? EffectCatalog(resources: resources))?.types ?? []
    }

    /// Returns a hash of each custom effect among these types.
    package func hashes(of types: some Sequence<ReactionType>) -> [String: String] {
        let wanted = Set(types.map(\.rawValue))
        return plain.hashes.filter { wanted.contains($0.key) }
    }

    /// Verifies that all of these types can be shown.
    /// - Throws: ``FlourishError/Code/usage`` for the first type that cannot be shown.
    package func check(_ wanted: [ReactionType]) throws(FlourishError) {
        for type in wanted where !types.contains(type) { throw Self.unknown(type, among: types) }
    }

    /// The error for a type that cannot be shown.
    package static func unknown(_ type: ReactionType, among available: [ReactionType]) -> FlourishError {
        let known = available.map(\.rawValue)
        return FlourishError(
            .usage,
            "unknown reaction \(type); \(type.rawValue.suggestion(among: known))use one of \(known.joined(separator: ", "))"
        )
    }
}

extension EffectCost {
    /// Creates the cost that a description states; `nil` if it states none.
    fileprivate init?(_ description: EffectDescription) {
        guard let bits = description.addedBits else { return nil }
        self.init(bits: bits, piecesBits: description.piecesBits)
    }
}
