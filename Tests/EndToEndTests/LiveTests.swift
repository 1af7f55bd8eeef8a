import Foundation
import Testing
import TestSupport

@Suite("Live")
struct LiveTests {
    /// A gesture in a stream that arrives in real time.
    @Test
    func aGestureTriggersItsReaction() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left", hold: 4, seconds: 5), as: "call.mkv")
            let result = try await bench.shell(
                "ffmpeg -re -i call.mkv -c copy -f nut - | flourish detect - --live --hold 0.5 --events -")
            #expect(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(result.standardOutput)
            #expect(events.gestures.first == "thumbsUp")
            #expect(events.effects.first == "thumbsUp")
        }
    }

    @Test func noFrameIsDroppedWithoutOverload() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.nut", seconds: 2)
            let result = try await bench.shell(
                """
                flourish - - --live --no-gestures --preset ultrafast --reaction heart@0.5 --stats \
                    --events events.jsonl < in.nut > out.nut
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.errorLines.first?.hasPrefix("latency in ms") == true)
            #expect(result.errorLines.contains { $0.hasPrefix("toEncoder") })
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            let isTooSlow = !events.of("qualityChanged").isEmpty
            #expect(try await bench.report("out.nut").frameTimes.count == 50 || isTooSlow)
        }
    }

    /// No queue and no thread holds a picture back until another one arrives.
    @Test(arguments: ["rawvideo", "yuv4mpegpipe"])
    func eachPictureIsWrittenBeforeTheNextArrives(_ format: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=0.4", "-pix_fmt", "yuv420p", "-f", "rawvideo", "in.yuv",
            ])
            let frame = 96 * 64 * 3 / 2
            let result = try await bench.shell(
                """
                mkfifo gate
                { head -c \(frame) in.yuv; read -r line < gate; tail -c +\(frame + 1) in.yuv; } \
                | flourish - - --live --no-gestures --input-format rawvideo --video-size 96x64 \
                    --output-format \(format) \
                | { head -c \(frame) > first; echo > gate; cat > rest; }
                cat first rest
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.standardOutputData.count >= frame * 10)
        }
    }
}
