import MediaIO

/// A relation of a setting to other settings, which are identified by their full names.
///
/// Rules determine which contradictions ``Settings/configuration()`` refuses. Rules also determine which values of a
/// weaker origin, such as a file, are reset when a stronger origin, such as an option, sets a value.
package enum SettingRule: Sendable, Hashable {
    /// The settings exclude each other.
    case excludes(String)
    /// The setting has no effect without the other setting.
    case needs(String, remedy: String = "give both")
    /// The value must not be less than the value of the other setting, which must precede this setting in the table.
    case notBelow(String)
    /// The setting applies only to these codecs.
    case codecs([EncodingOptions.Codec])
    /// The meaning of the value depends on the codec.
    case isCodecsOwn
    /// The value has an upper limit for these codecs.
    case atMost(Double, for: [EncodingOptions.Codec])
    /// The other setting takes precedence if a stronger origin sets it.
    case yields(to: String)
    /// The value is the name of a preset of the codec's encoder.
    case isPreset
    /// The value is the name of a pixel format of outputs.
    case isPixelFormat
    /// The setting is a short form of the other one: they have one value and one lock, and only one of them can be given
    /// in one place.
    case isShortFor(String)
    /// An option that sets this setting has no effect while the other setting has this value.
    case idle(beside: String, is: SettingValue)

    /// True if another codec invalidates the value.
    fileprivate var followsCodec: Bool {
        switch self {
        case .codecs, .isCodecsOwn, .atMost: true
        case .excludes, .needs, .notBelow, .yields, .isPreset, .isPixelFormat, .isShortFor, .idle: false
        }
    }
}

// MARK: - Documentation

extension SettingKey {
    /// The lower limits of some codecs, to be added to the accepted values: " (to 51 for h264 and hevc)"; empty for none.
    var limitsByCodec: String {
        rules.map { rule in
            guard case .atMost(let limit, let codecs) = rule else { return "" }
            return " (to \(SettingKind.plain(limit)) for \(SettingKind.listed(codecs.map(\.rawValue), "and")))"
        }.joined()
    }

    /// The rules in words, as one sentence for each.
    package var conditions: [String] {
        let excluded = Self.all.filter {
            rules.contains(.excludes($0.name)) || $0.rules.contains(.excludes(name))
        }
        let exclusion = excluded.isEmpty ? [] : ["Cannot be combined with \(Self.listed(excluded.map(\.name)))."]
        return rules.compactMap { rule -> String? in
            switch rule {
            case .needs(let other, _) where rules.contains(.notBelow(other)):
                "Requires \(Self.listed([other])), and must not be below it."
            case .needs(let other, _): "Requires \(Self.listed([other]))."
            case .codecs(let codecs): "For \(SettingKind.listed(codecs.map(\.rawValue), "and"))."
            case .atMost(let limit, let codecs):
                "Up to \(SettingKind.plain(limit)) for \(SettingKind.listed(codecs.map(\.rawValue), "and"))."
            case .isShortFor(let other): "Cannot be combined with \(Self.listed([other]))."
            case .excludes, .notBelow, .isCodecsOwn, .yields, .isPreset, .isPixelFormat, .idle: nil
            }
        } + exclusion
    }

    /// Returns names of settings of one table, without the table.
    private static func listed(_ names: [String]) -> String {
        SettingKind.listed(names.compactMap { named($0).map { String($0.shortName) } }, "and")
    }
}

// MARK: - Precedence

extension SettingKey {
    /// Returns whether the value of this setting, from a weaker origin, is reset when a stronger origin sets another
    /// setting.
    ///
    /// - Parameter changed: A Boolean value that indicates whether the other setting gets a new value.
    package func yields(to other: SettingKey, changed: Bool) -> Bool {
        if name == other.name { return false }
        if rules.contains(.notBelow(other.name)) || rules.contains(.yields(to: other.name)) { return true }
        if rules.contains(.isShortFor(other.name)) { return true }
        if excludes(other) || other.excludes(self) { return true }
        return changed && other.name == Self.codec && base.contains { $0.rules.contains(where: \.followsCodec) }
    }

