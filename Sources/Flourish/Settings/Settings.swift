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
