import MediaIO

/// The settings in force, and the origin of each setting.
///
/// ```swift
/// var settings = try Settings.load()
/// try settings.set("recognition.hold", to: .number(0.7))
/// let session = ReactionSession(configuration: try settings.configuration())
/// ```
///
/// Options take precedence over the user's file, the user's file over the system's files, and these over the defaults.
/// Settings that a system's file locks cannot be changed.
public struct Settings: Sendable {
    /// A setting with its value and origin.
    ///
    /// ```swift
    /// for entry in settings.entries where entry.origin.place != .builtIn {
    ///     print(entry.key.name, entry.value?.toml ?? "", entry.origin.text)
    /// }
    /// ```
    public struct Entry: Sendable {
        /// The declaration of the setting.
        public let key: SettingKey
        /// The value; `nil` if there is none.
        public internal(set) var value: SettingValue?
        /// The origin of the value.
        public internal(set) var origin: SettingOrigin
        /// The path of the system's file that locks the setting; `nil` if none does.
        public internal(set) var lockedBy: String?
    }

    /// All settings, in the order of ``SettingKey/all``.
    public private(set) var entries: [Entry]
    /// Warnings about unknown keys, and about values of locked settings in files, as one line for each.
    public internal(set) var warnings: [String] = []
    /// The paths of the files that were read.
    public internal(set) var files: [String] = []

    /// True if the codec was chosen for the output's container.
    var followsContainer = false
    /// The tables that a system's file locks completely, with the path of the file.
    var lockedTables: [String: String] = [:]

    /// Creates settings with their defaults.
    ///
    /// ```swift
    /// var settings = Settings()
    /// try settings.set("encoding.crf", to: .number(20))
    /// ```
    public init() {
        entries = SettingKey.all.map { Entry(key: $0, value: $0.builtInValue, origin: .builtIn) }
    }

    /// Returns the setting with a name; `nil` if there is none.
    ///
    /// ```swift
    /// if let hold = settings["recognition.hold"], let file = hold.lockedBy {
    ///     print("\(file) locks the hold to \(hold.value?.toml ?? "nothing")")
    /// }
    /// ```
    public subscript(name: String) -> Entry? { entries.first { $0.key.name == name } }

    /// Sets a value with the precedence of an option.
    ///
    /// ```swift
    /// do {
    ///     try settings.set("recognition.hold", to: .number(60))
    /// } catch {
    ///     print(error.message)  // --hold must be a number from 0 to 10 s, not 60
    /// }
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage`` if the name is unknown, the value is invalid, or the setting is locked to
    ///   another value.
    public mutating func set(_ name: String, to value: SettingValue) throws(FlourishError) {
        try set(name, to: value, called: self[name]?.key.option ?? name)
    }

    /// Sets a value with the precedence of an option. Messages call the option `called`.
    package mutating func set(_ name: String, to value: SettingValue, called: String) throws(FlourishError) {
        guard let index = index(of: name) else {
            let hint = SettingKey.nearest(to: name).map { "; did you mean \($0.name)?" } ?? ""
            throw FlourishError(.usage, "unknown setting \(name)\(hint)")
        }
        let entry = entries[index]
        guard let accepted = entry.key.kind.accept(value) else {
            throw FlourishError(.usage, "\(called) must be \(entry.key.expectation), not \(value.toml)")
        }
        if let file = entry.lockedBy, entry.value != accepted {
            let held = entry.value.map { "to \($0.toml) " } ?? ""
            throw FlourishError(
                .usage, "\(called): \(file) locks \(name) \(held)for all users of this machine; remove the option")
        }
        put(accepted, at: index, from: SettingOrigin(place: .option, name: called))
    }

    /// Returns the index of a setting in ``entries``. A setting of a custom gesture is inserted on first use.
    mutating func index(of name: String) -> Int? {
        if let index = entries.firstIndex(where: { $0.key.name == name }) { return index }
        guard let key = SettingKey.ofOwnGesture(name) else { return nil }
        let index = (entries.lastIndex { $0.key.table == key.table } ?? entries.count - 1) + 1
        entries.insert(
            Entry(key: key, value: nil, origin: .builtIn, lockedBy: lockedTables[String(key.table)]), at: index)
        return index
    }

