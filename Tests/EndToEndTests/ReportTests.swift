import Foundation
import Testing
import TestSupport

@Suite("The report of an encoding")
struct ReportTests {
    private func makeRoom(_ bench: Workbench) async throws {
        try await bench.ffmpeg(
            ["-f", "lavfi", "-i", "color=0x506070:s=320x180:r=25:d=9,noise=alls=2:allf=t"] + Coding.h264
                + ["-crf", "10", "in.mp4"])
    }

    @Test func theReportMatchesTheFileAndTheEvents() async throws {
        try await Workbench.with { bench in
            try await makeRoom(bench)
            let events = try await bench.filter(
                "in.mp4", "out.mp4",
                ["--reaction", "confetti@2", "--bitrate", "200k", "--preset", "veryfast", "--report", "report.json"])
            let report = try JSONValue(parsing: String(decoding: bench.bytes("report.json"), as: UTF8.self))
            let schema = try JSONSchema(contentsOf: Repository.root.appending(path: "docs/report.schema.json"))
            #expect(schema.faults(in: report).isEmpty, "\(schema.faults(in: report))")

            let media = try await bench.report("out.mp4")
            let video = media.packets[media.video["index"]?.integer ?? -1] ?? []
            let bits = video.compactMap { $0["size"]?.string.flatMap { Int($0) } }.reduce(0, +) * 8
            let windows = try #require(report["windows"]?.array)
            let reported = try #require(report["bits"]?.integer)
            // MP4 stores some start codes a byte longer than the encoder writes them.
            #expect(abs(reported - bits) < 100)
            #expect(windows.compactMap { $0["bits"]?.integer }.reduce(0, +) == reported)
            #expect(windows.compactMap { $0["frames"]?.integer }.reduce(0, +) == media.frameTimes.count)
            #expect(report["framesOut"]?.integer == media.frameTimes.count)

            let effect = try #require(report["effects"]?.array?.first)
            #expect(effect["encoder"] == events.of("effectEnded").first?["encoder"])
            let recovered = try #require(events.of("encoderRecovered").first)
            #expect(effect["recoverySeconds"] == recovered["seconds"])
            #expect(recovered["endTime"] == effect["endTime"])
            #expect(report["adjustments"]?.array?.count == events.of("encoderAdjusted").count)

            let plot = String(decoding: try bench.bytes("report.svg"), as: UTF8.self)
            #expect(plot.hasPrefix("<svg") && plot.contains(">confetti</text>") && plot.contains("kb/s"))
        }
    }

    @Test(arguments: [
        ("in.mp4", 64, "is already used by this run; choose another --report path"),
        ("-", 64, "a report is written to two files"),
        ("report.svg", 64, "report.svg: the report is JSON; use --report report.json"),
        ("nowhere/report.json", 73, "the report cannot be written"),
    ])
    func unusablePathsAreNamedBeforeTheRun(_ path: String, _ code: Int32, _ message: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--report", path])
            #expect(result.exitCode == code)
            #expect(result.standardError.contains(message), "\(result.standardError)")
            #expect(bench.files == ["in.mp4"])
        }
    }
}