    /// Returns whether a rule of the setting, or of a setting that it needs, excludes the other setting or one that the
    /// other needs.
    private func excludes(_ other: SettingKey) -> Bool {
        let names = other.base.map(\.name)
        return base.contains { key in names.contains { key.rules.contains(.excludes($0)) } }
    }

    /// The setting, and all settings that it needs, directly or indirectly.
    private var base: [SettingKey] {
        [self]
            + rules.flatMap { rule -> [SettingKey] in
                if case .needs(let name, _) = rule { SettingKey.named(name)?.base ?? [] } else { [] }
            }
    }

    private static let codec = "encoding.codec"

    /// The names of the settings with the same value and lock as this one: its own, and that of its short or long form.
    package var namesOfValue: [String] {
        [name]
            + Self.all.filter { $0.rules.contains(.isShortFor(name)) || rules.contains(.isShortFor($0.name)) }.map(
                \.name)
    }
}

// MARK: - Contradictions

extension Configuration {
    /// A setting that is invalid, or contradicts other settings.
    package struct Fault: Sendable {
        package var message: String
        /// The names of the settings concerned. The last name is the cause.
        package var names: [String]

        package init(message: String, names: [String] = []) { (self.message, self.names) = (message, names) }
    }
}

extension SettingKey {
    /// Returns the faults of the setting's value, by itself or in combination with other values.
    package func faults(in configuration: Configuration) -> [Configuration.Fault] {
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
            guard let (key, _) = Self.setValue(of: other, in: configuration) else { return nil }
            return Configuration.Fault(
                message: "\(shortName) and \(key.shortName) cannot be combined; use one", names: [name, other])
        case .needs(let other, let remedy):
            guard let key = Self.named(other), Self.setValue(of: other, in: configuration) == nil else { return nil }
            return Configuration.Fault(message: "\(shortName) requires \(key.shortName); \(remedy)", names: [name])
        case .notBelow(let other):
            guard let (key, bound) = Self.setValue(of: other, in: configuration), let minimum = bound.asNumber,
                let number = value.asNumber, number < minimum
            else { return nil }
            return Configuration.Fault(
                message: "\(shortName), \(value.toml), must not be below \(key.shortName), \(bound.toml)",
                names: [other, name])
        case .codecs(let codecs):
            guard !codecs.contains(codec) else { return nil }
            let names = SettingKind.listed(codecs.map(\.rawValue), "and")
            return Configuration.Fault(
                message: "\(shortName) is for \(names), not \(codec.rawValue)", names: [Self.codec, name])
        case .atMost(let limit, let codecs):
            guard codecs.contains(codec), let number = value.asNumber, number > limit else { return nil }
            return Configuration.Fault(
                message: "\(shortName) must be between 0 and \(SettingKind.plain(limit)) for \(codec.rawValue), "
                    + "not \(value.toml)",
                names: [Self.codec, name])
        case .isPreset, .isPixelFormat:
            guard case .text(let text) = value, let message = encoderFault(of: rule, text, configuration) else {
                return nil
            }
            return Configuration.Fault(message: message, names: [Self.codec, name])
        // These rules depend on the origins of values, which only ``Settings`` knows.
        case .isCodecsOwn, .yields, .isShortFor, .idle: return nil
        }
    }

    /// Returns the reason why encoders refuse a name; `nil` if they accept it.
    private func encoderFault(of rule: SettingRule, _ text: String, _ configuration: Configuration) -> String? {
        guard rule == .isPreset else { return VideoEncoder.fault(ofPixelFormat: text) }
        let codec = VideoCodec(rawValue: configuration.encoding.codec.rawValue) ?? .h264
        // Unless the codec is specified, the container of an output may select VP9.
        let possible = configuration.encoding.namesCodec ? [codec] : [codec, .vp9]
        if possible.contains(where: { VideoEncoder.presets(for: $0).contains(text) }) { return nil }
        return VideoEncoder.fault(ofPreset: text, for: codec)
    }

    /// Returns another setting and its value, if it has one.
    private static func setValue(of name: String, in configuration: Configuration) -> (
        key: SettingKey, value: SettingValue
    )? {
        guard let key = named(name), let value = key.read(configuration) else { return nil }
        return (key, value)
    }
}