    /// Sets an accepted value, and resets the values of weaker origins that it invalidates.
    mutating func put(_ value: SettingValue, at index: Int, from origin: SettingOrigin) {
        let before = entries[index]
        entries[index].value = value
        entries[index].origin = origin
        for place in entries.indices {
            guard entries[place].origin.place < origin.place, entries[place].lockedBy == nil,
                entries[place].key.yields(to: before.key, changed: before.value != value)
            else { continue }
            entries[place].value = entries[place].key.builtInValue
            entries[place].origin = .builtIn
        }
    }

    mutating func restore(_ entry: Entry) {
        if let index = index(of: entry.key.name) { entries[index] = entry }
    }

    mutating func lock(at index: Int, by file: String) {
        for name in entries[index].key.namesOfValue {
            guard let place = self.index(of: name), entries[place].lockedBy == nil else { continue }
            entries[place].lockedBy = file
        }
    }
}

/// The origin of a setting's value.
///
/// ```swift
/// if let codec = settings["encoding.codec"], codec.origin.place >= .userFile {
///     print("codec set by", codec.origin.text)
/// }
/// ```
public struct SettingOrigin: Sendable, Hashable {
    /// The kinds of places, in ascending precedence.
    public enum Place: String, Sendable, Hashable, CaseIterable, Comparable {
        /// The program's default.
        case builtIn
        /// A file for all users of this machine.
        case systemFile
        /// The user's file.
        case userFile
        /// The command line.
        case option

        var isFile: Bool { self == .systemFile || self == .userFile }

        public static func < (a: Place, b: Place) -> Bool {
            allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
        }
    }

    /// The kind of place.
    public var place: Place
    /// The path of the file, or the name of the option; `nil` for a default.
    public var name: String?
    /// The line in the file, if it is known.
    public var line: Int?

    static let builtIn = SettingOrigin(place: .builtIn)

    /// The origin in messages: "config.toml:3", "--hold" or "built in".
    public var text: String {
        guard let name else { return "built in" }
        return line.map { "\(name):\($0)" } ?? name
    }
}

extension Settings {
    /// Returns a session's configuration with these settings.
    ///
    /// ```swift
    /// var configuration = try settings.configuration()
    /// configuration.overwrite = true
    /// try await ReactionSession(configuration: configuration).filter("call.mp4", to: "reacted.mp4")
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage`` if the settings contradict one another.
    public func configuration() throws(FlourishError) -> Configuration {
        let (configuration, faults) = checked()
        if let fault = faults.first { throw fault }
        return configuration
    }

    /// Returns the configuration, and all errors for which ``configuration()`` refuses it.
    func checked() -> (configuration: Configuration, faults: [FlourishError]) {
        var configuration = Configuration()
        var faults: [FlourishError] = []
        for entry in entries {
            do {
                try entry.key.write(entry.value, &configuration)
            } catch {
                // Messages about options already name the option.
                faults.append(entry.origin.place.isFile ? error.located(at: entry.origin) : error)
            }
        }
        configuration.encoding.namesCodec = namesCodec
        configuration.locks = locks
        for fault in configuration.faults {
            // Messages about values in files name the line.
            let origins = fault.names.compactMap { self[$0]?.origin }.filter(\.place.isFile)
            let error = FlourishError(.usage, fault.message)
            faults.append(origins.last.map(error.located) ?? error)
        }
        for entry in uninstalledBindings(of: configuration).map(\.entry) {
            let gesture = ReactionGesture(rawValue: String(entry.key.shortName))
            if let gesture { configuration.bindings[gesture] = nil }
        }
        return (configuration, faults + idleFaults + doubleFaults + gestureFaults(of: configuration))
    }

