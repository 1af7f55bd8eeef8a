import Platform

/// Reads the settings files of the system and the user, and applies their values and locks.
extension Settings {
    /// Loads the settings of this machine and this user. Missing files are skipped.
    ///
    /// ```swift
    /// let settings = try Settings.load()
    /// for warning in settings.warnings { print(warning) }
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage`` if a file is not TOML or has an invalid value,
    ///   ``FlourishError/Code/inputUnavailable`` if it cannot be read. The message names the file, the line and the
    ///   key.
    public static func load(from places: SettingsPlaces = .located()) throws(FlourishError) -> Settings {
        var settings = Settings()
        try settings.applySystemFiles(of: places)
        if places.appliesLocksOnly { settings.discardUnlocked() }
        if let path = places.userFile,
            let bytes = try SettingsDocument.bytes(of: path, isRequired: places.requiresUserFile)
        {
            let document = try SettingsDocument(path: path, bytes: bytes)
            if places.requiresUserFile, let unknown = settings.firstUnknownSetting(in: document) { throw unknown }
            try settings.apply(document, place: .userFile)
            settings.files.append(path)
        }
        return settings
    }

    /// Applies the values and the locks of the system's files.
    private mutating func applySystemFiles(of places: SettingsPlaces) throws(FlourishError) {
        var documents: [SettingsDocument] = []
        for path in places.systemFiles.reversed() {
            if let bytes = try SettingsDocument.bytes(of: path, isRequired: false) {
                documents.append(try SettingsDocument(path: path, bytes: bytes))
            }
        }
        for document in documents {
            try apply(document, place: .systemFile)
            files.append(document.path)
        }
        // Locks are applied after all values. Otherwise the lock of one system file would keep a more important one
        // from setting the value.
        for document in documents.reversed() { try lock(by: document) }
    }

    /// Returns all faults of a file, as one line for each, which names the file and the line. The faults of a user's
    /// file include settings that a run would skip because a system's file locks them.
    ///
    /// ```swift
    /// for fault in try Settings.faults(inFile: "config.toml") { print(fault) }
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable`` if the file cannot be read.
    public static func faults(
        inFile path: String, beside places: SettingsPlaces = .located()
    ) throws(FlourishError) -> [String] {
        guard let bytes = try SettingsDocument.bytes(of: path, isRequired: true) else { return [] }
        let document: SettingsDocument
        do { document = try SettingsDocument(path: path, bytes: bytes) } catch { return [error.message] }
        var faults: [String] = []
        var settings = Settings()
        if !places.systemFiles.contains(path) {
            // System files with faults are left out here, because their faults must not be reported for this file.
            var beside = Settings()
            if (try? beside.applySystemFiles(of: places)) != nil { settings = beside }
            settings.warnings = []
        }
        for entry in document.entries where entry.key != lockedKey {
            do {
                try settings.apply(entry, of: document, place: .userFile)
            } catch { faults.append(error.message) }
        }
        do { _ = try settings.lock(by: document) } catch { faults.append(error.message) }
        if path == places.userFile, let entry = document.entries.first(where: { $0.key == lockedKey }) {
            faults.append(ineffectiveLocks(entry, document))
        }
        faults += settings.warnings
        faults += settings.checked().faults.map(\.message).filter { $0.hasPrefix(path) }
        faults += settings.bindingWarnings.filter { $0.hasPrefix(path) }
        return faults
    }

    private static func ineffectiveLocks(_ entry: SettingsDocument.Entry, _ document: SettingsDocument) -> String {
        "\(place(of: entry, document)): only a system's file can lock settings; ignored"
    }

    /// The key of the list of locked settings.
    private static let lockedKey = "locked"

    /// Applies the values of a file, and adds warnings about skipped values.
    mutating func apply(
        _ document: SettingsDocument, place: SettingOrigin.Place
    ) throws(FlourishError) {
        for entry in document.entries {
            if entry.key == Self.lockedKey {
                if place != .systemFile {
                    warnings.append(Self.ineffectiveLocks(entry, document))
                }
                continue
            }
            try apply(entry, of: document, place: place)
        }
    }

