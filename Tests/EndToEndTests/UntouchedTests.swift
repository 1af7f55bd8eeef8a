import Foundation
import Testing
import TestSupport

@Suite("Frames that no effect touches")
struct UntouchedTests {
    /// With lossless encoding the output equals the input.
    @Test(
        arguments: [
            ("yuv420p", "out.mp4", []), ("yuv422p", "out.mkv", []), ("yuv444p10le", "out.mkv", []),
            ("yuv420p10le", "out.mp4", []),
            ("yuv420p", "out.webm", ["--codec", "vp9", "--preset", "8"]),
        ] as [(String, String, [String])])
    func untouchedFramesAreBitExact(_ format: String, _ output: String, _ options: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 0.8, sound: false, ["-pix_fmt", format] + Coding.h264)
            // libx264 and libvpx are without loss at 0; at 10 bits libx264 is at −12 of its own scale.
            try await bench.filter("in.mkv", output, ["--crf", "0"] + options)
            let before = try await bench.checksums("in.mkv"), after = try await bench.checksums(output)
            #expect(before.count == 20)
            if format.hasSuffix("10le") || options.contains("vp9") {
                #expect(try await bench.likeness("in.mkv", output) > 50)
            } else {
                #expect(before == after)
            }
        }
    }

    @Test func framesDifferOnlyWhereEffectsAreDrawn() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=10:d=6"] + Coding.h264 + ["-crf", "35", "in.mp4"])
            let events = try await bench.filter(
                "in.mp4", "out.mp4", ["--crf", "0", "--reaction", "thumbsUp@1,0.8,0.5"])
            let first = try #require(events.of("effectStarted").first?["frame"]?.integer)
            let end = try #require(events.of("effectEnded").first?["frame"]?.integer)
            #expect(first == 10)
            #expect((20...55).contains(end))
            let before = try await bench.lumas("in.mp4", pixels: 320 * 180)
            let after = try await bench.lumas("out.mp4", pixels: 320 * 180)
            #expect(before.count == 60 && after.count == 60)
            for index in 0..<60 where !(first..<end).contains(index) {
                #expect(before[index] == after[index], "frame \(index)")
            }
            // The effect is drawn at the right, where it was requested; the left quarter stays bit for bit.
            var drawn = 0
            for index in first..<end {
                let columns = zip(before[index], after[index]).enumerated()
                    .filter { $0.element.0 != $0.element.1 }.map { $0.offset % 320 }
                if !columns.isEmpty { drawn += 1 }
                #expect((columns.min() ?? 320) > 80, "frame \(index)")
            }
            #expect(drawn > (end - first) * 3 / 4)
        }
    }

    /// Thread scheduling does not change the output.
    @Test func runsAreDeterministic() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left"), as: "in.mp4")
            var texts: [String] = [], frames: [[String]] = []
            for output in ["one.mp4", "two.mp4"] {
                let result = try await bench.flourish([
                    "in.mp4", output, "--events", "-", "--reaction", "heart@0.3", "--reaction", "rain@1.1", "--seed",
                    "7", "--preset", "ultrafast",
                ])
                #expect(result.exitCode == 0)
                texts.append(try EventLines(result.standardOutput).text)
                frames.append(try await bench.checksums(output))
            }
            #expect(texts[0] == texts[1])
            #expect(frames[0] == frames[1])
            #expect(frames[0].count == 31)
            #expect(try EventLines(texts[0]).effects == ["heart", "rain", "balloons"])

            // Another seed gives another random sequence.
            let other = try await bench.flourish([
                "in.mp4", "three.mp4", "--reaction", "heart@0.3", "--reaction", "rain@1.1", "--seed", "8", "--preset",
                "ultrafast",
            ])
            #expect(other.exitCode == 0)
            #expect(try await bench.checksums("three.mp4") != frames[0])
        }
    }

    /// All events of a run, compared with an approved file.
    ///
    /// After an intended change regenerate it and review the diff:
    /// `FLOURISH_UPDATE_GOLDENS=1 Scripts/test --filter UntouchedTests`
    @Test func eventsMatchTheGoldenFile() async throws {
        try await Workbench.with { bench in
            // Neither the encoder of the input nor that of the output can change a pixel or a time.
            try await bench.ffmpeg(["-f", "lavfi", "-i", "color=0x406080:s=160x90:r=10:d=5", "-c:v", "ffv1", "in.mkv"])
            let events = try await bench.filter(
                "in.mkv", "out.mkv",
                [
                    "--crf", "0", "--reaction", "heart@0.5,0.25,0.5", "--reaction", "confetti@1.2", "--reaction",
                    "heart@1.5", "--reaction", "rain@9",
                ])
            let text = events.withoutEncoder.map(Self.line).joined(separator: "\n") + "\n"
            let golden = Repository.root.appending(path: "Tests/EndToEndTests/Goldens/scheduled-events.jsonl")
            if ProcessInfo.processInfo.environment["FLOURISH_UPDATE_GOLDENS"] != nil {
                try text.write(to: golden, atomically: true, encoding: .utf8)
            }
            #expect(try String(contentsOf: golden, encoding: .utf8) == text)
        }
    }

    /// JSON with its members sorted by name.
    private static func line(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .flag(let truth): "\(truth)"
        case .integer(let integer): "\(integer)"
        case .number(let number): "\(number)"
        case .text(let text): "\"\(text)\""
        case .array(let elements): "[" + elements.map(line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\(line($0.value))" }.joined(separator: ",")
                + "}"
        }
    }
}

extension Workbench {
    /// The luma of every picture.
    func lumas(_ name: String, pixels: Int) async throws -> [Data] {
        try await ffmpeg(
            ["-i", name, "-fps_mode", "passthrough", "-vf", "extractplanes=y", "-f", "rawvideo", name + ".luma"])
        let bytes = try bytes(name + ".luma")
        return stride(from: 0, to: bytes.count, by: pixels).map { bytes[$0..<min($0 + pixels, bytes.count)] }
    }

    /// The peak signal-to-noise ratio of the pictures of two videos, in dB; infinite where they are equal.
    func likeness(_ a: String, _ b: String) async throws -> Double {
        let result = try await Program.onPath("ffmpeg").succeed(
            ["-nostdin", "-hide_banner", "-i", a, "-i", b, "-lavfi", "[0:v][1:v]psnr", "-f", "null", "-"], in: folder)
        let average = result.standardError.components(separatedBy: "average:").last?.prefix { $0 != " " } ?? ""
        return average == "inf" ? .infinity : Double(average) ?? 0
    }
}