    /// The faults of options that have no effect together with another option. If a file sets the other setting, there
    /// is no fault.
    private var idleFaults: [FlourishError] {
        entries.filter { $0.origin.place == .option }.flatMap { entry in
            entry.key.rules.compactMap { rule -> FlourishError? in
                guard case .idle(let name, let value) = rule, let other = self[name], other.value == value,
                    other.origin.place == .option
                else { return nil }
                return FlourishError(
                    .usage, "\(entry.origin.text) has no effect with \(other.origin.text); remove one")
            }
        }
    }

    /// The faults of short forms that are given beside the long form in the same place.
    private var doubleFaults: [FlourishError] {
        entries.flatMap { entry in
            entry.key.rules.compactMap { rule -> FlourishError? in
                guard case .isShortFor(let name) = rule, let other = self[name], entry.origin.place != .builtIn,
                    entry.origin.place == other.origin.place
                else { return nil }
                return FlourishError(.usage, "\(entry.origin.text) and \(other.origin.text) set the same; use one")
            }
        }
    }

    /// Messages about bindings, in files, to effects that are not installed. ``configuration()`` leaves these bindings
    /// out, so a file stays usable without an effect that it names.
    package var bindingWarnings: [String] {
        var configuration = Configuration()
        if let folders = self["effects.folders"] { try? folders.key.write(folders.value, &configuration) }
        return uninstalledBindings(of: configuration).map(\.message)
    }

    /// Returns a file's bindings to reactions that are not installed, with messages that name the file and the remedy.
    func uninstalledBindings(
        of configuration: Configuration
    ) -> [(entry: Entry, message: String)] {
        let bound = entries.filter { $0.key.table == SettingKey.bindingsTable && $0.origin.place.isFile }
        let types = bound.compactMap { entry -> ReactionType? in
            guard case .text(let name)? = entry.value else { return nil }
            return ReactionType(rawValue: name)
        }
        guard !bound.isEmpty,
            let catalog = try? EffectCatalog(resources: configuration.resources ?? .located(), naming: types)
        else { return [] }
        let folder = Resources.configurationFolder(environment: Resources.currentEnvironment()) + "/effects"
        return bound.compactMap { entry in
            guard case .text(let name)? = entry.value else { return nil }
            do throws(FlourishError) { try catalog.check([ReactionType(rawValue: name)]) } catch {
                let message = "\(error.located(at: entry.origin).message), or put \(name).json into \(folder)"
                return (entry, message)
            }
            return nil
        }
    }
}

extension FlourishError {
    /// Returns the error with the setting's origin at the beginning of its message.
    func located(at origin: SettingOrigin) -> FlourishError {
        FlourishError(code, "\(origin.text): \(problem)", remedy: remedy)
    }
}

extension Settings {
    /// Chooses VP9 for a container that does not support the default, H.264, unless an option or a file sets the codec.
    ///
    /// - Parameters:
    ///   - output: The path of the output.
    ///   - format: The name of its container; `nil` if it follows from the path.
    package mutating func chooseCodec(for output: String, format: String? = nil) {
        let name = "encoding.codec"
        guard let index = index(of: name), entries[index].origin.place == .builtIn else { return }
        guard Self.container(of: output, format: format)?.supportsH264 == false else { return }
        // A lock of the codec does not prevent this, because the container requires the change, not a user.
        put(
            .text(EncodingOptions.Codec.vp9.rawValue), at: index,
            from: SettingOrigin(place: .option, name: entries[index].key.option ?? name))
        followsContainer = true
    }

    /// Returns the display name of the output's container if it holds uncompressed pictures; `nil` otherwise.
    ///
    /// - Parameters: As in ``chooseCodec(for:format:)``.
    package static func uncompressedContainer(of output: String, format: String? = nil) -> String? {
        guard let container = container(of: output, format: format), container.isUncompressed else { return nil }
        return container.displayName
    }

    /// The names of the containers that pipes and connections carry.
    package static var streamFormats: [String] { ContainerFormat.streamedNames }

    private static func container(of output: String, format: String?) -> ContainerFormat? {
        guard let format else { return .chosen(for: output) }
        return ContainerFormat(name: format).flatMap { .chosen(for: output, format: $0) }
    }