    private mutating func apply(
        _ entry: SettingsDocument.Entry, of document: SettingsDocument, place: SettingOrigin.Place
    ) throws(FlourishError) {
        let spot = Self.place(of: entry, document)
        guard let index = index(of: entry.key) else {
            warnings.append(unknown(entry, document))
            return
        }
        let key = entries[index].key
        let folder = document.path.lastIndex(of: "/").map { String(document.path[..<$0]) }
        guard let value = entry.value.flatMap({ key.kind.accept($0, folder: folder) }) else {
            throw FlourishError(
                .usage, "\(spot): \(key.name) must be \(key.expectation), not \(entry.description)")
        }
        if let file = entries[index].lockedBy {
            if entries[index].value != value {
                warnings.append("\(spot): \(key.name) is locked by \(file); ignored")
            }
            return
        }
        put(value, at: index, from: SettingOrigin(place: place, name: document.path, line: entry.line))
    }

    /// Returns the error for the first setting of a file that does not exist. A file that the user names for one run is
    /// refused, since the run would not do what the file says. A file that is found by itself may be for another version.
    private mutating func firstUnknownSetting(in document: SettingsDocument) -> FlourishError? {
        document.entries.first { $0.key != Self.lockedKey && index(of: $0.key) == nil }
            .map { FlourishError(.usage, unknown($0, document)) }
    }

    private func unknown(_ entry: SettingsDocument.Entry, _ document: SettingsDocument) -> String {
        let nearest = SettingKey.nearest(to: entry.key).map { "did you mean \($0.name)?" }
        let hint =
            if entry.key.hasSuffix("." + Self.lockedKey) {
                "put locked before the first table"
            } else if entries.contains(where: { $0.key.table == entry.key }) {
                "[\(entry.key)] is a table of settings" + (nearest.map { "; \($0)" } ?? "")
            } else {
                nearest ?? "see flourish config --example"
            }
        return "\(Self.place(of: entry, document)): unknown setting \(entry.key); \(hint)"
    }

    /// Locks the settings, or the tables of settings, that a system's file lists.
    mutating func lock(by document: SettingsDocument) throws(FlourishError) {
        guard let entry = document.entries.first(where: { $0.key == Self.lockedKey }) else { return }
        let spot = Self.place(of: entry, document)
        guard case .list(let names)? = entry.value else {
            throw FlourishError(
                .usage,
                "\(spot): locked must be a list of settings, such as [\"recognition.gestures\"], not \(entry.description)"
            )
        }
        for name in names {
            var meant = entries.indices.filter { entries[$0].key.table == name }
            if meant.isEmpty { meant = index(of: name).map { [$0] } ?? [] } else { lockedTables[name] = document.path }
            guard !meant.isEmpty else {
                let hint = SettingKey.nearest(to: name).map { "; did you mean \($0.name)?" } ?? ""
                throw FlourishError(.usage, "\(spot): locked contains the unknown setting \(name)\(hint)")
            }
            for index in meant { lock(at: index, by: document.path) }
        }
    }

    /// Resets all settings that are not locked to their defaults.
    private mutating func discardUnlocked() {
        let before = self
        self = Settings()
        (warnings, files, lockedTables) = (before.warnings, before.files, before.lockedTables)
        for entry in before.entries where entry.lockedBy != nil { restore(entry) }
    }

    private static func place(of entry: SettingsDocument.Entry, _ document: SettingsDocument) -> String {
        entry.line.map { "\(document.path):\($0)" } ?? document.path
    }
}

