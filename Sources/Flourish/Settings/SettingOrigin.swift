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