    /// True if an option or a file sets the codec.
    var namesCodec: Bool {
        guard let codec = self["encoding.codec"], !followsContainer else { return false }
        return codec.origin.place != .builtIn
    }
}

extension Settings {
    /// The settings that the system's file locks.
    var locks: SettingLocks {
        var locks = SettingLocks()
        for entry in entries { locks.files[entry.key.name] = entry.lockedBy }
        let locked = entries.filter { $0.lockedBy != nil && $0.value != nil }
        locks.write = { configuration in
            // Errors of writing are reported when the configuration is created.
            for entry in locked { try? entry.key.write(entry.value, &configuration) }
        }
        return locks
    }
}

extension ReactionPlan.Style {
    /// Returns the style after a change of the settings that belong to it. Changes of other settings are lost.
    package func changed(
        _ change: (inout Configuration) throws(FlourishError) -> Void
    ) throws(FlourishError) -> ReactionPlan.Style {
        var configuration = Configuration()
        (configuration.style, configuration.seed) = (look, seed)
        let video = VideoEffects(portrait: portrait ?? 0, studioLight: studioLight ?? 0)
        configuration.videoEffects = video
        try change(&configuration)
        var style = self
        (style.look, style.seed) = (configuration.style, configuration.seed)
        let changed = configuration.videoEffects
        if changed.portrait != video.portrait { style.portrait = changed.portrait }
        if changed.studioLight != video.studioLight { style.studioLight = changed.studioLight }
        return style
    }
}

extension Configuration {
    /// Adopts a plan's style, except for locked settings: if `effects.calm` is locked to true, for example, effects are
    /// calm in every plan.
    ///
    /// - Returns: The style in force.
    mutating func adopt(_ style: ReactionPlan.Style) -> ReactionPlan.Style {
        let held = held(style)
        (self.style, seed) = (held.look, held.seed)
        videoEffects.portrait = held.portrait ?? videoEffects.portrait
        videoEffects.studioLight = held.studioLight ?? videoEffects.studioLight
        return held
    }

    /// Returns a plan's style with the locked settings in force.
    func held(_ style: ReactionPlan.Style) -> ReactionPlan.Style {
        // Errors of locked values are reported when the configuration is created.
        (try? style.changed { configuration throws(FlourishError) in locks.write(&configuration) }) ?? style
    }
}

extension Settings {
    /// A configuration file with all settings, documented and commented out. Saving it does not change anything.
    ///
    /// ```swift
    /// print(Settings.example)
    /// ```
    public static var example: String {
        var text = """
            # Settings of flourish. Commented lines show the defaults; remove the # to change one.
            # "flourish config" shows the effective settings and their origins.

            # A system's file (/etc/xdg/flourish/config.toml) can lock settings or whole tables:
            # locked = ["recognition.gestures", "output"]

            """
        var table: Substring?
        for key in SettingKey.all {
            if key.table != table {
                text += "\n[\(key.table)]\n"
                table = key.table
            }
            let option = key.option.map { " Option: \($0)." } ?? ""
            text += "\n# \(key.documentation)\(option)\n"
            text += "# Value: \(key.expectation).\n"
            let value = key.builtInValue ?? key.kind.exampleValue
            let note = key.builtInValue == nil ? "    # an example; there is no default" : ""
            text += "# \(key.shortName) = \(value.toml)\(note)\n"
        }
        return text
    }
}

extension SettingKind {
    /// A value for settings without a default.
    fileprivate var exampleValue: SettingValue {
        switch self {
        case .flag: .flag(true)
        case .number(let range, _): .number(min(range.upperBound, range.lowerBound + 20))
        case .numberOrAuto: .text("auto")
        case .integer(let range): .integer(range.lowerBound)
        case .bitRate: .text("2500k")
        case .choice(let names): .text(names.first ?? "")
        case .text(_, let example): .text(example)
        case .path: .text("~/file")
        case .palette: .text("pastel")
        case .layout: .text("auto")
        case .background: .text("blur:0.6")
        case .texts(_, let example): .list([example])
        case .gestures, .paths: .list([])
        }
    }
}
