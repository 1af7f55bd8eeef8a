import MediaIO
import Pipeline
import Platform
import Vision

/// Checks the prerequisites of Flourish on this machine: reads files and opens libraries, and changes nothing.
public enum Doctor {
    /// The result of one check.
    public struct Finding: Sendable, Hashable, Encodable {
        /// The name of the item, such as `LiteRT library`.
        public var name: String
        /// True if the item is present and works.
        public var isGood: Bool
        /// True if Flourish works without it.
        public var isOptional: Bool
        /// The details of the item, or the fault.
        public var detail: String
        /// The remedy; `nil` if there is no fault.
        public var remedy: String?

        package init(name: String, isGood: Bool, isOptional: Bool, detail: String, remedy: String? = nil) {
            (self.name, self.isGood, self.isOptional) = (name, isGood, isOptional)
            (self.detail, self.remedy) = (detail, remedy)
        }
    }

    /// Runs all checks.
    ///
    /// ```swift
    /// for finding in Doctor.examine() where !finding.isGood {
    ///     print("\(finding.name): \(finding.detail)", finding.remedy ?? "")
    /// }
    /// ```
    ///
    /// - Parameter resources: The places to check; the default places if `nil`.
    /// - Returns: The findings, in a fixed order.
    public static func examine(resources: Resources? = nil) -> [Finding] {
        let resources = resources ?? .located()
        return [
            Finding(
                name: "FFmpeg", isGood: MediaLibraries.fault == nil, isOptional: false,
                detail: MediaLibraries.fault ?? ffmpeg,
                remedy: MediaLibraries.fault.map { _ in "install the FFmpeg that the program was built with" }),
            holes(),
        ] + encoders() + [effects(resources), gestures(resources), library(resources)] + models(resources) + [
            settings()
        ]
    }

    /// The kind of installation, which determines the remedies.
    private static let installation = Installation.current()

    private static var ffmpeg: String {
        MediaLibraries.release + ": "
            + MediaLibraries.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// Returns the known vulnerabilities of FFmpeg. Those of decoders that are used only on request are no fault.
    private static func holes() -> Finding {
        let name = "known holes in FFmpeg"
        guard let holes = KnownHoles.inUse else {
            return Finding(
                name: name, isGood: true, isOptional: true,
                detail: "unknown: \(MediaLibraries.release) is no release (list of \(KnownHoles.date))")
        }
        let open = holes.filter(\.isOnList)
        let list = holes.map { "\($0.record) (decoder \($0.decoder))" }.joined(separator: ", ")
        let use = holes.isEmpty ? "none" : open.isEmpty ? "\(list), unused without --decoders all" : list
        return Finding(
            name: name, isGood: open.isEmpty, isOptional: true,
            detail: "\(MediaLibraries.release): \(use) (list of \(KnownHoles.date))",
            remedy: open.isEmpty ? nil : "install a newer FFmpeg, or open trusted files only")
    }

    private static func settings() -> Finding {
        let name = "configuration"
        let remedy = "fix the file; flourish config --check lists all errors"
        do {
            let settings = try Settings.load()
            _ = try settings.configuration()
            let files =
                settings.files.isEmpty ? "no files; the defaults apply" : settings.files.joined(separator: ", ")
            let warning = settings.warnings.first
            return Finding(
                name: name, isGood: warning == nil, isOptional: true, detail: warning ?? files,
                remedy: warning.map { _ in remedy })
        } catch {
            return Finding(
                name: name, isGood: false, isOptional: false, detail: error.message, remedy: remedy)
        }
    }

    private static func encoders() -> [Finding] {
        VideoCodec.allCases.map { codec in
            let names = MediaLibraries.encoders(for: codec)
            let isGood = !names.isEmpty
            return Finding(
                name: "\(codec.rawValue) encoder", isGood: isGood, isOptional: codec != .h264,
                detail: isGood ? names.joined(separator: ", ") : "none",
                remedy: isGood ? nil : installation.gettingEncoder(of: codec))
        }
    }

    /// Returns the finding of a check.
    ///
    /// - Parameter detail: Returns the details of the item, or throws the fault.
    private static func finding(
        _ name: String, isOptional: Bool = false, remedy: String, _ detail: () throws -> String
    ) -> Finding {
        do {
            return Finding(name: name, isGood: true, isOptional: isOptional, detail: try detail())
        } catch {
            return Finding(name: name, isGood: false, isOptional: isOptional, detail: "\(error)", remedy: remedy)
        }
    }

    /// The fault of an item that is not installed.
    private struct NotFound: Error, CustomStringConvertible {
        let lack: String

        var description: String { "not found; \(lack)" }
    }

    private static func effects(_ resources: Resources) -> Finding {
        finding("effects", remedy: installation.gettingAssets) {
            "\(try EffectCatalog(resources: resources).types.count) in \(resources.assets ?? "")"
        }
    }

    private static func gestures(_ resources: Resources) -> Finding {
        finding("gesture weights", remedy: installation.gettingAssets) {
            guard let assets = resources.assets else { throw NotFound(lack: "gestures cannot be detected") }
            _ = try GestureNetwork(assets: assets)
            return assets + "/" + GestureNetwork.assetPath
        }
    }

    private static func library(_ resources: Resources) -> Finding {
        finding("LiteRT library", remedy: installation.gettingModels) {
            guard let path = resources.liteRTLibrary else { throw NotFound(lack: "gestures cannot be detected") }
            try PinnedFiles.check(path)
            _ = try InferenceLibrary(path: path)
            return path
        }
    }

    private static func models(_ resources: Resources) -> [Finding] {
        // The models of hands are required unless gestures are switched off.
        let uses =
            HandAnalyser.ModelFile.all.map { ($0, "gestures cannot be detected", false) }
            + PeopleFinder.ModelFile.all.map { ($0, "effects cannot be drawn behind people", true) }
            + [(PeopleFinder.ModelFile.pose, "objects near people may not be dimmed", true)]
            + [(FaceFinder.modelFile, "effects do not avoid faces", true)]
        return uses.map { file, lack, isOptional in
            finding(file, isOptional: isOptional, remedy: installation.gettingModels) {
                guard let folder = resources.models else { throw NotFound(lack: lack) }
                _ = try ModelLease(installed: file, in: resources)
                return folder + "/" + file
            }
        }
    }
}

/// The installation method of the running program, which determines the remedy for missing parts.
private enum Installation {
    /// Debian's package manager installed the program.
    case package
    /// The program is part of an unpacked bundle, or `install.sh` of a bundle installed it.
    case bundle
    /// `Scripts/install` installed the program.
    case prefix
    /// The program runs from its build folder, or is another program that uses the library.
    case checkout

