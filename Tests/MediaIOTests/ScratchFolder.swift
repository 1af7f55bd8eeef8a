import Foundation
import Testing

/// A folder that is removed with this value, and the FFmpeg programs to fill and inspect it.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("MediaIOTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
    }

    /// Runs `ffmpeg ARGUMENTS name` and gives the path of what it made.
    func ffmpeg(_ arguments: [String], _ name: String) throws -> String {
        let output = path(name)
        try run("ffmpeg", ["-v", "error", "-nostdin", "-y", "-threads", "2"] + arguments + [output])
        return output
    }
}

struct ProgramFailure: Error, CustomStringConvertible {
    var description: String
}

/// Runs a program and gives what it printed.
@discardableResult
func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw ProgramFailure(description: "\(program) \(arguments.joined(separator: " "))")
    }
    return String(decoding: data, as: UTF8.self)
}

/// The times of all video frames, in seconds, as ffprobe prints them.
func frameTimes(_ path: String) throws -> [String] {
    try run(
        "ffprobe",
        ["-v", "error", "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time", "-of", "csv=p=0", path]
    ).split(separator: "\n").map { String($0.prefix { $0 != "," }) }
}
