import MediaIO
import Platform

/// How the running program came to this machine, from which follows how to get what it lacks.
enum Installation {
    /// Debian's package manager put it there.
    case package
    /// `Scripts/install` did.
    case prefix
    /// It lies where it was built, or is a program that depends on the package.
    case checkout

    /// That of the running program.
    static func current(executable: String? = Resources.executablePath()) -> Installation {
        guard let executable, let slash = executable.lastIndex(of: "/") else { return .checkout }
        // Debian demands this file of packages, and nothing else puts it there.
        if executable == "/usr/bin/flourish", exists("/usr/share/doc/flourish/copyright") { return .package }
        return exists(executable[..<slash] + "/../share/flourish/Assets") ? .prefix : .checkout
    }

    /// How to get assets, which are part of the repository.
    var gettingAssets: String {
        switch self {
        case .package: Self.reinstalling
        case .prefix: "run Scripts/install again"
        case .checkout: "run Scripts/install, or set FLOURISH_ASSETS to the folder Assets"
        }
    }

    /// How to get models and the LiteRT library, which are not.
    var gettingModels: String {
        switch self {
        case .package: Self.reinstalling
        case .prefix: "run Scripts/install again, which downloads it"
        case .checkout: "run Scripts/setup, which downloads it"
        }
    }

    /// How to get an encoder that FFmpeg lacks.
    ///
    /// - Parameter codec: which one.
    func gettingEncoder(of codec: VideoCodec) -> String {
        let needed =
            "install an FFmpeg whose libavcodec has \(MediaLibraries.usableEncoders(for: codec).joined(separator: " or "))"
        return self == .package ? "\(needed); Debian's has: apt-get install --reinstall libavcodec59" : needed
    }

    private static let reinstalling = "run, as root: apt-get install --reinstall flourish"

    private static func exists(_ path: some StringProtocol) -> Bool { unsafe access(String(path), F_OK) == 0 }
}
