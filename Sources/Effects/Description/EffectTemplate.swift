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

/// Fits a wide picture into descriptions that were made for square ones.
struct WideSprite {
    /// The key and the value by which emitters name the picture.
    let key: String
    let value: JSONValue
    let aspectRatio: Double

    /// The maximum width of a figure in heights of the frame. On portrait frames, sizes shrink with the width if it is
    /// below 0.8 of the height, so with room for overshoot a figure of this width fits every frame.
    private static let greatestWidth = 0.66

    /// Returns the emitters with smaller sprites, and with margins in which the widest figure is inside of the frame.
    func fit(_ emitters: [JSONValue]) -> [JSONValue] {
        let fitted = emitters.map(fit)
        let figures = fitted.compactMap(figureHeight)
        guard let height = figures.max() else { return fitted }
        // Parts of the figure, such as sparks around it, move with it.
        return fitted.map { emitter in
            guard case .object(var fields) = emitter, let inside = fields["inside"]?.number else { return emitter }
            fields["inside"] = .array(
                [max(inside, 0.6 * height * aspectRatio + 0.02), max(inside, 0.6 * height + 0.03)].map(rounded))
            return .object(fields)
        }
    }

    private func fit(_ emitter: JSONValue) -> JSONValue {
        guard case .object(var fields) = emitter else { return emitter }
        if fields[key] == value, let size = fields["size"] {
            if let height = figureHeight(emitter) {
                fields["size"] = rounded(min(height, Self.greatestWidth / aspectRatio))
                // The ends of a wide picture swing as far as those of a square one.
                for key in ["tilt", "swing", "lean"] {
                    fields[key] = fields[key].map { scaled($0, by: 1 / aspectRatio) }
                }
            } else {
                fields["size"] = scaled(size, by: 1 / aspectRatio.squareRoot())
            }
        }
        if case .array(let children)? = fields["children"] { fields["children"] = .array(children.map(fit)) }
        return .object(fields)
    }

    /// Returns the height of an emitter's only sprite; `nil` if it has several or none.
    private func figureHeight(_ emitter: JSONValue) -> Double? {
        guard case .object(let fields) = emitter, fields[key] == value, fields["count"]?.number == 1 else {
            return nil
        }
        return fields["size"]?.number
    }

    private func scaled(_ value: JSONValue, by factor: Double) -> JSONValue {
        switch value {
        case .array(let values): .array(values.map { scaled($0, by: factor) })
        case .object(let fields): .object(fields.mapValues { scaled($0, by: factor) })
        default: value.number.map { rounded($0 * factor) } ?? value
        }
    }

    private func rounded(_ number: Double) -> JSONValue { .number((number * 1000).rounded() / 1000) }
}
