import Foundation
import TestSupport
import Testing

/// Several machines render a recording: each encodes a share of its spans, one joins them.
@Suite("Spans encoded apart")
struct SpanShareTests {
    private static let clip = Coding.h264 + ["-g", "15", "-pix_fmt", "yuv420p"] + Coding.aac

    @Test(
        arguments: [
            ("in.mp4", "out.mp4", clip, ["--effects-fps", "12"]),
            ("in.mp4", "out.ts", clip, ["--effect-bits", "1.2", "--effect-detail", "0.6"]),
            (
                "in.mkv", "out.mkv",
                ["-c:v", "libx265", "-preset", "fast", "-g", "15", "-x265-params", "log-level=none:open-gop=1"],
                ["--embed-metadata"]
            ),
            ("in.webm", "out.webm", Coding.vp9 + ["-g", "15"], []),
        ] as [(String, String, [String], [String])])
    func joinedTheyAreWhatOneRunWrites(
        _ input: String, _ output: String, _ coding: [String], _ options: [String]
    ) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(input, size: "160x120", seconds: 4, coding)
            try await bench.shortPlan(
                input, "plan.json", [("heart", 0.3, 0.4), ("confetti", 1.7, 0.3), ("rain", 3.1, 0.4)])
            let planned = ["--plan", "plan.json"] + options
            let alone = try await bench.smart(input, "alone." + (output as NSString).pathExtension, planned)
            for number in 1...2 {
                let share = try await bench.flourish([input, output, "--span-share", "\(number)/2"] + planned)
                #expect(share.exitCode == 0, "\(share.standardError)")
            }
            #expect(!bench.files.contains(output))
            let files = (1...2).map { "\(output).spans-\($0)-of-2" }
            let joined = try await bench.smart(input, output, planned + ["--spans"] + files)
            #expect(try bench.bytes(output) == bench.bytes("alone." + (output as NSString).pathExtension))
            let told = [alone, joined].map { events in
                events.all.filter { !["streamStarted", "streamEnded"].contains($0["event"]?.string) }
            }
            #expect(told[0] == told[1] && told[0].count > 9)
            #expect(alone.ended["framesDropped"] == joined.ended["framesDropped"])
            #expect(alone.ended["smartRender"]?["spans"] == joined.ended["smartRender"]?["spans"])
        }
    }

    @Test func whatDoesNotFitIsRefused() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "160x120", seconds: 3, Self.clip)
            try await bench.shortPlan("in.mp4", "plan.json", [("heart", 0.3, 0.4), ("confetti", 1.9, 0.3)])
            try await bench.shortPlan("in.mp4", "other.json", [("heart", 0.3, 0.4)])
            let files = (1...2).map { "out.mp4.spans-\($0)-of-2" }
            func run(_ options: [String], plan: String = "plan.json") async throws -> ProgramResult {
                try await bench.flourish(["in.mp4", "out.mp4", "--plan", plan] + options)
            }
            for number in 1...2 { #expect(try await run(["--span-share", "\(number)/2"]).exitCode == 0) }
            func refuse(
                _ spans: [String], options: [String] = [], plan: String = "plan.json", saying words: String,
                code: Int32 = 65
            ) async throws {
                let result = try await run(["--spans"] + spans + options, plan: plan)
                #expect(result.exitCode == code)
                #expect(result.standardError.contains(words), "\(result.standardError)")
                #expect(!bench.files.contains("out.mp4"))
            }
            try await refuse([files[0]], saying: "--spans: 2/2 missing")
            try await refuse([files[0], files[0]], saying: "is of the same share as")
            try await refuse(files, options: ["--effects-fps", "10"], saying: "was made with other options")
            try await refuse(files, plan: "other.json", saying: "is of another recording or plan")
            try await refuse([files[0], "plan.json"], saying: "plan.json: holds no spans")
            try await refuse([files[0], "none"], saying: "none: there is no such file", code: 66)
            let whole = try bench.bytes(files[1])
            _ = try bench.write(whole.dropLast(7), as: "cut")
            try await refuse([files[0], "cut"], saying: "cut: is damaged, or not all of it is there")
            var broken = whole
            broken[broken.count - 100] ^= 1
            _ = try bench.write(broken, as: "broken")
            try await refuse([files[0], "broken"], saying: "broken: is damaged, or not all of it is there")

            func fail(_ options: [String], _ words: String, code: Int32) async throws {
                let result = try await bench.flourish(["in.mp4", "out.mp4"] + options)
                #expect(result.exitCode == code)
                #expect(result.standardError.contains(words), "\(result.standardError)")
            }
            let share = ["--span-share", "1/2"], planned = ["--plan", "plan.json"]
            try await fail(share, "--span-share needs --plan", code: 64)
            try await fail(
                share + planned + ["--events", "-"], "--span-share and --events exclude each other", code: 64)
            let stream = try await bench.flourish(["in.mp4", "-", "--spans", files[0]] + planned)
            #expect(stream.exitCode == 64)
            #expect(stream.standardError.contains("--spans and - exclude each other"))
            try await fail(share + planned, "exists already; use --overwrite", code: 73)
            try await fail(
                share + planned + ["--overwrite", "--crf", "20"], "has no spans to share, since all of it is encoded",
                code: 65)
        }
    }

    /// Photographs are taken by whoever joins; whatever else is asked for that spans do not have is refused rather than all encoded.
    @Test func whatElseMayBeAskedFor() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "160x120", seconds: 3, Self.clip)
            try await bench.shortPlan("in.mp4", "plan.json", [("heart", 0.3, 0.4)])
            let planned = ["in.mp4", "out.mp4", "--plan", "plan.json"]
            let file = "out.mp4.spans-1-of-1"
            #expect(try await bench.flourish(planned + ["--span-share", "1/1"]).exitCode == 0)
            for (options, words, code) in [
                (["--control=c.sock"], "cannot be put together from spans: --control and --panel steer it", 65),
                (["--events", file], "\(file): is another file of this run; choose another --events path", 64),
                (["--sidecar", file], "choose another --sidecar path", 64),
            ] as [([String], String, Int32)] {
                let result = try await bench.flourish(planned + ["--spans", file] + options)
                #expect(result.exitCode == code)
                #expect(result.standardError.contains(words), "\(result.standardError)")
                #expect(!bench.files.contains("out.mp4"))
            }
            let joined = try await bench.flourish(planned + ["--photos", "shots", "--spans", file])
            #expect(joined.exitCode == 0, "\(joined.standardError)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.file("shots").path).count == 1)
        }
    }

    /// Each of these has the hash that belongs to it.
    @Test func whatAForgedFileSaysIsRefused() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "160x120", seconds: 3, Self.clip)
            try await bench.shortPlan("in.mp4", "plan.json", [("heart", 0.3, 0.4)])
            let planned = ["in.mp4", "out.mp4", "--plan", "plan.json"]
            #expect(try await bench.flourish(planned + ["--span-share", "1/1"]).exitCode == 0)
            let whole = try bench.bytes("out.mp4.spans-1-of-1")
            let packet = /\[(-?\d+),(\d+),(\d+),/
            for (change, words) in [
                ({ $0.replacing(packet) { "[\(Int64.min + 1),\($0.2),\($0.3)," } }, "its spans do not fit"),
                ({ $0.replacing(packet) { "[0,\($0.2),\($0.3)," } }, "its spans do not fit"),
                ({ $0.replacing(packet) { "[\($0.1),\($0.2),8193," } }, "is damaged"),
                ({ $0.replacing(/"packets":\[\[.*?\]\]/, with: #""packets":[]"#) }, "is damaged"),
            ] as [((String) -> String, String)] {
                _ = try bench.write(try Self.forged(whole, change), as: "forged")
                let result = try await bench.flourish(planned + ["--spans", "forged"])
                #expect(result.exitCode == 65)
                #expect(result.standardError.contains("forged: " + words), "\(result.standardError)")
                #expect(!bench.files.contains("out.mp4"))
            }
            _ = try bench.write(try Self.forged(whole) { $0 }, as: "same")
            #expect(try bench.bytes("same") == whole)
        }
    }

    /// A file of one span with another table.
    private static func forged(_ file: Data, _ change: (String) -> String) throws -> Data {
        let parts = file.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        let table = Data((change(try #require(String(bytes: parts[2], encoding: .utf8))) + "\n").utf8)
        let hash = (table + parts[3]).reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let text = String(hash, radix: 16)
        let mark =
            ##"{"hash":"fnv1a:\##(String(repeating: "0", count: 16 - text.count))\##(text)","##
            + ##""size":\##(parts[3].count),"table":\##(table.count)}"##
        return parts[0] + Data("\n\(mark)\n".utf8) + table + parts[3]
    }

    /// A plan of which nothing is shown has none to encode, and can be shared all the same.
    @Test func withoutSpansAllIsCopied() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "160x120", seconds: 1, Self.clip)
            try await bench.shortPlan("in.mp4", "plan.json", [])
            let planned = ["in.mp4", "out.mp4", "--plan", "plan.json"]
            let share = try await bench.flourish(planned + ["--span-share", "1/1"])
            #expect(share.exitCode == 0)
            let joined = try await bench.smart(
                "in.mp4", "out.mp4", ["--plan", "plan.json", "--spans", "out.mp4.spans-1-of-1"])
            #expect(joined.ended["smartRender"]?["framesCopied"]?.integer == 25)
        }
    }
}
