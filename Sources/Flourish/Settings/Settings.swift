import MediaIO

/// The settings that hold, and where each comes from.
///
/// ```swift
/// var settings = try Settings.load()
/// try settings.set("recognition.hold", to: .number(0.7))
/// let session = ReactionSession(configuration: try settings.configuration())
/// ```
///
/// Options outdo the user's file, that outdoes the system's, and that what is built in;
/// but what a system's file locks nothing outdoes.
public struct Settings: Sendable {
    /// A setting as it holds.
    public struct Entry: Sendable {
        /// Which setting it is.
        public let key: SettingKey
        /// `nil` where none is chosen.
        public internal(set) var value: SettingValue?
        /// Where the value comes from.
        public internal(set) var origin: SettingOrigin
        /// The system's file that locks it; `nil` where it is free.
        public internal(set) var lockedBy: String?
    }

    /// All settings, in the order of ``SettingKey/all``.
    public private(set) var entries: [Entry]
    /// What was passed over in files: unknown keys, and values of locked ones. One line each.
    public internal(set) var warnings: [String] = []
    /// The files that were read.
    public internal(set) var files: [String] = []

    /// Whether the codec is one that the output's container takes, rather than one that somebody chose.
    var followsContainer = false
    /// The tables that a system's file locks as a whole, with the file.
    var lockedTables: [String: String] = [:]

    /// The settings that are built in.
    public init() {
        entries = SettingKey.all.map { Entry(key: $0, value: $0.builtInValue, origin: .builtIn) }
    }

    /// The setting with a name; `nil` where there is none.
    public subscript(name: String) -> Entry? { entries.first { $0.key.name == name } }

    /// Sets a value as an option of the command line would.
    ///
    /// - Throws: ``FlourishError/Code/usage`` for an unknown name, a value that the setting
    ///   does not take, and a setting that is locked to another value.
    public mutating func set(_ name: String, to value: SettingValue) throws(FlourishError) {
        guard let index = index(of: name) else {
            throw FlourishError(.usage, "there is no setting \(name)")
        }
        let entry = entries[index]
        let called = entry.key.option ?? name
        guard let accepted = entry.key.kind.accept(value) else {
            throw FlourishError(.usage, "\(called) must be \(entry.key.expectation), not \(value.toml)")
        }
        if let file = entry.lockedBy, entry.value != accepted {
            let held = entry.value.map { "to \($0.toml) " } ?? ""
            throw FlourishError(
                .usage, "\(called): \(file) locks \(name) \(held)for everybody on this machine; leave the option out")
        }
        put(accepted, at: index, from: SettingOrigin(place: .option, name: called))
    }

    /// Where a setting stands in ``entries``. One of a gesture of somebody's own has its place
    /// from when it is asked for first.
    mutating func index(of name: String) -> Int? {
        if let index = entries.firstIndex(where: { $0.key.name == name }) { return index }
        guard let key = SettingKey.ofOwnGesture(name) else { return nil }
        let index = (entries.lastIndex { $0.key.table == key.table } ?? entries.count - 1) + 1
        entries.insert(
            Entry(key: key, value: nil, origin: .builtIn, lockedBy: lockedTables[String(key.table)]), at: index)
        return index
    }

    /// Puts an accepted value in its place, and takes back what it makes meaningless.
    mutating func put(_ value: SettingValue, at index: Int, from origin: SettingOrigin) {
        let before = entries[index]
        entries[index].value = value
        entries[index].origin = origin
        for place in entries.indices {
            guard entries[place].origin.place < origin.place, entries[place].lockedBy == nil,
                entries[place].key.givesWay(to: before.key, changed: before.value != value)
            else { continue }
            entries[place].value = entries[place].key.builtInValue
            entries[place].origin = .builtIn
        }
    }

    mutating func restore(_ entry: Entry) {
        if let index = index(of: entry.key.name) { entries[index] = entry }
    }

    mutating func lock(at index: Int, by file: String) {
        if entries[index].lockedBy == nil { entries[index].lockedBy = file }
    }
}

/// Where a setting's value comes from.
public struct SettingOrigin: Sendable, Hashable {
    /// The kinds of places, each of which outdoes the ones before it.
    public enum Place: String, Sendable, Hashable, CaseIterable, Comparable {
        /// The program's own choice.
        case builtIn
        /// A file for everybody on this machine.
        case systemFile
        /// The user's own file.
        case userFile
        /// The command line.
        case option

        var isFile: Bool { self == .systemFile || self == .userFile }

        public static func < (a: Place, b: Place) -> Bool {
            allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)!
        }
    }

    /// What kind of place it is.
    public var place: Place
    /// The file's path, or the option; `nil` for what is built in.
    public var name: String?
    /// The line in the file, where it is known.
    public var line: Int?

    static let builtIn = SettingOrigin(place: .builtIn)

    /// "config.toml:3", "--hold" or "built in"
    public var text: String {
        guard let name else { return "built in" }
        return line.map { "\(name):\($0)" } ?? name
    }
}

extension Settings {
    /// A session's configuration with these settings.
    ///
    /// - Throws: ``FlourishError/Code/usage`` where they contradict each other.
    public func configuration() throws(FlourishError) -> Configuration {
        let (configuration, faults) = checked()
        if let fault = faults.first { throw fault }
        return configuration
    }

