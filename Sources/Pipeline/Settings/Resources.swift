import FoundationEssentials
import MediaIO
import Platform
package import Vision

/// The paths of the files that Flourish needs in addition to its code.
///
/// ``located(environment:executable:)`` searches next to an installed program, in the checkout of the program or of a
/// package that depends on it, and in the user's data folder. `Scripts/setup` puts models and library into that folder.
/// A program that runs without a checkout includes the folder `Assets` as `share/flourish/Assets` next to its `bin`, or
/// sets the folder here.
public struct Resources: Sendable, Hashable {
    /// The folder that contains `Reactions`, `Sprites` and `Gestures`; `nil` if there is none.
    public var assets: String?
    /// The folder with the `.tflite` models.
    public var models: String?
    /// The LiteRT library.
    public var liteRTLibrary: String?
    /// The folders of the custom effects.
    public var effectFolders: [String]
    /// The resources that concurrent runs share; `nil` if each run has separate ones.
    package var shared: SharedResources?

    /// Creates resources at chosen places; see ``located(environment:executable:)`` for the default places.
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

    /// Searches the default places.
    ///
    /// - Parameters:
    ///   - environment: The variables. `FLOURISH_ASSETS` names the assets. `FLOURISH_HOME`, or otherwise
    ///     `XDG_DATA_HOME/flourish`, is the folder with `models` and `lib`. `XDG_CONFIG_HOME/flourish/effects` contains
    ///     the custom effects.
    ///   - executable: The running program, or the shared library that contains this code. The folders above it are
    ///     searched, among them its prefix: `bin/..`, `lib/..` or `lib/x86_64-linux-gnu/../..`.
    public static func located(
        environment: [String: String] = currentEnvironment(),
        executable: String? = executablePath()
    ) -> Resources {
        let folders = executable.map(ancestors) ?? []
        let prefix = folders.first { exists($0 + "/share/flourish") }
        let installed = prefix.map { $0 + "/share/flourish" }
        let home = dataFolder(environment: environment)

        var assets = [environment["FLOURISH_ASSETS"], installed.map { $0 + "/Assets" }]
        assets += folders.map { $0 + "/Assets" }
        // A package that depends on this one compiles it in the checkout that contains the assets.
        assets += ancestors(of: sourceFile).map { $0 + "/Assets" }
        let models = [home + "/models", installed.map { $0 + "/models" }]
        let libraries = [home + "/lib/" + libraryName, prefix.map { $0 + "/lib/flourish/" + libraryName }]
        let explicitHome = environment["FLOURISH_HOME"] != nil
        return Resources(
            assets: assets.compactMap(\.self).first { exists($0 + "/Reactions") },
            // The files of an installed program take precedence over the user's files, because they were tested
            // together with the program. A home in the environment reverses this.
            models: (explicitHome ? models : models.reversed()).compactMap(\.self).first(where: exists),
            liteRTLibrary: (explicitHome ? libraries : libraries.reversed()).compactMap(\.self).first(where: exists),
            effectFolders: [configurationFolder(environment: environment) + "/effects"].filter(exists))
    }

    /// The path of this file at compile time.
    private static let sourceFile = #filePath

    /// Returns the environment of this process.
    public static func currentEnvironment() -> [String: String] {
        ProcessInfo.processInfo.environment
    }

    /// Returns the folder into which `Scripts/setup` puts models and library for this user.
    public static func dataFolder(environment: [String: String]) -> String {
        if let home = environment["FLOURISH_HOME"], !home.isEmpty { return home }
        if let data = environment["XDG_DATA_HOME"], !data.isEmpty { return data + "/flourish" }
        return (environment["HOME"] ?? "") + "/.local/share/flourish"
    }

    /// Returns the folder of this user's settings and effects.
    public static func configurationFolder(environment: [String: String]) -> String {
        if let folder = environment["XDG_CONFIG_HOME"], !folder.isEmpty { return folder + "/flourish" }
        return (environment["HOME"] ?? "") + "/.config/flourish"
    }

    /// Returns the running program's path, with symbolic links resolved.
    public static func executablePath() -> String? { Program.executablePath() }

    /// Returns the folders above a path, the nearest first.
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

extension ModelLease {
    /// Loads an installed model, or acquires it from the pool that runs share.
    ///
    /// - Throws: the errors of `Model` and of ``PinnedFiles/check(_:environment:)``.
    package convenience init(
        installed file: String, in resources: Resources, threads: Int = 1
    ) throws(InferenceError) {
        let home = Resources.dataFolder(environment: Resources.currentEnvironment())
        let path = (resources.models ?? home + "/models") + "/" + file
        let library = resources.liteRTLibrary ?? home + "/lib/" + Resources.libraryName
        try PinnedFiles.check(library)
        try PinnedFiles.check(path)
        try self.init(path: path, library: library, threads: threads, from: resources.shared?.models)
    }
}
