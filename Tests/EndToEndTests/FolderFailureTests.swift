import Foundation
import Testing
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Failures in batches")
struct FolderFailureTests {
    /// Makes a recording that takes long enough to be interrupted.
    private func makeSlowCall(_ bench: Workbench, _ name: String) async throws {
        try await bench.makeClip(name, size: "640x360", seconds: 20, sound: false)
    }

    /// Starts to filter one recording after the other, and returns once the first is done and the next is under way.
    private func startSlowly(_ bench: Workbench) async throws -> RunningProgram {
        try await bench.makeCalls("calls/a.mp4")
        try await makeSlowCall(bench, "calls/b.mp4")
        let run = try Program.flourish.start(
            ["filter", "calls", "--output-dir", "out", "--jobs", "1"] + Workbench.quick
                + ["--smart-render", "never", "--preset", "slow", "--progress", "json"], in: bench.folder)
        try await Hang.wait(milliseconds: 25) { run.isRunning && !isEncoding(run) }
        try #require(isEncoding(run), "\(run.standardErrorSoFar)")
        return run
    }

    private func isEncoding(_ run: RunningProgram) -> Bool {
        run.standardErrorSoFar.split(separator: "\n").contains {
            $0.contains("\"output\":\"out/b.mp4\"") && $0.contains("\"frames\"")
        }
    }

    private func expectResumption(_ bench: Workbench) async throws {
        #expect(bench.tree("out") == ["a.mp4"])
        let first = try FileManager.default.attributesOfItem(atPath: bench.file("out/a.mp4").path)
        let again = try await bench.filterCalls("--smart-render", "never", "--preset", "slow", timeout: .seconds(110))
        #expect(again.exitCode == 0, "\(again.standardError)")
        #expect(again.errorLines.last?.hasPrefix("flourish: 1 done, 1 done before") == true)
        let second = try FileManager.default.attributesOfItem(atPath: bench.file("out/a.mp4").path)
        #expect(first[.systemFileNumber] as? Int == second[.systemFileNumber] as? Int)
        #expect(bench.tree("out") == ["a.mp4", "b.mp4"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.file("out/.flourish/work").path).isEmpty)
    }

    @Test func killedBatchesResume() async throws {
        try await Workbench.with { bench in
            let run = try await startSlowly(bench)
            run.send(signal: SIGKILL)
            #expect(try await run.result().signal == SIGKILL)
            try await expectResumption(bench)
        }
    }

    @Test func stoppedBatchesResume() async throws {
        try await Workbench.with { bench in
            let run = try await startSlowly(bench)
            run.send(signal: SIGINT)
            let result = try await run.result()
            #expect(result.exitCode == 130)
            let end = try JSONValue.lines(of: result.standardError).last
            #expect(end?["interrupted"]?.boolean == true && end?["filesBrokenOff"]?.integer == 1)
            try await expectResumption(bench)
        }
    }

