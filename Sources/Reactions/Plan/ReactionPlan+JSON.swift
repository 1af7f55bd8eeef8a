import FoundationEssentials

/// Decodes the known fields of a plan's objects one by one, and keeps all other fields, so that they are written again.
private struct KeptFields {
    private let fields: KeyedDecodingContainer<FieldName>
    private var known: Set<String> = []

    init(_ decoder: any Decoder) throws { fields = try decoder.container(keyedBy: FieldName.self) }

    mutating func required<Value: Decodable>(_ key: FieldName, _ type: Value.Type = Value.self) throws -> Value {
        known.insert(key.stringValue)
        return try fields.decode(Value.self, forKey: key)
    }

    /// Returns the value of a field; `nil` if it is absent or null.
    mutating func optional<Value: Decodable>(_ key: FieldName, _ type: Value.Type = Value.self) throws -> Value? {
        known.insert(key.stringValue)
        return try fields.decodeIfPresent(Value.self, forKey: key)
    }

    /// Returns whether a field is present with the value null.
    func isNull(_ key: FieldName) -> Bool { fields.contains(key) && (try? fields.decodeNil(forKey: key)) == true }

    /// Returns the error for a field with an invalid value.
    func fault(_ key: FieldName, _ message: String) -> DecodingError {
        DecodingError.dataCorruptedError(forKey: key, in: fields, debugDescription: message)
    }

    /// Returns the fields that were not decoded.
    func others() throws -> [String: JSONValue] {
        var others: [String: JSONValue] = [:]
        for key in fields.allKeys where !known.contains(key.stringValue) {
            others[key.stringValue] = try fields.decode(JSONValue.self, forKey: key)
        }
        return others
    }
}

extension KeyedEncodingContainer where Key == FieldName {
    /// Encodes the fields that were kept.
    fileprivate mutating func encode(_ others: [String: JSONValue]) throws {
        for (name, value) in others { try encode(value, forKey: FieldName(stringLiteral: name)) }
    }

    /// Encodes seconds, if there are any.
    fileprivate mutating func encodeIfPresent(seconds: Double?, forKey key: FieldName) throws {
        if let seconds { try encode(seconds: seconds, forKey: key) }
    }
}

extension ReactionPlan: Codable {
    public init(from decoder: any Decoder) throws {
        var fields = try KeptFields(decoder)
        let schema: Int = try fields.required("schema")
        guard schema == Self.schema else {
            throw fields.fault(
                "schema", "the plan has version \(schema), but this program supports version \(Self.schema)")
        }
        source = try fields.required("source")
        style = try fields.optional("style") ?? Style()
        reactions = try fields.required("reactions")
        anticipations = try fields.optional("anticipations") ?? []
        layouts = try fields.optional("layouts") ?? LayoutTimeline()
        unknown = try fields.others()
        for index in reactions.indices { reactions[index].settleTime(in: source) }
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(Self.schema, forKey: "schema")
        try fields.encode(source, forKey: "source")
        try fields.encode(style, forKey: "style")
        try fields.encode(reactions, forKey: "reactions")
        if !anticipations.isEmpty { try fields.encode(anticipations, forKey: "anticipations") }
        if !layouts.layouts.isEmpty { try fields.encode(layouts, forKey: "layouts") }
        try fields.encode(unknown)
    }

    /// The plan as the text of its file: indented JSON, with the reactions in the order of their starts.
    public var json: String {
        var sorted = self
        sorted.reactions.sort { ($0.startTime, $0.id ?? .max) < ($1.startTime, $1.id ?? .max) }
        let tree = try? JSONDecoder().decode(JSONValue.self, from: Data(JSONLine.encode(sorted).utf8))
        return (tree ?? .null).text(order: Self.fieldOrder)
    }

    /// The order of the fields, which makes the file readable.
    private static let fieldOrder = [
        "schema", "source", "style", "reactions", "anticipations", "layouts",
        "path", "size", "fingerprint", "codec", "width", "height", "frameRate", "timeBase",
        "intensity", "calm", "palette", "portrait", "studioLight", "effects",
        "id", "enabled", "reactionType", "startTime", "startPTS", "endTime", "duration", "frames", "origin", "x", "y",
        "tile", "trigger", "gesture", "hands", "confidence", "heldSince", "heldUntil", "reason", "seed", "note", "from",
        "until", "tiles",
    ]
}

