/// Reads the keys of one JSON object and insists that each key there is known.
struct EffectFields {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Key>
    private var known: [String] = []

    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Key.self)
    }

    mutating func optional<T: Decodable>(_ key: String, _ type: T.Type = T.self) throws -> T? {
        known.append(key)
        return try container.decodeIfPresent(T.self, forKey: Key(stringValue: key))
    }

    mutating func value<T: Decodable>(_ key: String, _ fallback: T) throws -> T {
        try optional(key) ?? fallback
    }

    mutating func required<T: Decodable>(_ key: String) throws -> T {
        known.append(key)
        return try container.decode(T.self, forKey: Key(stringValue: key))
    }

    /// A drawn number that must lie within `bounds` wherever it is drawn.
    mutating func number(_ key: String, _ fallback: Double, in bounds: ClosedRange<Double>) throws -> EffectValue {
        let drawn = try value(key, EffectValue.constant(fallback))
        try check(
            bounds.contains(drawn.least) && bounds.contains(drawn.greatest), key,
            "must lie between \(bounds.lowerBound) and \(bounds.upperBound)")
        return drawn
    }

    /// A plain number within `bounds`.
    mutating func plain(_ key: String, _ fallback: Double, in bounds: ClosedRange<Double>) throws -> Double {
        let number = try value(key, fallback)
        try check(
            bounds.contains(number), key, "must lie between \(bounds.lowerBound) and \(bounds.upperBound)")
        return number
    }

    func check(_ holds: Bool, _ key: String, _ message: String) throws {
        if !holds {
            throw DecodingError.dataCorruptedError(
                forKey: Key(stringValue: key), in: container, debugDescription: message)
        }
    }

    /// - Throws: if the object has a key that nobody asked for.
    func finish() throws {
        for key in container.allKeys.map(\.stringValue).sorted() where !known.contains(key) {
            throw DecodingError.dataCorruptedError(
                forKey: Key(stringValue: key), in: container, debugDescription: "unknown key")
        }
    }
}
