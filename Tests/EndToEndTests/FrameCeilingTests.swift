import Foundation
import Testing
import TestSupport

@Suite("Quantiser ceiling")
struct FrameCeilingTests {
    /// The quantisers of a file's frames from their slice headers.
    private func quantisers(_ bench: Workbench, _ name: String) async throws -> [Int] {
        let trace = try await Program.onPath("ffmpeg").succeed(
            [
                "-hide_banner", "-nostdin", "-i", name, "-map", "0:v", "-c", "copy", "-bsf:v", "trace_headers", "-f",
                "null", "-",
            ],
            in: bench.folder)
        var initial = 26
        var all: [Int] = []
        for line in trace.standardError.split(separator: "\n") {
            guard let value = line.split(separator: " ").last.flatMap({ Int($0) }) else { continue }
            if line.contains(" pic_init_qp_minus26 ") { initial = 26 + value }
            if line.contains(" slice_qp_delta ") { all.append(initial + value) }
        }
        return all
    }

    /// Makes a room with so much noise that a low rate codes it coarsely once effects run.
    private func makeRoom(_ bench: Workbench) async throws {
        try await bench.ffmpeg(
            [
                "-f", "lavfi", "-i", "color=0x506070:s=320x180:r=25:d=9,noise=alls=4:allf=t", "-f", "lavfi", "-i",
                "sine=d=9",
            ]
                + Coding.h264 + Coding.aac + ["-crf", "8", "in.mp4"])
    }

    /// With all of its pieces the effect is too much for the rate.
    private static let common = [
        "--reaction", "confetti@3", "--effect-detail", "1", "--preset", "veryfast", "--bitrate", "150k",
        "--max-bitrate", "150k",
    ]

    @Test func framesAreDroppedAndCounted() async throws {
        try await Workbench.with { bench in
            try await makeRoom(bench)
            let free = try await bench.filter("in.mp4", "free.mp4", Self.common)
            let held = try await bench.filter("in.mp4", "held.mp4", Self.common + ["--max-frame-qp", "30"])
            let (all, some) = (try await bench.report("free.mp4"), try await bench.report("held.mp4"))

            let (coarse, fine) = (try await quantisers(bench, "free.mp4"), try await quantisers(bench, "held.mp4"))
            #expect(coarse.max().map { $0 > 30 } == true, "without ceiling there are coarser frames")
            #expect(fine.count == some.frameTimes.count && fine.max().map { $0 <= 30 } == true, "\(fine)")

            let missing = all.frameTimes.count - some.frameTimes.count
            #expect(missing > 20)
            #expect(held.ended["framesDropped"]?.integer == missing)
            #expect(held.ended["framesOut"]?.integer == some.frameTimes.count)
            let effect = try #require(held.of("effectEnded").first)
            let (start, end) = (try #require(effect["startTime"]?.number), try #require(effect["endTime"]?.number))
            let during = [all, some].map { $0.frameTimes.count { $0 >= start && $0 < end } }
            #expect(effect["encoder"]?["framesDropped"]?.integer == during[0] - during[1])
            #expect(effect["encoder"]?["maxQP"]?.number.map { $0 <= 30 } == true)
            #expect(held.of("frameRateChanged").first?["reason"]?.string == "frameQPAtLimit")
            #expect(free.of("frameRateChanged").isEmpty)

            #expect(Set(some.frameTimes).isSubset(of: all.frameTimes), "no frame was moved")
            #expect(some.digests(of: "audio") == all.digests(of: "audio"))
            // Events refer only to frames that are in the file.
            for event in held.all where event["event"]?.string != "streamEnded" {
                let (frame, time) = (try #require(event["frame"]?.integer), try #require(event["time"]?.number))
                #expect(abs(some.frameTimes[frame] - time) < 0.001, "\(event)")
            }
        }
    }

    @Test func theCeilingCanBeLooserDuringEffects() async throws {
        try await Workbench.with { bench in
            try await makeRoom(bench)
            let tight = try await bench.filter("in.mp4", "tight.mp4", Self.common + ["--max-frame-qp", "30"])
            let loose = try await bench.filter(
                "in.mp4", "loose.mp4", Self.common + ["--max-frame-qp", "30", "--max-frame-qp-effects", "36"])
            let dropped = [tight, loose].compactMap { $0.ended["framesDropped"]?.integer }
            #expect(dropped.count == 2 && dropped[1] < dropped[0], "\(dropped)")
            let qp = try await quantisers(bench, "loose.mp4").max()
            #expect(qp.map { $0 > 30 && $0 <= 36 } == true)
        }
    }

    @Test(arguments: [
        (["--max-frame-qp", "30"], "max-frame-qp requires bitrate"),
        (["--bitrate", "1M", "--max-frame-qp-effects", "30"], "max-frame-qp-effects requires max-frame-qp"),
        (["--bitrate", "1M", "--max-frame-qp", "30", "--max-frame-qp-effects", "28"], "must not be below"),
        (["--bitrate", "1M", "--max-frame-qp", "30", "--codec", "vp9"], "is for h264"),
        (["--bitrate", "1M", "--max-frame-qp", "60"], "--max-frame-qp must be a whole number from 1 to 51"),
    ])
    func contradictingOptionsAreNamed(_ options: [String], _ message: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["filter", "in.mp4", "out.mp4"] + options)
            #expect(result.exitCode == 64)
            #expect(result.standardError.contains(message), "\(result.standardError)")
        }
    }
}
