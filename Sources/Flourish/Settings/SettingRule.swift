import MediaIO

/// What ties a setting to others; settings are called by their whole names.
///
/// The contradictions that ``Settings/configuration()`` refuses follow from these, and so does what a stronger place's
/// setting makes meaningless in a weaker one.
enum SettingRule: Sendable, Hashable {
    /// Only one of both can be given.
    case excludes(String)
    /// It means nothing without the other.
    case needs(String, remedy: String = "give both")
    /// It must not lie below the other, which therefore comes first.
    case notBelow(String)
    /// Only these codecs know it.
    case codecs([EncodingOptions.Codec])
    /// Its values mean something else with each codec.
    case isCodecsOwn
    /// These codecs know no more of it.
    case atMost(Double, for: [EncodingOptions.Codec])
    /// A stronger place's setting of the other has the last word.
    case yields(to: String)
    /// Its value is the name of a preset of the codec's encoder.
    case isPreset
    /// Its value is the name of a pixel format of outputs.
    case isPixelFormat
    /// An option that sets it has no effect while the other has this value.
    case idle(beside: String, is: SettingValue)

    /// Whether another codec makes the value meaningless.
    fileprivate var followsCodec: Bool {
        switch self {
        case .codecs, .isCodecsOwn, .atMost: true
        case .excludes, .needs, .notBelow, .yields, .isPreset, .isPixelFormat, .idle: false
        }
    }
}

// MARK: - In words

extension SettingKey {
    /// What its rules say to people, each in a sentence.
    var conditions: [String] {
        let excluded = Self.all.filter {
            rules.contains(.excludes($0.name)) || $0.rules.contains(.excludes(name))
        }
        let exclusion = excluded.isEmpty ? [] : ["Excludes \(Self.listed(excluded.map(\.name)))."]
        return rules.compactMap { rule -> String? in
            switch rule {
            case .needs(let other, _) where rules.contains(.notBelow(other)):
                "Needs \(Self.listed([other])), and does not lie below it."
            case .needs(let other, _): "Needs \(Self.listed([other]))."
            case .codecs(let codecs): "For \(SettingKind.listed(codecs.map(\.rawValue), "and"))."
            case .atMost(let limit, let codecs):
                "Up to \(SettingKind.plain(limit)) for \(SettingKind.listed(codecs.map(\.rawValue), "and"))."
            case .excludes, .notBelow, .isCodecsOwn, .yields, .isPreset, .isPixelFormat, .idle: nil
            }
        } + exclusion
    }

    /// Names of settings of one table without the table.
    private static func listed(_ names: [String]) -> String {
        SettingKind.listed(names.compactMap { named($0).map { String($0.shortName) } }, "and")
    }
}

// MARK: - What a stronger place's setting makes meaningless

extension SettingKey {
    /// Whether a weaker place's value of this setting means nothing any more once a stronger place sets another.
    ///
    /// - Parameter changed: whether the other has a new value thereby.
    func givesWay(to other: SettingKey, changed: Bool) -> Bool {
        if name == other.name { return false }
        if rules.contains(.notBelow(other.name)) || rules.contains(.yields(to: other.name)) { return true }
        if excludes(other) || other.excludes(self) { return true }
        return changed && other.name == Self.codec && base.contains { $0.rules.contains(where: \.followsCodec) }
    }

    /// Whether it, or what it needs, excludes the other, or what that needs.
    private func excludes(_ other: SettingKey) -> Bool {
        let names = other.base.map(\.name)
        return base.contains { key in names.contains { key.rules.contains(.excludes($0)) } }
    }

    /// The setting, what it needs, and what that needs.
    private var base: [SettingKey] {
        [self]
            + rules.flatMap { rule -> [SettingKey] in
                if case .needs(let name, _) = rule { SettingKey.named(name)?.base ?? [] } else { [] }
            }
    }

    private static let codec = "encoding.codec"
}

// MARK: - What contradicts what

extension SettingKey {
    /// What is wrong with the setting's value: by itself, or beside the others.
    func faults(in configuration: Configuration) -> [Configuration.Fault] {
        guard let value = read(configuration) else { return [] }
        guard kind.accept(value) != nil else {
            return [
                Configuration.Fault(message: "\(name) must be \(expectation), not \(value.toml)", names: [name])
            ]
        }
        return value == .flag(false) ? [] : rules.compactMap { fault(of: $0, value, configuration) }
    }

    private func fault(
        of rule: SettingRule, _ value: SettingValue, _ configuration: Configuration
    ) -> Configuration.Fault? {
        let codec = configuration.encoding.codec
        switch rule {
        case .excludes(let other):
            guard let (key, _) = Self.given(other, in: configuration) else { return nil }
            return Configuration.Fault(
                message: "\(shortName) and \(key.shortName) exclude each other; give one", names: [name, other])
        case .needs(let other, let remedy):
            guard let key = Self.named(other), Self.given(other, in: configuration) == nil else { return nil }
            return Configuration.Fault(message: "\(shortName) needs \(key.shortName); \(remedy)", names: [name])
        case .notBelow(let other):
            guard let (key, bound) = Self.given(other, in: configuration), let least = bound.number,
                let number = value.number, number < least
            else { return nil }
            return Configuration.Fault(
                message: "\(shortName), \(value.toml), must not lie below \(key.shortName), \(bound.toml)",
                names: [other, name])
        case .codecs(let codecs):
            guard !codecs.contains(codec) else { return nil }
            let names = SettingKind.listed(codecs.map(\.rawValue), "and")
            return Configuration.Fault(
                message: "\(shortName) is for \(names), not \(codec.rawValue)", names: [Self.codec, name])
        case .atMost(let limit, let codecs):
            guard codecs.contains(codec), let number = value.number, number > limit else { return nil }
            return Configuration.Fault(
                message: "\(shortName) must lie between 0 and \(SettingKind.plain(limit)) for \(codec.rawValue), "
                    + "not \(value.toml)",
                names: [Self.codec, name])
        case .isPreset, .isPixelFormat:
            guard case .text(let text) = value, let message = encoderFault(of: rule, text, configuration) else {
                return nil
            }
            return Configuration.Fault(message: message, names: [Self.codec, name])
        // Whether an option set it only the settings know.
        case .isCodecsOwn, .yields, .idle: return nil
        }
    }

    /// The reason why encoders do not take a name; nil if they do.
    private func encoderFault(of rule: SettingRule, _ text: String, _ configuration: Configuration) -> String? {
        guard rule == .isPreset else { return VideoEncoder.fault(ofPixelFormat: text) }
        let codec = VideoCodec(rawValue: configuration.encoding.codec.rawValue) ?? .h264
        // Unless the codec is named, an output's container may choose VP9.
        let possible = configuration.encoding.namesCodec ? [codec] : [codec, .vp9]
        if possible.contains(where: { VideoEncoder.presets(for: $0).contains(text) }) { return nil }
        return VideoEncoder.fault(ofPreset: text, for: codec)
    }

    /// Another setting and its value, if it has one.
    private static func given(_ name: String, in configuration: Configuration) -> (
        key: SettingKey, value: SettingValue
    )? {
        guard let key = named(name), let value = key.read(configuration) else { return nil }
        return (key, value)
    }
}

extension SettingValue {
    /// A number of either kind.
    fileprivate var number: Double? {
        switch self {
        case .number(let number): number
        case .integer(let integer): Double(integer)
        case .flag, .text, .list: nil
        }
    }
}
