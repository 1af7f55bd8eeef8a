import Foundation
import Testing
import TestSupport

@Suite("Named pipes")
struct NamedPipeTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func runsWaitingForDataCanBeStopped(_ signal: Int32) async throws {
        try await Workbench.with { bench in
            let (run, writer) = try await bench.startOnPipe()
            run.send(signal: signal)
            let result = try await run.result()
            try writer.close()
            #expect(result.exitCode == 128 + signal && result.signal == nil)
            #expect(result.standardError == "flourish: in.pipe: reading was interrupted\n")
            #expect(bench.files == ["in.pipe"])
        }
    }

    /// Opening a pipe blocks until its other end is opened.
    @Test func runsWaitingForAnEventReaderReportItWhenStopped() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", sound: false)
            try #require(unsafe mkfifo(bench.file("events").path, 0o600) == 0)
            let run = try Program.flourish.start(["detect", "in.mp4", "--events", "events"], in: bench.folder)
            // Signal handlers are installed before anything is opened; a busy machine takes its time to get there.
            try await Task.sleep(for: .seconds(4))
            run.send(signal: SIGINT)
            let result = try await run.result()
            #expect(result.exitCode == 130 && result.standardError.contains("stopped while waiting"), "\(result)")
        }
    }

    @Test func aStalledWriterDoesNotBlockTheEnd() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("clip.nut", seconds: 2, sound: false)
            let clip = try bench.bytes("clip.nut")
            // The pipe's buffer holds that many bytes.
            try #require(clip.count < 60_000)
            let (run, writer) = try await bench.startOnPipe(["--input-stall", "0.1", "--progress", "json"])
            try writer.write(contentsOf: clip)
            // A slow machine may have reported a stall before the clip arrived.
            try await bench.waits {
                let reported = run.standardErrorSoFar
                return reported.firstIndex(of: "{").map { reported[$0...].contains("no data was received") } ?? false
            }
            run.send(signal: SIGINT)
            let result = try await run.result()
            try writer.close()
            #expect(result.exitCode == 130 && result.signal == nil)
            #expect(try await bench.report("out.mkv").frameTimes.count > 10, "what came by then plays")
        }
    }

    @Test func aPictureComesThroughAPipe() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.04", "-frames:v", "1", "photo.jpg"])
            let result = try await bench.shell(
                "mkfifo in.jpg; cat photo.jpg > in.jpg & flourish preview heart out.png --background in.jpg")
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    /// Other processes that share the standard input do not expect non-blocking reads.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fdinfo")))
    func standardInputKeepsItsFlags() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", sound: false)
            let result = try await bench.shell(
                """
                cat in.mkv | {
                    flourish - out.mkv --no-gestures --preset ultrafast
                    flourish - more.mkv --no-gestures 2> /dev/null
                    grep flags /proc/self/fdinfo/0
                }
                """)
            #expect(result.standardOutput == "flags:\t00\n", "\(result.standardError)")
        }
    }
}
