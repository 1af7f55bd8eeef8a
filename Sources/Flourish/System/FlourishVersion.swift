import Effects
import FoundationEssentials
import MediaIO
import Platform
import Vision

/// The version of Flourish, and the versions of the libraries and data that it uses.
///
/// Two machines with equal values plan and render identically. Creating a value reads all models and assets. `flourish
/// --version --json` prints it.
///
/// ```swift
/// let version = FlourishVersion()
/// print(version.version, version.ffmpeg["libavcodec"] ?? "")
/// ```
public struct FlourishVersion: Sendable, Hashable, Encodable {
    // Scripts and packages read the declaration below, the only place of the number.
    /// The number of this version, as in the change log.
    public static let number = "0.2.0"

    /// The versions of the formats and protocols that other programs read, by name. An incompatible change raises the
    /// number.
    public static let schemas = [
        "control": 1, "events": ReactionEvent.schema, "plan": ReactionPlan.schema, "report": EncodingReport.schema,
    ]

    /// The number of this version.
    public var version: String
    /// The versions of the formats and protocols: ``schemas-swift.type.property``.
    public var schemas = Self.schemas
    /// The commit of the build, followed by `-modified` for uncommitted changes; `nil` for a program that was not
    /// linked by `Scripts/install` or `Scripts/package`.
    public var commit: String?
    /// The release of FFmpeg that the program runs with, such as `5.1.9-0+deb12u1`.
    public var ffmpegRelease: String
    /// The release of FFmpeg that the program was built with.
    public var ffmpegBuilt: String
    /// The versions of FFmpeg's libraries by their names, such as `libavcodec`.
    public var ffmpeg: [String: String]
    /// The version of the LiteRT library; `nil` if it cannot be opened, or has a different interface than Flourish
    /// needs.
    public var liteRT: String?
    /// A hash of models, weights, effects and sprites, after the name of the method: `fnv1a:` and 16 digits. `nil` if
    /// there are no such files.
    public var assets: String?

    /// Determines the versions on this machine.
    ///
    /// - Parameter resources: The places of models and assets; the default places if `nil`.
    public init(resources: Resources? = nil) {
        let resources = resources ?? .located()
        version = Self.number
        commit = Self.linkedCommit()
        ffmpegRelease = MediaLibraries.release
        ffmpegBuilt = MediaLibraries.builtRelease
        ffmpeg = MediaLibraries.versions
        liteRT = resources.liteRTLibrary.flatMap(Self.versionOfLiteRT)
        assets = Self.hash(of: resources)
    }

    private static func versionOfLiteRT(_ path: String) -> String? {
        do throws(InferenceError) {
            try PinnedFiles.check(path)
            _ = try InferenceLibrary(path: path)
            return InferenceLibrary.version
        } catch {
            return nil
        }
    }

    /// Returns the value of the symbol that `Scripts/install` and `Scripts/package` link in.
    private static func linkedCommit() -> String? {
        guard let program = unsafe dlopen(nil, RTLD_NOW), let symbol = unsafe dlsym(program, "flourish_commit")
        else { return nil }
        return unsafe String(cString: symbol.assumingMemoryBound(to: CChar.self))
    }

    /// Returns a hash of the names and bytes of all files that results depend on, in the order of the names.
    private static func hash(of resources: Resources) -> String? {
        var folders = ["Gestures", "Reactions", "Sprites"].compactMap { name in resources.assets.map { $0 + "/" + name }
        }
        folders += [resources.models].compactMap(\.self)
        var hash: ContentHash?
        for folder in folders {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where !name.hasPrefix(".") {
                guard let bytes = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
                hash = hash ?? ContentHash()
                hash?.add(Array(name.utf8))
                hash?.add([UInt8](bytes))
            }
        }
        return hash?.text
    }
}
