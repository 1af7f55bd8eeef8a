/// The files that settings come from.
public struct SettingsPlaces: Sendable, Hashable {
    /// The user's own file; `nil` for none.
    public var userFile: String?
    /// Whether ``userFile`` must be there.
    public var requiresUserFile = false
    /// The files for everybody on this machine, the most important first.
    public var systemFiles: [String] = []
    /// Whether of the system's files only what they lock is heeded.
    public var heedsLocksOnly = false

    /// No files: every setting is built in.
    public init() {}

    /// The usual files, after the XDG Base Directory Specification.
    ///
    /// - Parameters:
    ///   - environment: `XDG_CONFIG_HOME`, or else `HOME/.config`, is the folder with
    ///     `flourish/config.toml`; `XDG_CONFIG_DIRS`, or else `/etc/xdg`, lists those of the
    ///     system. `FLOURISH_SYSTEM_CONFIG` names one file to read instead of the system's.
    ///   - file: a file to read instead of the user's; it must be there.
    ///   - ignoresFiles: leaves out the user's file, and of the system's all that is not locked.
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
            // The specification wants paths that are not absolute to be ignored.
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
        places.heedsLocksOnly = ignoresFiles
        return places
    }
}
