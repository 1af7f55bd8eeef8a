import Reactions

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
            guard case .object(var fields) = emitter, let inside = fields["inside"]?.decimal else { return emitter }
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
        guard case .object(let fields) = emitter, fields[key] == value, fields["count"]?.decimal == 1 else {
            return nil
        }
        return fields["size"]?.decimal
    }

    private func scaled(_ value: JSONValue, by factor: Double) -> JSONValue {
        switch value {
        case .array(let values): .array(values.map { scaled($0, by: factor) })
        case .object(let fields): .object(fields.mapValues { scaled($0, by: factor) })
        default: value.decimal.map { rounded($0 * factor) } ?? value
        }
    }

    private func rounded(_ number: Double) -> JSONValue { .number((number * 1000).rounded() / 1000) }
}

extension JSONValue {
    fileprivate var decimal: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }
}
