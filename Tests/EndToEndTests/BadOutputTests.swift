import Foundation
import Testing
import TestSupport

/// Indicates whether this machine lets the tests mount a small disk.
let canMount: Bool = {
    guard geteuid() == 0, let folder = try? TemporaryFolder.create() else { return false }
    defer { try? FileManager.default.removeItem(at: folder) }
    func run(_ tool: String, _ arguments: [String]) -> Bool {
        guard let program = try? Program.onPath(tool) else { return false }
        let process = Process()
        process.executableURL = program.executable
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
    guard run("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path]) else { return false }
    return run("umount", [folder.path])
}()

/// Returns whether the program starts where files may not grow. A build for ThreadSanitizer does not.
@Sendable private func startsWhereFilesCannotGrow() async throws -> Bool {
    let result = try await Program.onPath("sh").run(
        ["-c", "ulimit -f 16; exec \"$0\" --version", Program.flourish.executable.path],
        in: FileManager.default.temporaryDirectory)
    return result.exitCode == 0
}

@Suite("Bad output")
struct BadOutputTests {
    /// Analysis takes minutes, and the output is written only after it.
    @Test(arguments: [["filter", "in.mp4", "nowhere/out.mp4"], ["plan", "in.mp4", "-o", "nowhere/plan.json"]])
    func missingFoldersAreNamedBeforeAnalysis(_ arguments: [String]) async throws {
        try await Workbench.with { bench in
            // Reading it would be another error.
            try bench.write("no video", as: "in.mp4")
            let result = try await bench.flourish(arguments + ["--no-gestures"])
            let output = try #require(arguments.last)
            expectRefusal(result, code: 73, naming: output, saying: "its folder does not exist")
        }
    }

    /// The check happens before the first edit.
    @Test(arguments: [("out.xyz", 64, ".mp4"), ("nowhere/out.mp4", 73, "its folder does not exist")])
    func reviewWithoutWritableOutputIsRefused(_ output: String, _ code: Int32, _ words: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(["review", "in.mp4", output])
            expectRefusal(result, code: code, naming: output, saying: words)
        }
    }

    @Test func impossibleOutputsAreNamed() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try FileManager.default.createDirectory(at: bench.file("folder.mp4"), withIntermediateDirectories: false)
            for (output, code, words) in [
                ("out.xyz", 64, ".mp4"), ("out", 64, ".mp4"), ("nowhere/out.mp4", 73, "folder does not exist"),
                ("folder.mp4", 73, "is a folder"), ("/proc/out.mp4", 73, "folder"),
                (String(repeating: "n", count: 300) + ".mp4", 73, "too long"),
            ] as [(String, Int32, String)] {
                let result = try await bench.flourish(["in.mp4", output, "--no-gestures", "--quiet"])
                expectRefusal(result, code: code, naming: output, saying: words)
                #expect(bench.files == ["folder.mp4", "in.mp4"])
            }
        }
    }

    @Test func existingOutputsAreReplacedOnlyOnRequest() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try bench.write("precious", as: "out.mp4")
            let refused = try await bench.flourish(["in.mp4", "out.mp4", "--no-gestures"])
            expectRefusal(refused, code: 73, naming: "out.mp4", saying: "exists", "--overwrite")
            #expect(try bench.bytes("out.mp4") == Data("precious".utf8))

            // A run that fails leaves what was there, overwriting or not.
            let failed = try await bench.flourish(
                ["in.mp4", "out.mp4", "--overwrite", "--no-gestures", "--preset", "sluggish"])
            expectRefusal(failed, code: 64, naming: "", saying: "sluggish")
            #expect(try bench.bytes("out.mp4") == Data("precious".utf8))

            try await bench.filter("in.mp4", "out.mp4", ["--overwrite"])
            #expect(try await bench.report("out.mp4").frameTimes.count == 15)
            #expect(bench.files == ["in.mp4", "out.mp4"])
        }
    }

    @Test func outputsCreatedDuringTheRunAreNotReplaced() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("clip.nut", sound: false)
            let (run, writer) = try await bench.startOnPipe()
            try writer.write(contentsOf: bench.bytes("clip.nut"))
            // By this time the existence check has already passed.
            try bench.write("precious", as: "out.mkv")
            try bench.write("precious, too", as: "out-1.mkv")
            try writer.close()
            let result = try await run.result()
            expectRefusal(
                result, code: 73, naming: "out.mkv", saying: "another program has created this file",
                "kept as out-2.mkv")
            #expect(try bench.bytes("out.mkv") == Data("precious".utf8))
            #expect(try bench.bytes("out-1.mkv") == Data("precious, too".utf8))
            #expect(try await bench.report("out-2.mkv").frameTimes.count == 15)
            #expect(bench.files == ["clip.nut", "in.pipe", "out-1.mkv", "out-2.mkv", "out.mkv"])
        }
    }

    @Test func theInputIsNeverTheOutput() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let original = try bench.bytes("in.mp4")
            let manager = FileManager.default
            try manager.createSymbolicLink(atPath: bench.file("soft.mp4").path, withDestinationPath: "in.mp4")
            try manager.linkItem(at: bench.file("in.mp4"), to: bench.file("hard.mp4"))
            for output in ["in.mp4", "./in.mp4", "soft.mp4", "hard.mp4", bench.file("in.mp4").path] {
                for options in [["--no-gestures"], ["--no-gestures", "--overwrite"]] {
                    let result = try await bench.flourish(["in.mp4", output] + options)
                    expectRefusal(result, code: 64, naming: output, saying: "same file")
                }
            }
            let events = try await bench.flourish(["in.mp4", "out.mp4", "--no-gestures", "--events", "in.mp4"])
            #expect(events.exitCode == 64, "events would destroy the input")
            #expect(try bench.bytes("in.mp4") == original)
            #expect(bench.files == ["hard.mp4", "in.mp4", "soft.mp4"])
        }
    }

    /// A shell's redirection gives the program a file without its name.
    @Test(arguments: [
        "out.mp4 --events in.nut", "in.nut --overwrite", "out.mp4 --sidecar in.nut", "out.mp4 --report in.nut",
        "out.mp4 --events /dev/stdin", "out.mp4 --events /dev/fd/0", "out.mp4 --sidecar /proc/self/fd/0",
        "/dev/stdin --overwrite", "- >> in.nut", "out.mp4 --events - >> in.nut",
        "out.mp4 --events /dev/fd/7 7>> in.nut",
    ])
    func theFileBehindStandardInputIsKept(_ words: String) async throws {
        try await expectRefusalThatKeepsTheInput("flourish - \(words) --no-gestures < in.nut")
    }

    @Test(arguments: ["detect in.nut", "filter in.nut -", "detect in.nut --events /dev/stdout"])
    func standardOutputIsNeverTheInput(_ words: String) async throws {
        try await expectRefusalThatKeepsTheInput("flourish \(words) >> in.nut")
    }

    /// Expects a command about `in.nut` to be refused, and nothing to be written.
    private func expectRefusalThatKeepsTheInput(_ command: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.nut")
            let original = try bench.bytes("in.nut")
            let result = try await bench.shell(command)
            #expect(result.exitCode == 64, "\(result.standardError)")
            #expect(try bench.bytes("in.nut") == original)
            #expect(bench.files == ["in.nut"])
        }
    }

    /// The output is deleted while it is written. The MP4 muxer opens it once more at the end.
    @Test(arguments: ["mp4", "mkv"]) func outputsRemovedDuringTheRunAreReported(_ container: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.nut")
            let result = try await bench.shell(
                """
                { cat in.nut; while ! rm .out.\(container).partial-*; do sleep 0.05; done 2> removing; } |
                    flourish - out.\(container) --no-gestures
                """)
            expectRefusal(
                result, code: 74, naming: "out.\(container): its temporary file", saying: "removed by another program")
            #expect(!bench.files.contains { $0.contains("out.") })
        }
    }

    /// A limit on the file size simulates a full disk on every system.
    @Test(
        .enabled("the program starts where files cannot grow", startsWhereFilesCannotGrow),
        arguments: ["mp4", "mkv", "ts"])
    func aFileThatCannotGrowLeavesNothing(_ container: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "320x180", seconds: 1)
            try bench.write("precious", as: "out.\(container)")
            let command = "ulimit -f 16; exec \"$0\" \"$@\""
            let result = try await Program.onPath("sh").run(
                [
                    "-c", command, Program.flourish.executable.path, "in.mp4", "out.\(container)", "--crf", "1",
                    "--no-gestures", "--preset", "ultrafast", "--overwrite",
                ], in: bench.folder)
            expectRefusal(result, code: 74, naming: "out.\(container)", saying: "could not be written")
            #expect(try bench.bytes("out.\(container)") == Data("precious".utf8))
            #expect(bench.files == ["in.mp4", "out.\(container)"])
        }
    }

    @Test(.enabled(if: canMount, "needs leave to mount a disk"), arguments: ["mp4", "mkv"])
    func aFullDiskIsReported(_ container: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "320x180", seconds: 1)
            let disk = bench.file("disk")
            try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
            try await Program.onPath("mount").succeed(["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk.path])
            let result = try? await bench.flourish(
                ["in.mp4", "disk/out.\(container)", "--crf", "1", "--no-gestures", "--preset", "ultrafast"])
            let left = try? FileManager.default.contentsOfDirectory(atPath: disk.path)
            try await Program.onPath("umount").succeed([disk.path])
            expectRefusal(try #require(result), code: 74, naming: "disk/out.\(container)", saying: "disk is full")
            #expect(left == [])
        }
    }

    @Test func eventsThatCannotBeWrittenAreNamed() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(
                ["in.mp4", "out.mp4", "--no-gestures", "--events", "nowhere/events.jsonl"])
            expectRefusal(result, code: 73, naming: "nowhere/events.jsonl", saying: "events")
            #expect(bench.files == ["in.mp4"])

            let full = try await bench.flourish(["in.mp4", "out.mp4", "--no-gestures", "--events", "/dev/full"])
            expectRefusal(full, code: 74, naming: "/dev/full", saying: "events")
        }
    }

    /// A full disk and a closed output alike.
    @Test(arguments: ["reactions --json", "config --example", "doctor"], ["> /dev/full", ">&-"])
    func printingErrorsAreReported(_ command: String, _ output: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.shell("flourish \(command) \(output)")
            expectRefusal(result, code: 74, naming: "-", saying: "standard output")
        }
    }

    /// A file that is opened in place of the closed standard error would receive its messages.
    @Test func closedDescriptorsDamageNoFile() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.shell(
                "flourish in.mp4 out.mp4 --no-gestures --preset ultrafast --log-level debug <&- >&- 2>&-")
            #expect(result.exitCode == 0)
            try await bench.filter("in.mp4", "same.mp4")
            #expect(try bench.bytes("out.mp4") == bench.bytes("same.mp4"))
        }
    }

    @Test func badOptionsAreNamed() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            for (options, words) in [
                (["--crf", "99"], "crf"), (["--crf", "-1"], "crf"), (["--crf", "20", "--bitrate", "1M"], "bitrate"),
                (["--bitrate", "fast"], "bitrate"), (["--codec", "mpeg1"], "codec"), (["--hold", "-1"], "hold"),
                (["--disable", "wave"], "wave"), (["--reaction", "wave"], "wave"),
                (["--reaction", "heart@soon"], "heart@soon"),
                (["--reaction", "heart@1,2,3"], "heart@1,2,3"), (["--nonsense"], "nonsense"),
                (["--pixel-format", "plaid"], "plaid"), (["--pixel-format", "gray"], "gray"),
                (["--pixel-format", "nv12"], "yuv420p"), (["--report", "."], "--report"),
                (["--preset", "sluggish"], "sluggish"),
                (["--crf", "60"], "crf"),
            ] as [([String], String)] {
                // An option of recognition has no effect beside it.
                let others = options.contains("--disable") ? [] : ["--no-gestures"]
                let result = try await bench.flourish(["filter", "in.mp4", "out.mp4"] + others + options)
                #expect(result.exitCode == 64, "\(result.command): \(result.standardError)")
                #expect(result.errorLines.first?.contains(words) == true, "\(result.standardError)")
                #expect(bench.files == ["in.mp4"])
            }
            for arguments in [["in.mp4"], ["filter", "in.mp4"], ["preview"], ["preview", "heart"]] {
                let result = try await bench.flourish(arguments)
                #expect(result.exitCode == 64, "\(result.command)")
                #expect(
                    result.errorLines.count == 1 && result.standardError.hasPrefix("flourish: missing "),
                    "\(result.standardError)")
            }
            #expect(bench.files == ["in.mp4"])
        }
    }
}
