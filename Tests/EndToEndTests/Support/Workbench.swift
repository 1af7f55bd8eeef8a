import Foundation
import Testing
import TestSupport

/// A folder for one test in which programs run, with common operations of tests.
struct Workbench: Sendable {
    let folder: URL

    /// Runs a test in a folder that is removed afterwards.
    nonisolated(nonsending) static func with<Result>(
        _ body: nonisolated(nonsending) (Workbench) async throws -> Result
    ) async throws -> Result {
        await places.acquire()
        do {
            let result = try await withTemporaryFolder { try await body(Workbench(folder: $0)) }
            await places.release()
            return result
        } catch {
            await places.release()
            throw error
        }
    }

    /// A test with a live run would otherwise wait for the programs of hundreds of others before its next step, while the
    /// run uses the processor. Some tests wait for real time, so there are more places than cores.
    private static let places = ProgramSlots(count: 6 * ProcessInfo.processInfo.activeProcessorCount)

    func file(_ name: String) -> URL { folder.appending(path: name) }

    /// The contents of the folder, hidden files included, sorted.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

    /// Copies a file with 3,000 bytes in the middle overwritten.
    func damage(_ name: String, as copy: String) throws {
        var bytes = try bytes(name)
        bytes.replaceSubrange(bytes.count / 2..<bytes.count / 2 + 3000, with: repeatElement(0x5A, count: 3000))
        try write(bytes, as: copy)
    }

    @discardableResult
    func write(_ content: Data, as name: String) throws -> String {
        try content.write(to: file(name))
        return name
    }

    @discardableResult
    func write(_ text: String, as name: String) throws -> String { try write(Data(text.utf8), as: name) }

    /// Runs `ffmpeg` in the folder; names are those of files there.
    func ffmpeg(_ arguments: [String]) async throws { try await FFmpegTool.ffmpeg(arguments, in: folder) }

    /// Makes a short clip of the test pattern and a tone.
    func makeClip(
        _ name: String, size: String = "96x64", seconds: Double = 0.6, rate: Int = 25, sound: Bool = true,
        _ coding: [String] = Coding.h264
    ) async throws {
        let tone = sound ? ["-f", "lavfi", "-i", "sine=d=\(seconds)"] : []
        let picture = ["-f", "lavfi", "-i", "testsrc2=s=\(size):r=\(rate):d=\(seconds)"]
        try await FFmpegTool.make(picture + tone + coding, as: file(name))
    }

    /// Runs the program in the folder, whatever its exit code.
    func flourish(
        _ arguments: [String], environment: [String: String?] = [:], timeout: Duration = .seconds(60)
    ) async throws -> ProgramResult {
        try await Program.flourish.run(arguments, environment: environment, in: folder, timeout: timeout)
    }

    /// Filters without gesture recognition, with events on the standard output, and expects success.
    @discardableResult
    func filter(_ input: String, _ output: String, _ options: [String] = []) async throws -> EventLines {
        let preset = options.contains("--preset") || options.contains("--codec") ? [] : ["--preset", "ultrafast"]
        let result = try await flourish(
            ["filter", input, output, "--no-gestures", "--events", "-"] + preset + options)
        try #require(result.exitCode == 0, "\(result.command): \(result.standardError)")
        return try EventLines(result.standardOutput)
    }

    /// The contents of a folder, sorted.
    func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: file(folder).path)) ?? []).sorted()
    }

    func report(_ name: String) async throws -> MediaReport { try await MediaReport(file(name)) }

    func checksums(_ name: String) async throws -> [String] { try await FrameChecksums(of: file(name)).all }
}

/// FFmpeg's options for encoding inputs, all quick.
enum Coding {
    static let h264 = ["-c:v", "libx264", "-preset", "ultrafast"]
    static let hevc = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"]
    /// Its threads may deadlock.
    static let vp8 = ["-c:v", "libvpx", "-threads", "1", "-deadline", "realtime", "-cpu-used", "8"]
    static let vp9 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]
    static let av1 = ["-c:v", "libaom-av1", "-usage", "realtime", "-cpu-used", "8"]
    static let mpeg4 = ["-c:v", "mpeg4"]
    static let aac = ["-c:a", "aac", "-b:a", "64k"]
}
