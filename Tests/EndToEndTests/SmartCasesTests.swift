import Foundation
import Testing
import TestSupport

/// Random recordings: codecs, containers, groups of pictures, rates, cuts, and short reactions anywhere.
///
/// `FLOURISH_SMART_CASES` sets their number, `FLOURISH_SMART_SEED` the seed of the first one.
@Suite("Smart rendering of random recordings")
struct SmartCasesTests {
    private static let count = number("FLOURISH_SMART_CASES") ?? 20
    private static let seed = number("FLOURISH_SMART_SEED") ?? 1

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test(arguments: 0..<count)
    func untouchedPacketsAreCopied(_ number: Int) async throws {
        let recording = RandomRecording(seed: UInt64(Self.seed + number))
        try await Workbench.with { bench in
            try await recording.make(bench)
            try await bench.shortPlan(recording.input, "plan.json", recording.reactions)
            let events = try await bench.smart(recording.input, recording.output, ["--plan", "plan.json"])
            let comment = Comment(rawValue: "seed \(Self.seed + number): \(recording)")
            let video = try await SplicedVideo(bench, recording.input, recording.output, events)
            if let reason = events.all.first?["wholeReason"]?.string {
                // With one entry in the whole file, or several reactions, that is correct.
                #expect(recording.mayBeWhole(reason), "\(comment): \(reason)")
                return
            }
            try await video.expectUntouchedOutsideOfSpans(comment)
            try await video.expectSeamsCanBeSought(comment)
        }
    }

    @Test(arguments: 0..<count)
    func untouchedPacketsOfTrimmedPartsAreCopied(_ number: Int) async throws {
        let recording = RandomRecording(seed: UInt64(Self.seed + number))
        let part = recording.part
        try await Workbench.with { bench in
            try await recording.make(bench)
            let options = ["--start", "\(part.lowerBound)", "--end", "\(part.upperBound)"]
            let events = try await bench.smart(recording.input, recording.output, options)
            let comment = Comment(rawValue: "seed \(Self.seed + number): \(part) of \(recording)")
            if let reason = events.all.first?["wholeReason"]?.string {
                #expect(recording.mayBeWhole(reason, cut: true), "\(comment): \(reason)")
                return
            }
            let video = try await SplicedVideo(bench, recording.input, recording.output, events, part: part)
            try await video.expectUntouchedOutsideOfSpans(comment)
            try await video.expectSeamsCanBeSought(comment)
        }
    }
}

/// A recording that follows from a number.
struct RandomRecording: CustomStringConvertible {
    private var coding: [String] = []
    private var rate = "25"
    private var container = "mp4"
    private var isCut = false
    private var variesRate = false
    private(set) var reactions: [(type: String, time: Double, seconds: Double)] = []
    /// A part of it, in seconds.
    let part: ClosedRange<Double>
    private let group: Int

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &generator)! }
        group = pick([5, 12, 25, 50, 250])
        rate = pick(["10", "12.5", "24000/1001", "25", "30", "50"])
        variesRate = pick([false, false, true])
        isCut = pick([false, false, false, true])
        switch pick(["h264", "h264", "h264", "h264", "hevc", "hevc", "vp9", "vp8", "mjpeg"]) {
        case "hevc":
            container = pick(["mp4", "mkv", "ts"])
            let parameters =
                "log-level=none:keyint=\(group):open-gop=\(pick([0, 1])):bframes=\(pick([0, 2, 4])):b-pyramid=\(pick([0, 1]))"
            coding = ["-c:v", "libx265", "-preset", pick(["ultrafast", "fast"]), "-x265-params", parameters]
            // Raw packet times are ambiguous where the first pictures are cut off.
            isCut = false
        case "vp9":
            container = pick(["webm", "mkv", "mp4"])
            coding = [
                "-c:v", "libvpx-vp9", "-cpu-used", "8", "-deadline", pick(["realtime", "good"]), "-g", "\(group)",
                "-b:v", "300k",
            ]
        case "vp8":
            container = pick(["webm", "mkv"])
            coding =
                Array(
                    "-c:v libvpx -threads 1 -cpu-used 8 -deadline realtime -b:v 300k -g".split(separator: " ").map(
                        String.init)) + ["\(group)"]
        case "mjpeg":
            container = pick(["mov", "mkv"])
            coding = ["-c:v", "mjpeg", "-q:v", "\(pick([2, 5, 9]))"]
        default:
            container = pick(["mp4", "mkv", "ts", "mov"])
            let parameters =
                "keyint=\(group):open-gop=\(pick([0, 0, 1])):b-pyramid=\(pick(["none", "strict", "normal"])):scenecut=\(pick([0, 40]))"
            coding = [
                "-c:v", "libx264", "-preset", pick(["ultrafast", "veryfast", "medium"]), "-bf", "\(pick([0, 1, 3]))",
                "-refs", "\(pick([1, 2, 4]))", "-x264-params", parameters,
            ]
            coding += pick([[], [], ["-profile:v", "main"], ["-profile:v", "baseline"], ["-pix_fmt", "yuv420p10le"]])
        }
        // FFmpeg begins such a copy with the next entry: little would be left of it, or reactions lie beyond its end.
        if container == "ts", Double(group) > Self.framesPerSecond(rate) { isCut = false }
        let latest = container == "ts" && isCut ? 3.9 : 4.6
        for _ in 0..<pick([1, 1, 2, 3]) {
            reactions.append(
                (
                    type: pick(["heart", "confetti", "lasers", "rain", "thumbsUp"]),
                    time: Self.rounded(min(Double.random(in: 0..<4.6, using: &generator), latest)),
                    seconds: pick([0.1, 0.3, 0.6])
                ))
        }
        let start = pick([0, 0.4, 1, Double.random(in: 0..<3, using: &generator)])
        part = Self.rounded(start)...Self.rounded(min(start + Double.random(in: 1.5..<5, using: &generator), 5.9))
    }

    private static func framesPerSecond(_ rate: String) -> Double {
        let parts = rate.split(separator: "/").compactMap { Double($0) }
        return parts.count == 2 ? parts[0] / parts[1] : parts[0]
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 100).rounded() / 100 }

    var input: String { "in.\(container)" }
    var output: String { "out.\(container)" }
    var description: String {
        "\(container) \(rate) \(coding.joined(separator: " ")) cut \(isCut) varying \(variesRate) \(reactions)"
    }

    func make(_ bench: Workbench) async throws {
        // Frames that are dropped at random leave gaps of different length.
        let filter = variesRate ? ["-vf", "select='gt(random(7),0.2)+eq(n,0)'", "-fps_mode", "vfr"] : []
        let sound = container == "webm" ? ["-c:a", "libopus"] : ["-c:a", "aac"]
        let format = coding.contains("yuv420p10le") || coding.contains("mjpeg") ? [] : ["-pix_fmt", "yuv420p"]
        let source = isCut ? "made.\(container)" : input
        try await FFmpegTool.make(
            ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=\(rate):d=6", "-f", "lavfi", "-i", "sine=d=6"] + filter + format
                + coding + sound, as: bench.file(source))
        // Packets are copied from the entry before; an edit list, if supported, cuts off the early ones.
        if isCut { try await bench.ffmpeg(["-ss", "0.9", "-i", source, "-c", "copy", input]) }
    }

    /// Returns whether encoding the whole recording is expected.
    func mayBeWhole(_ reason: String, cut: Bool = false) -> Bool {
        if reason.contains("most of it") { return true }
        let hasOpenGroups = coding.contains { $0.contains("open-gop=1") }
        return (isCut || cut && hasOpenGroups) && reason.contains("does not start with a key frame")
    }
}
