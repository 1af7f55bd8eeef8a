import Reactions

/// The kind of values that a setting accepts.
package enum SettingKind: Sendable, Hashable {
    case flag
    /// A number in a range, with the unit that messages add to it: "s", or "" for none.
    case number(ClosedRange<Double>, unit: String)
    case integer(ClosedRange<Int>)
    /// A number in a range, or `auto`.
    case numberOrAuto(ClosedRange<Double>)
    /// Bits per second: an integer, or text such as `2500k`.
    case bitRate
    case choice([String])
    /// Any text; `what` describes it in messages ("FFmpeg's name of a pixel format").
    case text(what: String, example: String)
    /// An array of texts; `what` describes it in messages.
    case texts(what: String, example: String)
    /// A path. In a file, relative paths are relative to the file's folder.
    case path
    /// An array of paths, each as ``path``.
    case paths
    /// The name of a palette, its colours, or the path of a file.
    case palette
    /// A kind of layout, a grid such as `3x2`, or the path of a file.
    case layout
    /// A ``Background`` as text, which may be the path of a file.
    case background
    /// Names of gestures, built-in or custom.
    case gestures

    /// A number in a range, without a unit.
    static func number(_ range: ClosedRange<Double>) -> SettingKind { .number(range, unit: "") }

    /// The cases of a type.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(of type: Choice.Type) -> SettingKind {
        .choice(type.allCases.map(\.rawValue))
    }

    /// Returns the value in the form that the setting stores; `nil` if the setting does not accept it.
    ///
    /// - Parameter folder: The folder of the file that sets the value, for relative paths.
    package func accept(_ value: SettingValue, folder: String? = nil) -> SettingValue? {
        switch (self, value) {
        case (.flag, .flag): value
        case (.number(let range, _), .number(let number)), (.numberOrAuto(let range), .number(let number)):
            range.contains(number) ? value : nil
        case (.number(let range, _), .integer(let number)), (.numberOrAuto(let range), .integer(let number)):
            range.contains(Double(number)) ? .number(Double(number)) : nil
        case (.numberOrAuto, .text(let text)): text == "auto" ? value : nil
        case (.integer(let range), .integer(let integer)): range.contains(integer) ? value : nil
        case (.bitRate, .integer(let rate)): Self.bitRates.contains(rate) ? value : nil
        case (.bitRate, .text(let text)): Self.bitsPerSecond(text).map { .integer($0) }
        case (.choice(let names), .text(let name)):
            names.contains(name) ? value : Self.codec(name).flatMap { names.contains($0) ? .text($0) : nil }
        case (.text, .text(let text)): text.isEmpty ? nil : value
        case (.texts, .list(let texts)): texts.contains("") ? nil : value
        case (.path, .text(let path)): path.isEmpty ? nil : .text(Self.resolved(path, folder))
        case (.paths, .list(let paths)):
            paths.contains("") ? nil : .list(paths.map { Self.resolved($0, folder) })
        case (.palette, .text(let text)), (.layout, .text(let text)):
            // Names, colours and grids are not paths.
            text.isEmpty ? nil : text.contains { "/.~".contains($0) } ? .text(Self.resolved(text, folder)) : value
        case (.background, .text(let text)): Background(accepted: text).map { .text($0.resolved(folder).text) }
        case (.gestures, .list(let names)): names.allSatisfy { ReactionGesture(rawValue: $0) != nil } ? value : nil
        default: nil
        }
    }

    /// Returns the name of a codec for another usual name of it; `nil` for other texts.
    private static func codec(_ name: String) -> String? { EncodingOptions.Codec(name: name)?.rawValue }

    /// The accepted values, as the end of a sentence with "must be".
    package var expectation: String {
        switch self {
        case .flag: "true or false"
        case .number(let range, let unit):
            "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
                + (unit.isEmpty ? "" : " \(unit)")
        case .numberOrAuto(let range):
            "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)) or auto"
        case .integer(let range):
            range.upperBound == .max
                ? "a whole number, \(range.lowerBound) or more"
                : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .bitRate: "bits per second from 1000 to 10G, such as 2500000, \"2500k\" or \"2.5M\""
        case .choice(let names): Self.listed(names, "or")
        case .text(let what, _): what
        case .texts(let what, let example): "\(what), such as [\(SettingValue.text(example).toml)]"
        case .path: "a path"
        case .paths: "a list of paths"
        case .palette:
            Self.listed(Palette.names, "or") + "; colours such as \"#ff8800,#0088ff\"; or a file"
        case .layout: "auto, single, a grid such as 3x2, or a file"
        case .background: Background.expectation
        case .gestures:
            "a list of \(ReactionGesture.allCases.map(\.rawValue).joined(separator: ", ")), or custom gestures"
        }
    }

    /// The types of values.
    package enum ValueType: String {
        case boolean, number, integer, string, strings
    }

    /// The type of the values.
    package var type: ValueType {
        switch self {
        case .flag: .boolean
        case .number: .number
        case .integer, .bitRate: .integer
        case .numberOrAuto, .choice, .text, .path, .palette, .layout, .background: .string
        case .texts, .paths, .gestures: .strings
        }
    }

    /// The range of numbers; `nil` for other kinds.
    package var range: ClosedRange<Double>? {
        switch self {
        case .number(let range, _), .numberOrAuto(let range): range
        case .integer(let range): Double(range.lowerBound)...Double(range.upperBound)
        case .bitRate: Double(Self.bitRates.lowerBound)...Double(Self.bitRates.upperBound)
        case .flag, .choice, .text, .texts, .path, .paths, .palette, .layout, .background, .gestures: nil
        }
    }

    /// The unit of numbers; `nil` if they have none.
    package var unit: String? {
        switch self {
        case .number(_, let unit): unit.isEmpty ? nil : unit
        case .bitRate: "bit/s"
        default: nil
        }
    }

    /// The names of values; other values are possible for a palette, a layout and a number or `auto`.
    package var choices: [String]? {
        switch self {
        case .choice(let names): names
        case .palette: Palette.names
        case .layout: ["auto", "single"]
        case .background: ["none", "blur", "transparent"]
        case .numberOrAuto: ["auto"]
        case .gestures: ReactionGesture.allCases.map(\.rawValue)
        case .flag, .number, .integer, .bitRate, .text, .texts, .path, .paths: nil
        }
    }

    /// Returns a number without trailing zeros: 2.0 becomes 2, 0.5 stays 0.5.
    package static func plain(_ number: Double) -> String { number.plainText }

    /// Returns a list such as "low, normal or high", with a conjunction before the last name.
    package static func listed(_ names: [String], _ word: String) -> String {
        guard names.count > 1 else { return names.first ?? "nothing" }
        return names.dropLast().joined(separator: ", ") + " \(word) " + names.last!
    }

    fileprivate static func resolved(_ path: String, _ folder: String?) -> String {
        if path == "~" || path.hasPrefix("~/") {
            return (Resources.currentEnvironment()["HOME"] ?? "") + path.dropFirst()
        }
        guard let folder, !path.hasPrefix("/") else { return path }
        return folder + "/" + path
    }

    /// The range of bit rates, in bits per second.
    private static let bitRates = 1000...10_000_000_000

    /// Parses a bit rate, such as `2500000`, `2500k` or `2.5M`.
    ///
    /// - Returns: Bits per second; `nil` for text that is no number in ``bitRates``.
    private static func bitsPerSecond(_ text: String) -> Int? {
        let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9]
        let factor = text.last.flatMap { factors[$0] }
        guard let number = Double(factor == nil ? text[...] : text.dropLast()) else { return nil }
        let bits = number * (factor ?? 1)
        guard bits >= Double(bitRates.lowerBound), bits <= Double(bitRates.upperBound) else { return nil }
        return Int(bits)
    }
}

extension Background {
    /// Returns the background with an absolute path, if it is a file whose path is relative to a folder.
    fileprivate func resolved(_ folder: String?) -> Background {
        if case .file(let path) = self { .file(SettingKind.resolved(path, folder)) } else { self }
    }
}
