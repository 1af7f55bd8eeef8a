import Foundation
import TestSupport
import Testing

/// The sandbox features of this kernel.
private enum Kernel {
    /// Returns the doctor's findings. Its messages on a complete system have a test of their own.
    @Sendable static func isSupported() async throws -> Bool {
        let findings = try await Program.flourish.run(["doctor"], in: FileManager.default.temporaryDirectory)
        return findings.outputLines.contains { $0.hasPrefix("ok") && $0.contains("sandbox") }
    }
}

/// Operations that a run can no longer perform once it knows its inputs and outputs. All other tests run in the
/// sandbox as well.
@Suite("Sandbox", .enabled("the kernel has Landlock and seccomp", Kernel.isSupported)) struct SandboxTests {
    /// Returns the operations that succeed for a library in the program's process when an output gets its name.
    private func escapes(
        _ bench: Workbench, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let library = try #require(await bench.preloadedLibrary("escape"))
        try FileManager.default.createDirectory(at: bench.file("elsewhere"), withIntermediateDirectories: true)
        let result = try await bench.flourish(
            arguments,
            environment: [
                "LD_PRELOAD": library, "ESCAPE_FILE": bench.file("elsewhere/file").path,
            ])
        #expect(result.exitCode == 0, "\(result.standardError)", sourceLocation: sourceLocation)
        return result.standardError.split(separator: "\n").filter { $0.hasPrefix("escape: ") }.map(String.init)
    }

    private static let all = "escape: program 1, network 1, local 1, file 1"
    private static let none = "escape: program 0, network 0, local 0, file 0"

    @Test func aRunWritesItsOutputsAndNothingElse() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try FileManager.default.createDirectory(at: bench.file("out"), withIntermediateDirectories: true)
            let arguments = [
                "filter", "in.mp4", "out/out.mp4", "--no-gestures", "--reaction", "heart@0.1", "--events",
                "out/events.jsonl",
                "--report", "out/report.json", "--sidecar", "out/cues.vtt", "--overwrite",
            ]
            let kept = try await escapes(bench, arguments)
            #expect(!kept.isEmpty && kept.allSatisfy { $0 == Self.none }, "\(kept)")
            #expect(!FileManager.default.fileExists(atPath: bench.file("elsewhere/file").path))
            let outputs = try FileManager.default.contentsOfDirectory(atPath: bench.file("out").path).sorted()
            #expect(outputs == ["cues.vtt", "events.jsonl", "out.mp4", "report.json", "report.svg"])

            let free = try await escapes(bench, arguments + ["--no-sandbox"])
            #expect(free.contains(Self.all), "\(free)")
        }
    }

    @Test func aFolderOfRecordingsIsWrittenAndNothingElse() async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(at: bench.file("calls"), withIntermediateDirectories: true)
            try FileManager.default.createDirectory(at: bench.file("out"), withIntermediateDirectories: true)
            for name in ["a", "b"] { try await bench.makeClip("calls/\(name).mp4") }
            let kept = try await escapes(bench, ["filter", "calls", "--output-dir", "out", "--no-gestures"])
            #expect(kept.allSatisfy { $0 == Self.none }, "\(kept)")
            #expect(!FileManager.default.fileExists(atPath: bench.file("elsewhere/file").path))
        }
    }

    @Test func requestedOperationsAreAllowed() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let arguments = ["filter", "in.mp4", "out.mp4", "--no-gestures", "--smart-render", "never", "--overwrite"]
            // Pictures may be requested over the socket, at any path.
            let steered = try await escapes(bench, arguments + ["--control", bench.file("control.sock").path])
            #expect(steered.contains("escape: program 0, network 0, local 1, file 1"), "\(steered)")
            try? FileManager.default.removeItem(at: bench.file("elsewhere/file"))
            let served = try await escapes(bench, arguments + ["--panel"])
            #expect(served.contains { $0.hasPrefix("escape: program 0, network 1, local 1") }, "\(served)")
        }
    }

    /// The temporary file of an output behind a link grows beside the link's target.
    @Test func outputsBehindLinksAreWritten() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            for folder in ["real", "links", "more"] {
                try FileManager.default.createDirectory(at: bench.file(folder), withIntermediateDirectories: true)
            }
            try bench.write("old", as: "real/out.mp4")
            for (link, target) in [
                ("links/out.mp4", "../more/again.mp4"), ("more/again.mp4", "../real/out.mp4"),
                ("links/events.jsonl", "../real/events.jsonl"),
            ] {
                try FileManager.default.createSymbolicLink(
                    atPath: bench.file(link).path, withDestinationPath: target)
            }
            let result = try await bench.flourish(
                [
                    "filter", "in.mp4", "links/out.mp4", "--no-gestures", "--overwrite", "--events",
                    "links/events.jsonl",
                ])
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try bench.bytes("real/out.mp4").count > 1000)
            let events = try bench.bytes("real/events.jsonl")
            #expect(!events.isEmpty)
        }
    }

    @Test func outputsByDescriptorPathsAreWritten() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.shell(
                """
                flourish filter in.mp4 /dev/stdout --output-format nut --no-gestures --overwrite --events /dev/fd/5 \
                    5> events.jsonl > out.nut
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let (video, events) = (try bench.bytes("out.nut"), try bench.bytes("events.jsonl"))
            #expect(video.count > 1000 && !events.isEmpty)
        }
    }

    @Test func theDoctorTestsTheSandbox() async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["doctor"])
            let line = try #require(result.outputLines.last { $0.contains("sandbox") })
            #expect(line == "ok       sandbox: refuses starting programs, sockets, writing files other than outputs")
            #expect(bench.files.isEmpty)
        }
    }
}
