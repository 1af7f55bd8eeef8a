import Foundation
import TestSupport
import Testing

/// Inputs that caused failures before, and a few mutated inputs for each target: `Scripts/fuzz` runs many more.
@Suite("Fuzzing") struct FuzzTests {
    private func fuzz(_ arguments: [String]) async throws -> ProgramResult {
        let program = Program(
            executable: Program.flourish.executable.deletingLastPathComponent().appending(path: "fuzz"))
        return try await withTemporaryFolder { folder in
            try await program.run(
                arguments + [
                    "--assets", Repository.root.appending(path: "Assets").path, "--findings",
                    folder.appending(path: "findings").path, "--scratch", folder.appending(path: "scratch").path,
                ], in: folder)
        }
    }

    @Test func knownInputsCauseNoFailure() async throws {
        let result = try await fuzz(["--corpus", Repository.root.appending(path: "Tests/EndToEndTests/Corpus").path])
        #expect(result.exitCode == 0, "\(result.standardOutput) \(result.standardError)")
    }

    @Test func mutatedInputsCauseNoFailure() async throws {
        let targets = [
            "effect", "sprite", "palette", "gestures", "weights", "puppet", "configuration", "plan", "patch", "markers",
            "meeting", "control", "request", "sei", "negative",
        ]
        let result = try await fuzz(targets + ["--runs", "20"])
        #expect(result.exitCode == 0, "\(result.standardOutput) \(result.standardError)")
        #expect(result.outputLines.count == targets.count)
    }

    @Test func mutatedRecordingsCauseNoFailure() async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(at: bench.file("seeds"), withIntermediateDirectories: false)
            try await bench.makeClip("seeds/a.mp4", size: "64x48", Coding.h264 + ["-g", "6"] + Coding.aac)
            try await bench.makeClip("seeds/b.mkv", size: "64x48", sound: false)
            try await bench.makeClip("seeds/c.ts", size: "64x48", Coding.h264 + Coding.aac)
            let result = try await fuzz(["media", "--runs", "25", "--seeds", bench.file("seeds").path])
            #expect(result.exitCode == 0, "\(result.standardOutput) \(result.standardError)")
        }
    }
}
