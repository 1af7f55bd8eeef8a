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

    /// Values over a life, each within `bounds`.
    mutating func steps(_ key: String, in bounds: ClosedRange<Double>) throws -> [Double] {
        let values: [Double] = try value(key, [])
        try check(
            values.count <= 64 && values.allSatisfy(bounds.contains), key,
            "must be up to 64 numbers between \(bounds.lowerBound) and \(bounds.upperBound)")
        return values
    }

    /// The name of another file, without ending and folder.
    mutating func name(_ key: String) throws -> String? {
        let name: String? = try optional(key)
        if let name { try checkName(name, key) }
        return name
    }

    /// Names become parts of paths and of command lines, so they hold nothing that means
    /// something there.
    func checkName(_ name: String, _ key: String) throws {
        let isPlain =
            name.utf8.count <= 64
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_")
            }
        try check(
            isPlain && name.first?.isLetter == true, key,
            "\"\(name.prefix(40))\" is no name: letters, digits, - and _ make one, a letter first")
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
