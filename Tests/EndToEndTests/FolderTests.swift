import Foundation
import Testing
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder of small recordings, for tests.
extension Workbench {
    /// Options that every run in a folder gets, to be quick.
    static let quick = ["--no-gestures", "--reaction", "heart@0.1"]

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(at: file(name), withIntermediateDirectories: true)
    }

    /// Makes recordings with different content.
    func makeCalls(_ names: String...) async throws {
        for (number, name) in names.enumerated() {
            try makeFolder(String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]))
            try await makeClip(name, seconds: 0.6 + 0.2 * Double(number), sound: false)
        }
    }

    /// Filters the folder `calls` into `out`.
    func filterCalls(_ options: String..., timeout: Duration = .seconds(60)) async throws -> ProgramResult {
        try await flourish(["filter", "calls", "--output-dir", "out"] + Self.quick + options, timeout: timeout)
    }

    /// The files below a folder except those of the batch itself, sorted.
    func tree(_ name: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: file(name).path)?.allObjects as? [String] ?? []
        return all.filter { path in
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: file("\(name)/\(path)").path, isDirectory: &isFolder)
            return !path.hasPrefix(".flourish") && !isFolder.boolValue
        }.sorted()
    }

    /// The lines of the journal of `out`.
    func journal() throws -> [JSONValue] {
        try String(decoding: bytes("out/.flourish/journal.jsonl"), as: UTF8.self)
            .split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }
}

