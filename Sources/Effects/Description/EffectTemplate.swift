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

    /// Returns the JSON of an effect in which a sprite replaces the pieces of another effect.
    ///
    /// - Parameters:
    ///   - json: The other effect's description.
    ///   - file: Its name in errors.
    /// - Throws: ``EffectError`` if the effect has no pieces that a sprite can replace.
    package static func text(
        named name: String, sprite: String, from json: [UInt8], file: String
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
        effect["about"] = .text("Like \(model), with the sprite \(sprite).")
        effect["icon"] = .object(["sprite": .text(sprite)])
        effect["emitters"] = .array(emitters.map { replacing(replaced, by: sprite, in: $0) })
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

    private static func replacing(_ shapes: Set<String>, by sprite: String, in emitter: JSONValue) -> JSONValue {
        guard case .object(var fields) = emitter else { return emitter }
        if case .text(let shape)? = fields["shape"], shapes.contains(shape) {
            (fields["shape"], fields["sprite"]) = (.text("sprite"), .text(sprite))
            for key in ownKeys { fields[key] = nil }
        }
        if case .array(let children)? = fields["children"] {
            fields["children"] = .array(children.map { replacing(shapes, by: sprite, in: $0) })
        }
        return .object(fields)
    }
}
