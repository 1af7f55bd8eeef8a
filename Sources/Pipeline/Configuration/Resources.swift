import FoundationEssentials
package import Inference
import MediaIO
import Platform
import Synchronization

/// The places of the files that Flourish needs besides its code.
///
/// ``located(environment:executable:)`` finds the resources beside an installed program, in the checkout that the
/// program was built from or depends on, and in the user's data folder, where `Scripts/setup` puts models and library.
/// A program that runs without a checkout ships the folder `Assets` as `share/flourish/Assets` beside its `bin`, or
/// names the folder here.
public struct Resources: Sendable, Hashable {
    /// The folder that contains `Reactions`, `Sprites` and `Gestures`; `nil` if there is none.
    public var assets: String?
    /// The folder with the `.tflite` models.
    public var models: String?
    /// The LiteRT library.
    public var liteRTLibrary: String?
    /// The folders of the user's own effects.
    public var effectFolders: [String]
    /// The resources that concurrent runs share; `nil` if each run has its own.
    package var shared: SharedResources?

    /// Creates resources at chosen places; see ``located(environment:executable:)`` for the usual ones.
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

    /// Searches the usual places.
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
        // A package that depends on this one compiles it in the checkout with the assets.
        assets += ancestors(of: sourceFile).map { $0 + "/Assets" }
        let models = [home + "/models", installed.map { $0 + "/models" }]
        let libraries = [home + "/lib/" + libraryName, prefix.map { $0 + "/lib/flourish/" + libraryName }]
        let explicitHome = environment["FLOURISH_HOME"] != nil
        return Resources(
            assets: assets.compactMap(\.self).first { exists($0 + "/Reactions") },
            // The files of an installed program take precedence over the user's, unless the environment sets a home: they
            // have been tested together.
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

/// The library and the models with which this version was tested, as `Scripts/setup` downloads them.
///
/// The contents are executed without validation: a damaged byte could crash the process or cause false detections.
package enum PinnedFiles {
    /// The SHA-256 of each model by its name, from `Scripts/pins.txt`.
    static let models = [
        "palm_detection_lite.tflite": "e9a4aaddf90dda56a87235303cf00e4c2d3fb28725f68fd88772997dac905c18",
        "palm_detection_full.tflite": "1b14e9422c6ad006cde6581a46c8b90dd573c07ab7f3934b5589e7cea3f89a54",
        "hand_landmark_lite.tflite": "048edd3645c9bf7397d19a9f6e3a42957d6e414c9bea6598030a2e9b624156e6",
        "hand_landmark_full.tflite": "11c272b891e1a99ab034208e23937a8008388cf11ed2a9d776ed3d01d0ba00e3",
        "selfie_segmentation.tflite": "9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c",
        "selfie_segmentation_landscape.tflite": "a77d03f4659b9f6b6c1f5106947bf40e99d7655094b6527f214ea7d451106edd",
        "face_detection_short_range.tflite": "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8",
        "pose_landmark_full.tflite": "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f",
    ]
    /// The SHA-256 of LiteRT by architecture, from `Scripts/pins.txt`.
    static let libraries = [
        "x86_64": "eec47eb35e2924b3166015887e652a58edc9af823ae38e02bf83bef2548300bb",
        "aarch64": "b57687dc234d2b8b0598aef5a9c961ed24263df8f8b3f56adbee1cff618e544b",
        "arm64": "f3d8b2c3dea5125111de6b005820088629efd13db04b5f157ffd4f2c5dbb318b",
    ]
    /// The environment variable that allows other files, such as a custom build of LiteRT.
    static let allowance = "FLOURISH_ANY_RUNTIME"

    #if os(macOS)
    private static let machine = "arm64"
    #elseif arch(arm64)
    private static let machine = "aarch64"
    #else
    private static let machine = "x86_64"
    #endif

    /// The stamps of the files that were verified.
    private static let known = Mutex<[String: FileStamp]>([:])

    /// Verifies a file before it is opened, once while it is unchanged (15 ms for LiteRT, up to 13 ms for a model).
    ///
    /// A file that cannot be read passes; opening it reports the error.
    ///
    /// - Throws: `.libraryDamaged` or `.modelDamaged`.
    package static func check(
        _ path: String, environment: @autoclosure () -> [String: String] = Resources.currentEnvironment()
    ) throws(InferenceError) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let isLibrary = name == Resources.libraryName
        guard let sum = isLibrary ? libraries[machine] : models[name], let stamp = FileStamp(of: path),
            known.withLock({ $0[path] }) != stamp, let found = FileDigest.sha256(of: path)
        else { return }
        if found != sum, environment()[allowance, default: ""].isEmpty {
            throw InferenceError(
                isLibrary ? .libraryDamaged : .modelDamaged, path: path,
                detail: "its SHA-256 differs from the tested file's; set \(allowance)=1 to use it anyway")
        }
        known.withLock { $0[path] = stamp }
    }
}

extension ModelLease {
    /// Loads one of the installed models, or acquires it from the pool that runs share.
    ///
    /// - Throws: the errors of `Model` and of ``PinnedFiles/check(_:environment:)``.
    package convenience init(
        installed file: String, in resources: Resources, tapping output: String? = nil, size: InputSize? = nil,
        threads: Int = 1
    ) throws(InferenceError) {
        let home = Resources.dataFolder(environment: Resources.currentEnvironment())
        let path = (resources.models ?? home + "/models") + "/" + file
        let library = resources.liteRTLibrary ?? home + "/lib/" + Resources.libraryName
        try PinnedFiles.check(library)
        try PinnedFiles.check(path)
        try self.init(
            path: path, library: library, tapping: output, size: size, threads: threads,
            from: resources.shared?.models)
    }
}
