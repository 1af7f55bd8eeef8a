import Effects
import FoundationEssentials
import Inference
import MediaIO
import Platform

/// Which Flourish this is, and what it works with.
///
/// Two machines whose values are equal plan and draw alike. `flourish --version --json` prints it.
public struct FlourishVersion: Sendable, Hashable, Encodable {
    // Scripts and packages read this line; the number stands nowhere else.
    /// The number of this version, as in the change log.
    public static let number = "0.2.0"

    /// The number of this version.
    public var version: String
    /// The commit that the program was built from, followed by `-modified` where there was more; `nil` for a program
    /// that was not linked by `Scripts/install` or `Scripts/package`.
    public var commit: String?
    /// The versions of FFmpeg's libraries by their names, such as `libavcodec`.
    public var ffmpeg: [String: String]
    /// The version of the LiteRT library; `nil` where it cannot be opened, or is another one than Flourish is written for.
    public var liteRT: String?
    /// A hash of the models and weights that recognise, and of the effects and sprites that are drawn; `nil` where none
    /// were found. It has its method in front, as in `fnv1a:` and 16 digits.
    public var assets: String?

    /// Asks this machine.
    ///
    /// - Parameter resources: where models and assets lie; the usual places if `nil`.
    public init(resources: Resources? = nil) {
        let resources = resources ?? .located()
        version = Self.number
        commit = Self.linkedCommit()
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

    /// The symbol of the object that `Scripts/install` and `Scripts/package` link in.
    private static func linkedCommit() -> String? {
        guard let program = unsafe dlopen(nil, RTLD_NOW), let symbol = unsafe dlsym(program, "flourish_commit")
        else { return nil }
        return unsafe String(cString: symbol.assumingMemoryBound(to: CChar.self))
    }

    /// The names and bytes of all files that results follow from, in the order of the names.
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