    /// Returns the installation of the running program.
    static func current(executable: String? = Resources.executablePath()) -> Installation {
        guard let executable, let slash = executable.lastIndex(of: "/") else { return .checkout }
        // Debian requires packages to have this file, and nothing else creates it.
        if executable == "/usr/bin/flourish", exists("/usr/share/doc/flourish/copyright") { return .package }
        let prefix = executable[..<slash] + "/.."
        // The file marks a bundle, which has its own FFmpeg.
        if exists(prefix + "/lib/flourish/bundled") { return .bundle }
        return exists(prefix + "/share/flourish/Assets") ? .prefix : .checkout
    }

    /// The remedy for missing assets, which are part of the repository.
    var gettingAssets: String {
        switch self {
        case .package: Self.reinstalling
        case .bundle: Self.unpacking
        case .prefix: "run Scripts/install again"
        case .checkout: "run Scripts/install, or set FLOURISH_ASSETS to the folder Assets"
        }
    }

    /// The remedy for models and a LiteRT library that are missing, and can be downloaded.
    var gettingModels: String {
        switch self {
        case .package: Self.reinstalling
        case .bundle: Self.unpacking
        case .prefix: "run Scripts/install again, which downloads it"
        case .checkout: "run Scripts/setup, which downloads it"
        }
    }

    /// Returns the remedy for an encoder that FFmpeg lacks.
    func gettingEncoder(of codec: VideoCodec) -> String {
        if self == .bundle { return Self.unpacking }
        let needed =
            "install an FFmpeg whose libavcodec has \(MediaLibraries.usableEncoders(for: codec).joined(separator: " or "))"
        return self == .package
            ? "\(needed); Debian's has: apt-get install --reinstall \(MediaLibraries.codecPackage)" : needed
    }

    private static let unpacking = "unpack the bundle again"
    private static let reinstalling = "run, as root: apt-get install --reinstall flourish"

    private static func exists(_ path: some StringProtocol) -> Bool { unsafe access(String(path), F_OK) == 0 }
}