    /// The configuration, and everything for which ``configuration()`` refuses it.
    func checked() -> (configuration: Configuration, faults: [FlourishError]) {
        var configuration = Configuration()
        var faults: [FlourishError] = []
        for entry in entries {
            do {
                try entry.key.write(entry.value, &configuration)
            } catch {
                // What options say speaks for itself.
                faults.append(entry.origin.place.isFile ? error.said(at: entry.origin) : error)
            }
        }
        configuration.encoding.namesCodec = namesCodec
        configuration.locks = locks
        for fault in configuration.faults {
            // What files say is named with its line.
            let origins = fault.names.compactMap { self[$0]?.origin }.filter(\.place.isFile)
            let error = FlourishError(.usage, fault.message)
            faults.append(origins.last.map(error.said) ?? error)
        }
        return (
            configuration, faults + idleFaults + gestureFaults(of: configuration) + bindingFaults(of: configuration)
        )
    }

    /// Options that have no effect beside another option: each is given for a purpose. What files set they may repeat.
    private var idleFaults: [FlourishError] {
        entries.filter { $0.origin.place == .option }.flatMap { entry in
            entry.key.rules.compactMap { rule -> FlourishError? in
                guard case .idle(let name, let value) = rule, let other = self[name], other.value == value,
                    other.origin.place == .option
                else { return nil }
                return FlourishError(
                    .usage, "\(entry.origin.text) has no effect beside \(other.origin.text); leave one out")
            }
        }
    }

    /// A file's bindings to reactions that there are not; a session would refuse them, too, but could not name the
    /// file.
    private func bindingFaults(of configuration: Configuration) -> [FlourishError] {
        let bound = entries.filter { $0.key.table == SettingKey.bindingsTable && $0.origin.place.isFile }
        guard !bound.isEmpty,
            let catalog = try? EffectCatalog(resources: configuration.resources ?? .located())
        else { return [] }
        return bound.compactMap { entry -> FlourishError? in
            guard case .text(let name)? = entry.value else { return nil }
            do throws(FlourishError) { try catalog.check([ReactionType(rawValue: name)]) } catch {
                return error.said(at: entry.origin)
            }
            return nil
        }
    }
}

extension FlourishError {
    /// The same, with where it was said.
    func said(at origin: SettingOrigin) -> FlourishError {
        FlourishError(code, "\(origin.text): \(problem)", remedy: remedy)
    }
}

extension Settings {
    /// Chooses VP9 for a container that takes no H.264, which is the usual codec, unless an option or a file says
    /// which codec it is to be.
    ///
    /// - Parameters:
    ///   - output: the path of the video that is to be written.
    ///   - format: the name of its container, where that does not follow from the path.
    package mutating func chooseCodec(for output: String, format: String? = nil) {
        let name = "encoding.codec"
        guard let index = index(of: name), entries[index].origin.place == .builtIn else { return }
        guard Self.container(of: output, format: format)?.takesH264 == false else { return }
        // Where the codec is locked nobody may choose another: nobody does.
        put(
            .text(EncodingOptions.Codec.vp9.rawValue), at: index,
            from: SettingOrigin(place: .option, name: entries[index].key.option ?? name))
        followsContainer = true
    }

    /// The container that holds an output's pictures as they are, as people call it; `nil` where they are coded.
    ///
    /// - Parameters: as in ``chooseCodec(for:format:)``.
    package static func uncompressedContainer(of output: String, format: String? = nil) -> String? {
        guard let container = container(of: output, format: format), container.isUncompressed else { return nil }
        return container.displayName
    }

    private static func container(of output: String, format: String?) -> ContainerFormat? {
        guard let format else { return .chosen(for: output) }
        return ContainerFormat(name: format).flatMap { .chosen(for: output, format: $0) }
    }

    /// Whether somebody said which codec it is to be.
    var namesCodec: Bool {
        guard let codec = self["encoding.codec"], !followsContainer else { return false }
        return codec.origin.place != .builtIn
    }
}

extension Settings {
    /// What the system's file locks.
    var locks: SettingLocks {
        var locks = SettingLocks()
        for entry in entries { locks.files[entry.key.name] = entry.lockedBy }
        let locked = entries.filter { $0.lockedBy != nil && $0.value != nil }
        locks.write = { configuration in
            // A value that cannot be written has been told of where the settings were made a configuration.
            for entry in locked { try? entry.key.write(entry.value, &configuration) }
        }
        return locks
    }
}

extension Configuration {
    /// A plan's style where it heeds what the system's file locks: calm effects that are locked are calm for everybody,
    /// whatever plan somebody brings.
    func held(_ style: ReactionPlan.Style) -> ReactionPlan.Style {
        var style = style
        var look = Configuration()
        (look.style, look.seed) = (style.look, style.seed)
        locks.write(&look)
        (style.look, style.seed) = (look.style, look.seed)
        return style
    }

    /// Takes over how a plan's reactions look, as far as nothing of it is locked.
    ///
    /// - Returns: the style that holds.
    mutating func take(_ style: ReactionPlan.Style) -> ReactionPlan.Style {
        let held = held(style)
        (self.style, seed) = (held.look, held.seed)
        return held
    }
}

extension Settings {
    /// A configuration file with every setting, each explained and commented out, so that
    /// saving it changes nothing.
    public static var example: String {
        var text = """
            # Settings of flourish. Lines with a # say what is built in; remove the # to change it.
            # "flourish config" shows what holds and where it comes from.

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
            let note = key.builtInValue == nil ? "    # an example; nothing is built in" : ""
            text += "# \(key.shortName) = \(value.toml)\(note)\n"
        }
        return text
    }
}

extension SettingKind {
    /// A value to show where none is built in.
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
        case .gestures, .paths: .list([])
        }
    }
}
