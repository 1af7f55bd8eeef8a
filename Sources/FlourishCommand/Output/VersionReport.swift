import Flourish
import FoundationEssentials

/// What `--version` says, which is more than the number that ArgumentParser knows.
enum VersionReport {
    /// - Parameter arguments: the program's.
    /// - Returns: `nil` where they ask for something else.
    static func text(for arguments: some Collection<String>) throws -> String? {
        switch Array(arguments) {
        case ["--version"]: words(FlourishVersion())
        case ["--version", "--json"], ["--json", "--version"]: try json(FlourishVersion())
        default: nil
        }
    }

    private static func words(_ version: FlourishVersion) -> String {
        let commit = version.commit.map { " (\($0.prefix(12))\($0.hasSuffix("-modified") ? ", modified" : ""))" } ?? ""
        let ffmpeg = version.ffmpeg.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            flourish \(version.version)\(commit)
            FFmpeg: \(ffmpeg.joined(separator: ", "))
            LiteRT: \(version.liteRT ?? "not found; flourish doctor says how to get it")
            """
    }

    private static func json(_ version: FlourishVersion) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(version), as: UTF8.self)
    }
}