/// The paths of the configuration files.
public struct SettingsPlaces: Sendable, Hashable {
    /// The user's file; `nil` for none.
    public var userFile: String?
    /// True if ``userFile`` must exist, and contain known settings only.
    public var requiresUserFile = false
    /// The system's files, which apply to all users of this machine; the most important one is first.
    public var systemFiles: [String] = []
    /// True if only locked settings of the system's files apply.
    public var appliesLocksOnly = false

    /// Creates an empty list, with which all settings have their defaults.
    public init() {}

    /// Returns the default paths, according to the XDG Base Directory Specification.
    ///
    /// ```swift
    /// let studio = try Settings.load(from: .located(file: "studio.toml"))
    /// let reproducible = try Settings.load(from: .located(ignoresFiles: true))
    /// ```
    ///
    /// - Parameters:
    ///   - environment: The variables. `XDG_CONFIG_HOME`, or otherwise `HOME/.config`, is the folder with
    ///     `flourish/config.toml`. `XDG_CONFIG_DIRS`, or otherwise `/etc/xdg`, lists the system's folders.
    ///     `FLOURISH_SYSTEM_CONFIG` names one file that is read instead of the system's files.
    ///   - file: The file to read instead of the user's file; it must exist, and contain known settings only.
    ///   - ignoresFiles: A Boolean value that indicates whether the user's file and unlocked settings of the system's
    ///     files are ignored.
    public static func located(
        environment: [String: String] = Resources.currentEnvironment(), file: String? = nil,
        ignoresFiles: Bool = false
    ) -> SettingsPlaces {
        var places = SettingsPlaces()
        let ending = "/flourish/config.toml"
        if let file {
            places.userFile = file
            places.requiresUserFile = true
        } else if !ignoresFiles {
            // The specification requires that relative paths are ignored.
            if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
                places.userFile = folder + ending
            } else if let home = environment["HOME"], home.hasPrefix("/") {
                places.userFile = home + "/.config" + ending
            }
        }
        if let file = environment["FLOURISH_SYSTEM_CONFIG"], !file.isEmpty {
            places.systemFiles = [file]
        } else {
            let folders = environment["XDG_CONFIG_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/etc/xdg"
            places.systemFiles = folders.split(separator: ":").filter { $0.hasPrefix("/") }
                .map { $0 + ending }
        }
        places.appliesLocksOnly = ignoresFiles
        return places
    }
}

extension SettingsDocument {
    /// The maximum size of a file, in bytes.
    private static let largest = 1 << 20

    /// Returns the bytes of a file; `nil` for a missing file that is not required.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable``.
    fileprivate static func bytes(of path: String, isRequired: Bool) throws(FlourishError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let reason = errno
            if !isRequired, reason == ENOENT || reason == ENOTDIR { return nil }
            throw unreadable(path, reason)
        }
        defer { close(descriptor) }
        guard let bytes = DescriptorInput.readAll(descriptor, limit: largest) else { throw unreadable(path, errno) }
        guard bytes.count <= largest else {
            throw FlourishError(.usage, "\(path): too large for a configuration file")
        }
        return bytes
    }

    private static func unreadable(_ path: String, _ reason: Int32) -> FlourishError {
        let text =
            switch reason {
            case ENOENT, ENOTDIR: "no such configuration file"
            case EACCES: "permission denied for the configuration file"
            case EISDIR: "is a folder, not a configuration file"
            default: "the configuration file cannot be read (error \(reason))"
            }
        return FlourishError(.inputUnavailable, "\(path): \(text)")
    }
}

/// Creates a configuration from the settings files of the machine and the user.
extension Configuration {
    /// Returns the configuration from this machine's and this user's settings files; the built-in defaults if there are
    /// none. See ``Settings`` for the origin of each value.
    ///
    /// ```swift
    /// let session = ReactionSession(configuration: try .load())
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage`` for an invalid file, ``FlourishError/Code/inputUnavailable`` for a file
    ///   that cannot be read.
    public static func load(
        from places: SettingsPlaces = .located()
    ) throws(FlourishError) -> Configuration {
        try Settings.load(from: places).configuration()
    }
}
