import FoundationEssentials
import Platform

/// Where the files lie that Flourish needs beside its code.
///
/// ``located(environment:executable:)`` finds them in the places where they can be: beside an installed program, in the
/// checkout of the project that the program was built from or depends on, and in the user's data folder, where
/// `Scripts/setup` puts models and library. A program of your own that is to run where there is no checkout brings the
/// folder `Assets` along, as `share/flourish/Assets` beside its `bin`, or names it here.
public struct Resources: Sendable, Hashable {
    /// The folder with `Reactions`, `Sprites` and `Gestures`; `nil` if there is none.
    public var assets: String?
    /// The folder with the `.tflite` models.
    public var models: String?
    /// The LiteRT library.
    public var liteRTLibrary: String?
    /// Folders with effects of your own.
    public var effectFolders: [String]
    /// What runs side by side have in common; `nil` where each has its own.
    package var shared: SharedMeans?

    /// Places of one's own choice; see ``located(environment:executable:)`` for the usual ones.
    public init(
        assets: String? = nil, models: String? = nil, liteRTLibrary: String? = nil,
        effectFolders: [String] = []
    ) {
        self.assets = assets
        self.models = models
        self.liteRTLibrary = liteRTLibrary
        self.effectFolders = effectFolders
    }

    static let libraryName = "libLiteRt." + Program.libraryEnding

    /// Looks in the places where the files can be.
    ///
    /// - Parameters:
    ///   - environment: `FLOURISH_ASSETS` names the assets; `FLOURISH_HOME`, or else
    ///     `XDG_DATA_HOME/flourish`, the folder with `models` and `lib`;
    ///     `XDG_CONFIG_HOME/flourish/effects` holds the user's own effects.
    ///   - executable: the running program; its prefix (`bin/..`) and the folders
    ///     above it are searched.
    public static func located(
        environment: [String: String] = currentEnvironment(),
        executable: String? = executablePath()
    ) -> Resources {
        let folders = executable.map(ancestors) ?? []
        let prefix = folders.dropFirst().first
        let installed = prefix.map { $0 + "/share/flourish" }
        let home = dataFolder(environment: environment)

        var assets = [environment["FLOURISH_ASSETS"], installed.map { $0 + "/Assets" }]
        assets += folders.map { $0 + "/Assets" }
        // Where the package is another one's dependency, it is compiled where its assets are.
        assets += ancestors(of: sourceFile).map { $0 + "/Assets" }
        let models = [home + "/models", installed.map { $0 + "/models" }]
        let libraries = [home + "/lib/" + libraryName, prefix.map { $0 + "/lib/flourish/" + libraryName }]
        let explicitHome = environment["FLOURISH_HOME"] != nil
        return Resources(
            assets: assets.compactMap(\.self).first { exists($0 + "/Reactions") },
            // An installed program's own files come before the user's, unless the
            // environment says otherwise: they have been tried together.
            models: (explicitHome ? models : models.reversed()).compactMap(\.self).first(where: exists),
            liteRTLibrary: (explicitHome ? libraries : libraries.reversed()).compactMap(\.self).first(where: exists),
            effectFolders: [configurationFolder(environment: environment) + "/effects"].filter(exists))
    }

    /// This file, as the compiler found it.
    private static let sourceFile = #filePath

    /// The environment of this process.
    public static func currentEnvironment() -> [String: String] {
        ProcessInfo.processInfo.environment
    }

    /// Where `Scripts/setup` puts models and library for this user.
    public static func dataFolder(environment: [String: String]) -> String {
        if let home = environment["FLOURISH_HOME"], !home.isEmpty { return home }
        if let data = environment["XDG_DATA_HOME"], !data.isEmpty { return data + "/flourish" }
        return (environment["HOME"] ?? "") + "/.local/share/flourish"
    }

    /// Where this user's settings and effects are.
    public static func configurationFolder(environment: [String: String]) -> String {
        if let folder = environment["XDG_CONFIG_HOME"], !folder.isEmpty { return folder + "/flourish" }
        return (environment["HOME"] ?? "") + "/.config/flourish"
    }

    /// The running program's path, with symbolic links resolved.
    public static func executablePath() -> String? { Program.executablePath() }

    /// The folders above a path, the nearest first.
    private static func ancestors(of path: String) -> [String] {
        var folders: [String] = []
        var rest = path[...]
        while let slash = rest.lastIndex(of: "/"), slash != rest.startIndex {
            rest = rest[..<slash]
            folders.append(String(rest))
        }
        return folders
    }

    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
