import Testing
import TestSupport

/// Changes of encoder parameters are observed in the bits of the following frames.
@Suite("The encoder while effects run")
struct EncoderAdaptationTests {
    /// Makes a static room with a little noise: effects are most of the content to encode.
    private func makeRoom(_ bench: Workbench, seconds: Int = 9) async throws {
        try await bench.ffmpeg(
            ["-f", "lavfi", "-i", "color=0x506070:s=320x180:r=25:d=\(seconds),noise=alls=2:allf=t"] + Coding.h264
                + ["-crf", "10", "in.mp4"])
    }

    /// Mean bits a second of the frames shown in a range of seconds.
    private func rate(_ report: MediaReport, _ seconds: Range<Double>) -> Double {
        let video = report.video["index"]?.integer ?? -1
        let bytes = (report.packets[video] ?? []).compactMap { packet -> Int? in
            guard let time = packet["pts_time"]?.string.flatMap(Double.init), seconds.contains(time) else { return nil }
            return packet["size"]?.string.flatMap { Int($0) }
        }
        return Double(bytes.reduce(0, +) * 8) / (seconds.upperBound - seconds.lowerBound)
    }

    @Test func aConstantRateRisesDuringAnEffectAndReturns() async throws {
        try await Workbench.with { bench in
            // After the effect the rate stays raised for four seconds at most.
            try await makeRoom(bench, seconds: 14)
            let events = try await bench.filter(
                "in.mp4", "out.mp4", ["--reaction", "confetti@3", "--bitrate", "200k", "--preset", "veryfast"])
            let end = try #require(events.of("effectEnded").first?["endTime"]?.number)
            let adjusted = events.of("encoderAdjusted")
            #expect(adjusted.first?["reason"]?.string == "effectComing")
            #expect(adjusted.first?["time"]?.number.map { $0 < 3 && $0 >= 2.9 } == true)
            #expect(adjusted.last?["reason"]?.string == "effectsEnded")
            #expect(adjusted.last?["applied"]?["bitRate"]?.integer == 200_000)
            #expect(adjusted.compactMap { $0["applied"]?["bitRate"]?.integer }.allSatisfy { $0 <= 600_000 })

            let report = try await bench.report("out.mp4")
            let (before, during, after) = (
                rate(report, 1..<2.5), rate(report, 3..<end), rate(report, 12.5..<14)
            )
            #expect(during > 1.8 * before, "\(before) \(during) \(after)")
            #expect(during < 700_000 && after < 300_000)
        }
    }

    @Test func theLimitCanPreventIt() async throws {
        try await Workbench.with { bench in
            try await makeRoom(bench)
            let events = try await bench.filter(
                "in.mp4", "out.mp4",
                ["--reaction", "confetti@3", "--bitrate", "200k", "--max-bitrate", "200k", "--preset", "veryfast"])
            #expect(events.of("encoderAdjusted").isEmpty)
            let report = try await bench.report("out.mp4")
            #expect(rate(report, 3..<7) < 300_000)
        }
    }

    @Test func aBudgetLimitsTheBitsOfAnEffect() async throws {
        try await Workbench.with { bench in
            try await makeRoom(bench)
            let options = ["--reaction", "confetti@3", "--preset", "veryfast"]
            let free = try await bench.filter("in.mp4", "free.mp4", options)
            #expect(free.of("encoderAdjusted").isEmpty, "constant quality stays what it is")
            let bound = try await bench.filter("in.mp4", "bound.mp4", options + ["--effect-bits", "2"])
            let crf = bound.of("encoderAdjusted").compactMap { $0["applied"]?["crf"]?.number }
            #expect(crf.max().map { $0 > 23 && $0 <= 33 } == true)
            #expect(crf.last == 23)
            let bits = [free, bound].compactMap { $0.of("effectEnded").first?["encoder"]?["bits"]?.integer }
            #expect(bits.count == 2 && bits[1] < bits[0] * 3 / 4, "\(bits)")
        }
    }

    @Test(arguments: [
        ("hevc", "out.mp4", "libx265"), ("vp9", "out.webm", "libvpx-vp9"), ("av1", "out.mkv", "libsvtav1"),
    ])
    func unsupportedAdjustmentsAreReportedOnce(_ codec: String, _ output: String, _ encoder: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "color=0x506070:s=128x72:r=10:d=8"] + Coding.h264 + ["in.mp4"])
            let events = try await bench.filter(
                "in.mp4", output, ["--codec", codec, "--reaction", "thumbsUp@1", "--bitrate", "200k"])
            let adjusted = events.of("encoderAdjusted")
            #expect(adjusted.count == 1)
            #expect(adjusted.first?["notAdjustable"]?.string?.hasPrefix(encoder) == true)
        }
    }

    @Test(arguments: [
        (["--max-bitrate", "2M"], "max-bitrate requires bitrate"),
        (["--bitrate", "2M", "--max-bitrate", "1M"], "must not be below bitrate"),
        (["--bitrate", "2M", "--effect-bits", "3"], "cannot be combined; use one"),
        (["--effect-bits", "0.5"], "--effect-bits must be a number from 1"),
    ])
    func contradictingOptionsAreNamed(_ options: [String], _ message: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["filter", "in.mp4", "out.mp4"] + options)
            #expect(result.exitCode == 64)
            #expect(result.standardError.contains(message), "\(result.standardError)")
        }
    }
}
