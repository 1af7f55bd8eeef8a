package import Reactions

/// Makes the description of a custom effect from another effect's.
package enum EffectTemplate {
    /// The order of an effect's keys in the text.
    private static let order = [
        "type", "about", "duration", "entrance", "exit", "place", "complexity", "icon", "name", "layer", "shape",
        "sprite",
    ]
    /// The shapes that sprites replace in an effect without sprites.
    private static let pieces: Set<String> = ["paper", "coin"]
    /// The keys that concern the replaced pieces' colours and proportions; a picture has its own.
    private static let ownKeys = ["colours", "inheritColour", "heat", "aspect"]

    /// The replacement of the pieces of the other effect.
    package enum Content: Sendable, Hashable {
        /// A sprite's name.
        case sprite(String)
        case text(String)

        fileprivate var field: (key: String, value: JSONValue) {
            switch self {
            case .sprite(let name): ("sprite", .text(name))
            case .text(let text): ("text", .text(text))
            }
        }
    }

    /// Returns the JSON of an effect in which a sprite or a text replaces the pieces of another effect.
    ///
    /// - Parameters:
    ///   - aspectRatio: The width of the sprite's picture over its height. A wide picture is shown smaller, and further
    ///     from the frame's edges.
    ///   - json: The other effect's description.
    ///   - file: Its name in errors.
    /// - Throws: ``EffectError`` if the effect has no pieces that a sprite can replace.
    package static func text(
        named name: String, showing content: Content, aspectRatio: Double = 1, from json: [UInt8], file: String
    ) throws(EffectError) -> String {
        guard case .object(var effect) = try EffectFile.decode(JSONValue.self, from: json, file: file),
            case .array(let emitters)? = effect["emitters"], case .text(let model)? = effect["type"]
        else { throw EffectError(file: file, message: "not a description of an effect") }
        let hasSprites = emitters.contains { uses(["sprite"], $0) }
        let replaced = hasSprites ? ["sprite"] : pieces
        guard hasSprites || emitters.contains(where: { uses(pieces, $0) }) else {
            throw EffectError(
                file: file, message: "\(model) has no pieces that a sprite can replace; choose another effect")
        }
        effect["type"] = .text(name)
        let (key, value) = content.field
        if case .text(let shown) = value { effect["about"] = .text("Like \(model), with the \(key) \(shown).") }
        effect["icon"] = .object([key: value])
        var changed = emitters.map { replacing(replaced, by: content, in: $0) }
        if aspectRatio > 1 { changed = WideSprite(key: key, value: value, aspectRatio: aspectRatio).fit(changed) }
        effect["emitters"] = .array(changed)
        // The palette names colours of the replaced pieces, and the bits were measured with them.
        for key in ["palette", "addedBits", "piecesBits"] { effect[key] = nil }
        return JSONValue.object(effect).text(order: order)
    }

    private static func uses(_ shapes: Set<String>, _ emitter: JSONValue) -> Bool {
        guard case .object(let fields) = emitter else { return false }
        if case .text(let shape)? = fields["shape"], shapes.contains(shape) { return true }
        guard case .array(let children)? = fields["children"] else { return false }
        return children.contains { uses(shapes, $0) }
    }

    private static func replacing(_ shapes: Set<String>, by content: Content, in emitter: JSONValue) -> JSONValue {
        guard case .object(var fields) = emitter else { return emitter }
        if case .text(let shape)? = fields["shape"], shapes.contains(shape) {
            (fields["shape"], fields["sprite"]) = (.text("sprite"), nil)
            fields[content.field.key] = content.field.value
            for key in ownKeys { fields[key] = nil }
        }
        if case .array(let children)? = fields["children"] {
            fields["children"] = .array(children.map { replacing(shapes, by: content, in: $0) })
        }
        return .object(fields)
    }
}