extension ReactionPlan.Reaction: Codable {
    public init(from decoder: any Decoder) throws {
        var fields = try KeptFields(decoder)
        reactionType = try fields.required("reactionType")
        let (seconds, ticks): (Double?, Int64?) = (try fields.optional("startTime"), try fields.optional("startPTS"))
        // A reaction may have only ticks. `NaN` then stands for its time until ``settleTime(in:)`` computes it from the
        // plan's time base.
        guard let start = seconds ?? ticks.map({ _ in Double.nan }) else {
            throw fields.fault("startTime", "the key is missing")
        }
        (startTime, startPTS) = (start, ticks)
        id = try fields.optional("id")
        isEnabled = try fields.optional("enabled") ?? true
        endTime = try fields.optional("endTime")
        origin = try fields.optional("origin")
        coversPicture = fields.isNull("tile")
        tile = try fields.optional("tile")
        trigger = try fields.optional("trigger") ?? .schedule
        if let name: String = try fields.optional("gesture") {
            guard let known = ReactionGesture(rawValue: name) else {
                throw fields.fault("gesture", "'\(name.prefix(40))' is not a valid gesture name")
            }
            gesture = known
        }
        handCount = try fields.optional("hands")
        confidence = try fields.optional("confidence")
        heldSince = try fields.optional("heldSince")
        heldUntil = try fields.optional("heldUntil")
        reason = try fields.optional("reason")
        seed = try fields.optional("seed")
        note = try fields.optional("note")
        unknown = try fields.others()
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encodeIfPresent(id, forKey: "id")
        try fields.encode(isEnabled, forKey: "enabled")
        try fields.encode(reactionType, forKey: "reactionType")
        if startTime.isFinite { try fields.encode(seconds: startTime, forKey: "startTime") }
        try fields.encodeIfPresent(startPTS, forKey: "startPTS")
        try fields.encodeIfPresent(seconds: endTime, forKey: "endTime")
        try fields.encodeIfPresent(origin, forKey: "origin")
        if coversPicture {
            try fields.encodeNil(forKey: "tile")
        } else {
            try fields.encodeIfPresent(tile, forKey: "tile")
        }
        try fields.encode(trigger, forKey: "trigger")
        try fields.encodeIfPresent(gesture, forKey: "gesture")
        try fields.encodeIfPresent(handCount, forKey: "hands")
        try fields.encodeIfPresent(confidence.map { JSONLine.rounded($0, places: 3) }, forKey: "confidence")
        try fields.encodeIfPresent(seconds: heldSince, forKey: "heldSince")
        try fields.encodeIfPresent(seconds: heldUntil, forKey: "heldUntil")
        try fields.encodeIfPresent(reason, forKey: "reason")
        try fields.encodeIfPresent(seed, forKey: "seed")
        try fields.encodeIfPresent(note, forKey: "note")
        try fields.encode(unknown)
    }
}

extension ReactionPlan.Reaction {
    /// Makes seconds and ticks agree. Seconds take precedence, because users edit them.
    fileprivate mutating func settleTime(in source: ReactionPlan.Source) {
        guard let exact = exactStart(in: source) else { return }
        if startTime.isNaN { startTime = exact }
        // Plans contain seconds rounded to a microsecond, so a smaller difference is no edit.
        if abs(startTime - exact) > 0.000_001 { startPTS = nil }
    }

    /// Returns the start in seconds that the ticks represent; `nil` without ticks.
    package func exactStart(in source: ReactionPlan.Source) -> Double? {
        guard let startPTS, let tick = ReactionPlan.Source.tick(source.timeBase) else { return nil }
        return Double(startPTS) * Double(tick.numerator) / Double(tick.denominator)
    }
}

extension ReactionPlan.Style: Codable {
    public init(from decoder: any Decoder) throws {
        var fields = try KeptFields(decoder)
        if let number: UInt64 = try fields.optional("seed") { seed = number }
        func share(_ key: FieldName) throws -> Double? {
            guard let share: Double = try fields.optional(key) else { return nil }
            guard (0...1).contains(share) else { throw fields.fault(key, "must be a number from 0 to 1") }
            return share
        }
        look.intensity = try share("intensity") ?? look.intensity
        (portrait, studioLight) = (try share("portrait"), try share("studioLight"))
        look.isCalm = try fields.optional("calm") ?? false
        look.palette = try fields.optional("palette")
        effects = try fields.optional("effects") ?? [:]
        unknown = try fields.others()
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(seed, forKey: "seed")
        try fields.encode(look.intensity, forKey: "intensity")
        try fields.encode(look.isCalm, forKey: "calm")
        try fields.encodeIfPresent(look.palette, forKey: "palette")
        try fields.encodeIfPresent(portrait, forKey: "portrait")
        try fields.encodeIfPresent(studioLight, forKey: "studioLight")
        if !effects.isEmpty { try fields.encode(effects, forKey: "effects") }
        try fields.encode(unknown)
    }
}

extension Palette: Codable {
    public init(from decoder: any Decoder) throws {
        var fields = try KeptFields(decoder)
        let isEverywhere: Bool = try fields.optional("everywhere") ?? false
        let colours: [String] = try fields.required("colours")
        do {
            try self.init(colours: colours, isEverywhere: isEverywhere)
        } catch {
            throw fields.fault("colours", error.message)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(colours, forKey: "colours")
        if isEverywhere { try fields.encode(true, forKey: "everywhere") }
    }
}

extension ReactionPlan.Source: Codable {
    public init(from decoder: any Decoder) throws {
        var fields = try KeptFields(decoder)
        path = try fields.required("path")
        size = try fields.required("size")
        fingerprint = try fields.required("fingerprint")
        codec = try fields.required("codec")
        width = try fields.required("width")
        height = try fields.required("height")
        frameRate = try fields.optional("frameRate")
        timeBase = try fields.required("timeBase")
        startTime = try fields.required("startTime")
        duration = try fields.required("duration")
        frames = try fields.required("frames")
        guard Self.tick(timeBase) != nil else { throw fields.fault("timeBase", "must be a fraction such as 1/15360") }
        unknown = try fields.others()
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(path, forKey: "path")
        try fields.encode(size, forKey: "size")
        try fields.encode(fingerprint, forKey: "fingerprint")
        try fields.encode(codec, forKey: "codec")
        try fields.encode(width, forKey: "width")
        try fields.encode(height, forKey: "height")
        try fields.encodeIfPresent(seconds: frameRate, forKey: "frameRate")
        try fields.encode(timeBase, forKey: "timeBase")
        try fields.encode(seconds: startTime, forKey: "startTime")
        try fields.encode(seconds: duration, forKey: "duration")
        try fields.encode(frames, forKey: "frames")
        try fields.encode(unknown)
    }

    /// Parses a time base such as `1/15360` as numerator and denominator; `nil` if it is not a positive fraction.
    package static func tick(_ text: String) -> (numerator: Int32, denominator: Int32)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int32($0) }
        guard parts.count == 2, let numerator = parts[0], let denominator = parts[1], numerator > 0, denominator > 0
        else { return nil }
        return (numerator, denominator)
    }
}