    @Test func stoppedBatchesReportTheirProgress() async throws {
        try await Workbench.with { bench in
            try bench.makeFolder("calls")
            for name in ["b", "c"] { try await makeSlowCall(bench, "calls/\(name).mp4") }
            let run = try Program.flourish.start(
                [
                    "filter", "calls", "--output-dir", "out", "--jobs", "1", "--smart-render", "never", "--preset",
                    "slow",
                ]
                    + Workbench.quick, in: bench.folder)
            let work = bench.file("out/.flourish/work").path
            try await bench.waits {
                FileManager.default.enumerator(atPath: work)?.contains { "\($0)".contains(".mp4") } == true
            }
            run.send(signal: SIGINT)
            let result = try await run.result()
            #expect(result.exitCode == 130)
            #expect(result.errorLines.contains { $0.hasPrefix("interrupted calls/b.mp4 → out/b.mp4") })
            #expect(
                result.errorLines.last == "flourish: stopped: 1 interrupted, 1 not started; run it again to resume",
                "\(result.standardError)")
        }
    }

    @Test func concurrentRunsShareTheFiles() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/b.mp4", "calls/c.mp4", "calls/d.mp4", "calls/e.mp4")
            async let one = bench.filterCalls()
            async let other = bench.filterCalls()
            for result in [try await one, try await other] {
                #expect(result.exitCode == 0, "\(result.standardError)")
            }
            let outputs = try bench.journal().compactMap { $0["output"]?.string }
            #expect(outputs.sorted() == ["a.mp4", "b.mp4", "c.mp4", "d.mp4", "e.mp4"])
            #expect(bench.tree("out") == outputs.sorted())
        }
    }

    @Test func aTruncatedJournalLosesOneEntry() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/b.mp4")
            _ = try await bench.filterCalls("--jobs", "1")
            try bench.write(
                try bench.bytes("out/.flourish/journal.jsonl").dropLast(30), as: "out/.flourish/journal.jsonl")
            // The owner of the file is unknown.
            let result = try await bench.filterCalls()
            #expect(result.exitCode == 65 && result.standardError.contains("out/b.mp4 exists already; use --overwrite"))
            #expect(try await bench.filterCalls("--overwrite").standardError.contains("1 done, 1 done before"))
            #expect(try await bench.filterCalls().errorLines == ["flourish: 2 done before"])
        }
    }

    @Test func foreignFilesAreKept() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4")
            try bench.makeFolder("out")
            try bench.write("precious", as: "out/a.mp4")
            let result = try await bench.filterCalls()
            #expect(result.exitCode == 65 && result.standardError.contains("exists already; use --overwrite"))
            #expect(try bench.bytes("out/a.mp4") == Data("precious".utf8))
            #expect(try await bench.filterCalls("--overwrite").exitCode == 0)
        }
    }

    @Test func namesMayContainAnyBytes() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4")
            // A file system may refuse such names.
            let named = try await bench.shell(#"mv calls/a.mp4 "$(printf 'calls/caf\351.mp4')""#)
            guard named.exitCode == 0 else { return }
            let options = Workbench.quick.joined(separator: " ")
            let line = #"flourish filter "$(printf 'calls/caf\351.mp4')" --output-dir "$(printf 'o\377')" "# + options
            let one = try await bench.shell(line + #"; ls "$(printf 'o\377')" | od -An -c | tr -d ' '"#)
            #expect(one.standardOutput == "caf351.mp4\\n\n", "\(one.standardError)")
            #expect(one.standardError.contains(#"done     calls/caf\xE9.mp4 → o\xFF/caf\xE9.mp4"#))
            let again = try await bench.shell(line)
            #expect(again.errorLines == ["flourish: 1 done before"])
            let events = try await bench.flourish(["detect", "calls", "--events-dir", "events"])
            #expect(events.exitCode == 0)
            let first = try await bench.shell("head -n 1 events/*")
            #expect(first.standardOutput.contains(#""input":"calls/caf\\xE9.mp4""#))
        }
    }

    @Test func circularLinksTerminate() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/sub/a.mp4", "other.mp4")
            for (link, target) in [("calls/sub/up", ".."), ("calls/sub/far", "../.."), ("calls/self", "self")] {
                try FileManager.default.createSymbolicLink(atPath: bench.file(link).path, withDestinationPath: target)
            }
            let result = try await bench.filterCalls("--recursive")
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(bench.tree("out") == ["sub/a.mp4"])
            #expect(result.standardError.contains("skipped  calls/self"))
        }
    }

    @Test func outputNamesAreUnique() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("one/x.mp4", "two/x.mp4")
            func run(_ inputs: [String]) async throws -> ProgramResult {
                try await bench.flourish(["filter"] + inputs + ["--output-dir", "out"] + Workbench.quick)
            }
            let both = try await run(["one/x.mp4", "two"])
            #expect(both.exitCode == 65 && bench.tree("out") == ["x.mp4"])
            #expect(both.standardError.contains("failed   two/x.mp4"))
            let made = try bench.bytes("out/x.mp4")
            // A later run does not write them either.
            let other = try await run(["two/x.mp4"])
            #expect(other.exitCode == 65 && other.standardError.contains("out/x.mp4 is the output of "))
            #expect(try bench.bytes("out/x.mp4") == made)
            // The same file by two paths counts once.
            #expect(try await run(["one/x.mp4", "one", "./one/x.mp4"]).errorLines == ["flourish: 1 done before"])
        }
    }

    @Test func outputsAreNeverInputs() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/sub/b.mp4")
            let inside = ["filter", "calls", "--output-dir", "calls/out", "--recursive"] + Workbench.quick
            for words in ["flourish: 2 done;", "flourish: 2 done before"] {
                let result = try await bench.flourish(inside)
                #expect(result.errorLines.last?.hasPrefix(words) == true, "\(result.standardError)")
            }
            #expect(bench.tree("calls/out") == ["a.mp4", "sub/b.mp4"])
            let beside = ["filter", "calls", "--output-dir", "calls"] + Workbench.quick
            let onto = try await bench.flourish(beside)
            #expect(onto.exitCode == 65 && onto.standardError.contains("would overwrite the recording"))
            for words in ["flourish: 1 done;", "flourish: 1 done before; 1 other file ignored"] {
                let result = try await bench.flourish(beside + ["--name", "{stem}-reacted{ext}"])
                #expect(result.errorLines.last?.hasPrefix(words) == true, "\(result.standardError)")
            }
        }
    }

    #if os(Linux)
    @Test func unfinishedRecordingsAreDeferred() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/b.mp4")
            // One is open for writing, and one has no index yet.
            let writer = try FileHandle(forUpdating: bench.file("calls/a.mp4"))
            try bench.write(try bench.bytes("calls/b.mp4").prefix(3000), as: "calls/c.mp4")
            // Its modification time is recent, whenever the test starts the program.
            let bash = Program(executable: URL(filePath: "/bin/bash"))
            let result = try await bash.run(
                [
                    "-c", "touch calls/c.mp4 && exec \"$0\" \"$@\"", Program.flourish.executable.path, "filter",
                    "calls",
                    "--output-dir", "out",
                ] + Workbench.quick, in: bench.folder)
            #expect(result.exitCode == 0 && bench.tree("out") == ["b.mp4"], "\(result.standardError)")
            #expect(result.errorLines.count { $0.hasPrefix("skipped") && $0.contains("is still being written") } == 2)
            try writer.close()
            _ = try await bench.filterCalls()
            #expect(bench.tree("out") == ["a.mp4", "b.mp4"])
        }
    }
    #endif

    @Test(.enabled(if: canMount, "needs leave to mount a disk"))
    func aFullDiskEndsTheBatch() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4")
            for name in ["b", "c", "d"] {
                try await bench.makeClip("calls/\(name).mp4", size: "640x360", seconds: 2, sound: false)
            }
            try bench.makeFolder("out")
            try await Program.onPath("mount").succeed([
                "-t", "tmpfs", "-o", "size=100k", "tmpfs", bench.file("out").path,
            ])
            let result = try? await bench.filterCalls("--jobs", "1", "--crf", "1", "--preset", "ultrafast")
            let (kept, left) = (bench.tree("out"), try? bench.journal().count)
            try await Program.onPath("umount").succeed([bench.file("out").path])
            #expect(result?.exitCode == 74, "\(result?.standardError ?? "")")
            #expect(kept == ["a.mp4"] && left == 1)
            #expect(result?.standardError.contains("1 done, 2 not started, 1 failed") == true)
            #expect(result?.errorLines.last == "flourish: out: the disk is full; free some space and start again")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "Root may read everything."))
    func unreadableFilesAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4", "calls/sub/b.mp4")
            _ = unsafe chmod(bench.file("calls/sub").path, 0)
            defer { _ = unsafe chmod(bench.file("calls/sub").path, 0o700) }
            let result = try await bench.filterCalls("--recursive")
            #expect(result.exitCode == 65 && bench.tree("out") == ["a.mp4"])
            #expect(result.standardError.contains("the folder cannot be read"))
        }
    }

    @Test func missingFilesAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeCalls("calls/a.mp4")
            let result = try await bench.flourish(
                ["filter", "none.mp4", "calls", "--output-dir", "out"] + Workbench.quick)
            #expect(result.exitCode == 65 && bench.tree("out") == ["a.mp4"])
            let line = result.errorLines.first { $0.hasPrefix("failed   none.mp4 ") }
            #expect(line?.hasSuffix(" cannot be read (No such file or directory)") == true, "\(result.standardError)")
            let nothing = try await bench.flourish(["filter", "out", "--output-dir", "calls/a.mp4"])
            expectRefusal(nothing, code: 73, naming: "calls/a.mp4", saying: "choose another folder")
        }
    }
}