@Suite("Batches of recordings")
struct FolderTests {
    @Test func folderStructureIsKept() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/sub/b.mkv", "calls/sub/deep/c.mov", "more/d.mp4")
            try FileManager.default.copyItem(at: bench.file("calls/a.mp4"), to: bench.file("calls/without ending"))
            try bench.write("Hello.", as: "calls/notes.mp4")
            try bench.write("", as: "calls/.hidden.mp4")
            let flat = try await bench.flourish(
                ["filter", "calls", "more/d.mp4", "--output-dir", "flat", "--name", "{stem}-reacted{ext}"]
                    + Workbench.quick)
            #expect(flat.exitCode == 0, "\(flat.standardError)")
            #expect(bench.tree("flat") == ["a-reacted.mp4", "d-reacted.mp4", "without ending-reacted.mkv"])
            let deep = try await bench.filterCalls("--recursive", "--jobs", "3")
            #expect(deep.exitCode == 0, "\(deep.standardError)")
            #expect(bench.tree("out") == ["a.mp4", "sub/b.mkv", "sub/deep/c.mov", "without ending.mkv"])
            #expect(deep.errorLines.last?.hasPrefix("flourish: 4 done; 1 other file ignored") == true)
            // One by one the result is the same.
            let one = try await bench.flourish(["filter", "calls/a.mp4", "a.mp4"] + Workbench.quick)
            #expect(one.exitCode == 0)
            #expect(try bench.bytes("a.mp4") == bench.bytes("out/a.mp4"))
        }
    }

    /// FFmpeg 5.1 takes them for MP4 files without an index, which a recorder writes last.
    @Test(arguments: ["heic", "heix", "mif1", "avif"])
    func picturesInTheContainerOfMP4AreIgnored(_ brand: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4")
            let picture: [UInt8] =
                [0, 0, 0, 24] + Array("ftyp\(brand)".utf8) + [0, 0, 0, 0] + Array("mif1\(brand)".utf8)
                + [0, 0, 0, 12] + Array("meta".utf8) + [0, 0, 0, 0]
                + [0, 0, 0, 72] + Array("mdat".utf8) + [UInt8](repeating: 7, count: 64)
            for name in ["b.heic", "c.mp4", "d"] { try bench.write(Data(picture), as: "calls/\(name)") }
            let result = try await bench.filterCalls()
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.errorLines.last?.hasPrefix("flourish: 1 done; 3 other files ignored") == true)
            expectRefusal(
                try await bench.flourish(["detect", "calls/c.mp4"]), code: 65, naming: "calls/c.mp4: is a picture")
        }
    }

    @Test func warningsNameTheOutputsOwnName() async throws {
        try await Workbench.with { bench in
            try bench.makeFolder("calls")
            // MP4 has no place for this codec.
            try await bench.makeClip("calls/a.mov", Coding.h264 + ["-c:a", "pcm_s16le"])
            let result = try await bench.flourish(
                ["filter", "calls", "--output-dir", "out", "--name", "{stem}.mp4"] + Workbench.quick)
            #expect(!result.standardError.contains(".flourish/work"), "\(result.standardError)")
        }
    }

    @Test func finishedFilesAreSkipped() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/b.mp4")
            _ = try await bench.filterCalls()
            let first = try bench.bytes("out/a.mp4")
            let again = try await bench.filterCalls("--overwrite", "--jobs", "1")
            #expect(again.exitCode == 0 && again.errorLines == ["flourish: 2 done before"])
            #expect(try bench.journal().count == 2)
            // A copy with another time stamp is the same recording.
            let later = Date(timeIntervalSinceNow: 5)
            try FileManager.default.setAttributes(
                [.modificationDate: later], ofItemAtPath: bench.file("calls/a.mp4").path)
            #expect(try await bench.filterCalls().errorLines == ["flourish: 2 done before"])
            // Another recording and other settings count as different.
            try await bench.makeClip("calls/b.mp4", seconds: 1.4, sound: false)
            #expect(try await bench.filterCalls().errorLines.last?.hasPrefix("flourish: 1 done, 1 done before") == true)
            let seeded = try await bench.filterCalls("--seed", "7")
            #expect(seeded.errorLines.last?.hasPrefix("flourish: 2 done;") == true, "\(seeded.standardError)")
            #expect(try bench.bytes("out/a.mp4") != first)
            // A removed output is made again.
            try FileManager.default.removeItem(at: bench.file("out/b.mp4"))
            #expect(try await bench.filterCalls("--seed", "7").standardError.contains("1 done, 1 done before"))
        }
    }

    @Test func aDryRunWritesNothing() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/b.mp4")
            let result = try await bench.filterCalls("--dry-run")
            #expect(result.exitCode == 0 && result.standardError.isEmpty)
            #expect(
                result.outputLines == [
                    "to do    calls/a.mp4 → out/a.mp4", "to do    calls/b.mp4 → out/b.mp4", "2 to do",
                ])
            #expect(!bench.files.contains("out"))
        }
    }

    @Test func aFailingFileDoesNotStopTheBatch() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/c.mp4")
            try bench.write(try bench.bytes("calls/a.mp4").prefix(3000), as: "calls/b.mp4")
            let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3600)]
            try FileManager.default.setAttributes(old, ofItemAtPath: bench.file("calls/b.mp4").path)
            let result = try await bench.filterCalls()
            #expect(result.exitCode == 65)
            #expect(bench.tree("out") == ["a.mp4", "c.mp4"])
            let line = result.errorLines.first { $0.hasPrefix("failed") }
            #expect(line?.contains("calls/b.mp4") == true && line?.contains("truncated or damaged") == true)
            #expect(result.errorLines.last?.hasPrefix("flourish: 2 done, 1 failed") == true)
            let quiet = try await bench.filterCalls("--quiet")
            #expect(quiet.exitCode == 65 && quiet.errorLines.count == 1)
        }
    }

    /// A recording without bytes fails alone; the others succeed.
    @Test(arguments: ["filter", "detect", "plan"])
    func emptyRecordingsFail(_ command: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4")
            for name in ["b.MP4", "c.mkv", "d.txt", "mp4", ".hidden.mp4"] { try bench.write("", as: "calls/\(name)") }
            let folder = [command == "detect" ? "--events-dir" : "--output-dir", "out", "--no-gestures"]
            let result = try await bench.flourish([command, "calls"] + folder)
            #expect(result.exitCode == 65)
            let failed = result.errorLines.filter { $0.hasPrefix("failed") }
            #expect(failed.count == 2 && failed.allSatisfy { $0.hasSuffix("the file is empty") })
            #expect(failed.first?.contains("calls/b.MP4") == true)
            #expect(result.errorLines.last?.hasPrefix("flourish: 1 done, 2 failed; 2 other files ignored") == true)
        }
    }

    /// A mistake that affects every recording is reported once, before anything is written.
    @Test(arguments: [
        (["--reaction", "balloon"], "unknown reaction balloon; did you mean balloons? use one of"),
        (["--pixel-format", "nonsense"], "unknown pixel format nonsense"),
        (
            ["--codec", "vp9", "--pixel-format", "yuv420p12le", "--preset", "nonsense"],
            "unknown preset nonsense of vp9"
        ),
        (["--codec", "vp9", "--name", "{stem}.ts"], "MPEG-TS does not support vp9 video"),
        (["--input-format", "nonsense"], "does not support the input format nonsense"),
        (["--input-format", "rawvideo"], "raw video requires a video size"),
        (["--framerate", "20"], "apply to raw video"),
        (["--output-format", "nonsense"], "unknown output format nonsense"),
        (["--smart-render", "always", "--crf", "20"], "--crf applies to the whole video"),
        (["--overlay"], "MP4 does not support transparency"),
        (["--embed-metadata", "--name", "{stem}.y4m"], "remove --embed-metadata"),
    ])
    func mistakesAreReportedOnce(_ options: [String], _ words: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/b.mp4")
            let all = ["filter", "calls", "--output-dir", "out", "--no-gestures"] + options
            for arguments in [all, all + ["--dry-run"]] {
                let result = try await bench.flourish(arguments)
                #expect(result.exitCode == 64 && result.errorLines.count == 1, "\(result.standardError)")
                #expect(result.standardError.contains(words), "\(result.standardError)")
                #expect(bench.tree("out").isEmpty)
            }
        }
    }

    /// A container that cannot hold the codec is an error of the call only if all outputs have such a one.
    @Test func codecsThatOnlySomeOutputsRefuseFailThere() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.ts", "calls/b.mkv")
            let result = try await bench.flourish(
                ["filter", "calls", "--output-dir", "out", "--no-gestures", "--codec", "vp9", "--preset", "8"])
            #expect(result.exitCode == 65 && bench.tree("out") == ["b.mkv"])
            #expect(result.standardError.contains("MPEG-TS does not support vp9 video"))
        }
    }

    /// The header is valid and no picture is: the error is detected during the run, and recorded in the journal.
    @Test func failedFilesAreRetriedOnRequest() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4")
            try await bench.ffmpeg(["-i", "calls/a.mp4", "-c", "copy", "-movflags", "+faststart", "fast.mp4"])
            let bytes = try bench.bytes("fast.mp4")
            let content = try #require(bytes.range(of: Data("mdat".utf8))).upperBound
            try bench.write(bytes.prefix(content) + Data(count: bytes.count - content), as: "calls/b.mp4")
            #expect(try await bench.filterCalls().exitCode == 65)
            #expect(try bench.journal().contains { $0["state"]?.string == "failed" })
            let again = try await bench.filterCalls()
            #expect(again.exitCode == 65 && again.standardError.contains("--retry-failed"))
            #expect(try bench.journal().count == 2)
            let retried = try await bench.filterCalls("--retry-failed")
            #expect(retried.exitCode == 65 && !retried.standardError.contains("--retry-failed"))
            #expect(try bench.journal().count == 3)
        }
    }

    @Test func plansAndEventsGoIntoFolders() async throws {
        try await Workbench.with { bench in
            try bench.makeFolder("calls/sub")
            try await bench.draw(PuppetClip(pose: "victory", hands: "left"), as: "calls/sub/a.mp4")
            let plan = try await bench.flourish(["plan", "calls", "--output-dir", "plans", "--recursive"])
            #expect(plan.exitCode == 0 && bench.tree("plans") == ["sub/a.plan.json"], "\(plan.standardError)")
            let detect = try await bench.flourish(["detect", "calls", "--events-dir", "events", "--recursive"])
            #expect(detect.exitCode == 0 && bench.tree("events") == ["sub/a.jsonl"], "\(detect.standardError)")
            let alone = try await bench.flourish(["detect", "calls/sub/a.mp4"])
            #expect(try bench.bytes("events/sub/a.jsonl") == alone.standardOutputData)
            let coding = ["--preset", "ultrafast"]
            let options = ["--output-dir", "out", "--recursive", "--plan", "plans"] + coding
            let filtered = try await bench.flourish(["filter", "calls"] + options)
            #expect(filtered.exitCode == 0, "\(filtered.standardError)")
            _ = try await bench.flourish(["filter", "calls/sub/a.mp4", "a.mp4"] + coding)
            #expect(try bench.bytes("a.mp4") == bench.bytes("out/sub/a.mp4"))
            // An edited plan produces another video.
            let text = String(decoding: try bench.bytes("plans/sub/a.plan.json"), as: UTF8.self)
            try bench.write(
                text.replacing(#""enabled": true"#, with: #""enabled": false"#), as: "plans/sub/a.plan.json")
            let edited = try await bench.flourish(["filter", "calls"] + options)
            #expect(edited.standardError.contains("1 done"))
            #expect(try bench.bytes("a.mp4") != bench.bytes("out/sub/a.mp4"))
            // It is the user's, also where its size stayed.
            let plans = ["plan", "calls", "--output-dir", "plans", "--recursive", "--sensitivity", "high"]
            for change in [#""enabled": false"#, #""enabled":false "#] {
                let own = text.replacing(#""enabled": true"#, with: change)
                try bench.write(own, as: "plans/sub/a.plan.json")
                let kept = try await bench.flourish(plans)
                #expect(kept.exitCode == 0 && kept.standardError.contains("has changed"), "\(kept.standardError)")
                #expect(try bench.bytes("plans/sub/a.plan.json") == Data(own.utf8))
            }
            #expect(try await bench.flourish(plans + ["--overwrite"]).standardError.contains("1 done"))
            let anew = String(decoding: try bench.bytes("plans/sub/a.plan.json"), as: UTF8.self)
            #expect(anew.contains(#""enabled": true"#))
        }
    }

    @Test func progressCoversEachFileAndTheBatch() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/b.mp4")
            let result = try await bench.filterCalls("--progress", "json")
            let lines = try JSONValue.lines(of: result.standardError)
            let done = lines.filter { $0["state"]?.string == "done" }.compactMap { $0["input"]?.string }
            #expect(done.sorted() == ["calls/a.mp4", "calls/b.mp4"])
            #expect(lines.contains { $0["fraction"] != nil && $0["files"]?.integer == 2 })
            #expect(lines.last?["done"] == .flag(true) && lines.last?["filesDone"]?.integer == 2)
        }
    }

    @Test(arguments: ["{stem}.xyz", "{stem}", "{stem}.png"])
    func nonVideoNamesAreRefusedAtOnce(_ name: String) async throws {
        try await Workbench.with { bench in
            try bench.makeFolder("calls")
            try await bench.makeClip("calls/a.mp4")
            for options in [[], ["--dry-run"]] {
                let result = try await bench.flourish(
                    ["filter", "calls", "--output-dir", "out", "--name", name] + options)
                #expect(result.exitCode == 64 && result.errorLines.count == 1, "\(result.standardError)")
                #expect(result.standardError.hasPrefix("flourish: \(name): names must end with {ext}"))
            }
            #expect(bench.files == ["calls"])
        }
    }

    @Test(
        arguments: [
            (["filter", "a", "b", "c"], "unexpected argument 'c'", "filter"),
            (["filter", "a", "b", "--recursive"], "--recursive requires --output-dir", "filter"),
            (
                ["filter", "a", "--output-dir", "o", "--events", "e"], "--events and --output-dir cannot be combined",
                "filter"
            ),
            (["filter", "a", "--output-dir", "o", "--jobs", "0"], "--jobs must be 1 or more", "filter"),
            (["detect", "a", "--jobs", "2"], "--jobs requires --events-dir", "detect"),
            (
                ["plan", "a", "--output-dir", "o", "--output", "p"], "--output and --output-dir cannot be combined",
                "plan make"
            ),
        ] as [([String], String, String)])
    func invalidBatchesAreRefused(_ arguments: [String], _ words: String, _ command: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(arguments)
            expectRefusal(result, code: 64, naming: "", saying: words, "; see flourish \(command) --help")
            #expect(bench.files.isEmpty)
        }
    }
}
