import Foundation
import Testing
import TestSupport

@Suite("Auto framing of recordings")
struct AutoFramingTests {
    /// Draws a puppet that shows a victory sign and then moves to the right through a wall of 960 × 540.
    private static func draw(_ bench: Workbench) async throws {
        try await bench.draw(PuppetClip(pose: "victory", hands: "left", seconds: 5), as: "puppet.mp4")
        let x = "if(lt(t,2.5),40,if(lt(t,4),40+360*(t-2.5)/1.5,400))"
        try await bench.ffmpeg(
            [
                "-i", "puppet.mp4", "-filter_complex",
                "color=0x9098a0:s=960x540:r=12:d=6[wall];[0]tpad=stop_mode=clone:stop_duration=1[puppet];"
                    + "[wall][puppet]overlay=x='\(x)':y=270",
                "-t", "6",
            ] + Coding.h264 + ["in.mp4"])
    }

    /// The part of the input that an event names.
    private static func crop(_ event: JSONValue?) throws -> (x: Double, y: Double, size: Double) {
        let crop = try #require(event?["crop"])
        let (x, y) = (try #require(crop["x"]?.number), try #require(crop["y"]?.number))
        let (width, height) = (try #require(crop["width"]?.number), try #require(crop["height"]?.number))
        #expect(abs(width - height) < 0.0001 && width < 0.9)
        return (x, y, width)
    }

    @Test("The output follows the puppet at the input's size; events name both places", arguments: ["auto", "never"])
    func follows(smart: String) async throws {
        try await Workbench.with { bench in
            try await Self.draw(bench)
            let result = try await bench.flourish(
                [
                    "filter", "in.mp4", "out.mp4", "--events", "-", "--auto-framing", "1", "--smart-render", smart,
                    "--reaction", "heart@5.9", "--preset", "ultrafast", "--crf", "12",
                ], timeout: .seconds(Hang.seconds))
            try #require(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(result.standardOutput)
            #expect(events.all.first?["width"]?.integer == 960 && events.all.first?["height"]?.integer == 540)
            if smart == "auto" {
                #expect(events.all.first?["wholeReason"]?.string?.contains("--auto-framing") == true)
            }
            let changed = try #require(events.of("videoEffectsChanged").first)
            #expect(changed["autoFraming"]?.number == 1 && changed["portrait"]?.number == 0)

            // The left hand is in the right half of the puppet's picture, which is in the lower left quarter.
            let gesture = try #require(events.of("gesture").first)
            let (first, origin) = (try Self.crop(gesture), try #require(gesture["origin"]))
            let x = try #require(origin["x"]?.number), y = try #require(origin["y"]?.number)
            #expect((0.29...0.55).contains(x) && (0.5...1).contains(y))
            #expect((0...1).contains((x - first.x) / first.size) && (0...1).contains((y - first.y) / first.size))
            let balloons = try #require(events.of("effectStarted").first { $0["reactionType"]?.string == "balloons" })
            #expect(try abs(Self.crop(balloons).x - first.x) < 0.1)

            // The camera has followed, and rests.
            let last = try Self.crop(events.of("effectStarted").last)
            let middle = last.x + last.size / 2
            #expect(abs(middle - (400 + 240) / 960.0) < 0.06 && last.x - first.x > 0.2)
            let (width, left, top) = (960 * last.size, 960 * last.x, 540 * last.y)
            try await bench.ffmpeg([
                "-ss", "5.74", "-i", "in.mp4", "-frames:v", "1", "-vf",
                "crop=\(Int(width.rounded())):\(Int((540 * last.size).rounded())):\(Int(left.rounded())):\(Int(top.rounded())):exact=1,"
                    + "scale=960:540:flags=bicubic", "expected.png",
            ])
            try await bench.ffmpeg(["-ss", "5.74", "-i", "out.mp4", "-frames:v", "1", "shown.png"])
            #expect(try await bench.likeness("shown.png", "expected.png") > 28)
        }
    }

    @Test("Photographs without effects show what the video shows, in the input's pixels")
    func photographs() async throws {
        try await Workbench.with { bench in
            try await Self.draw(bench)
            let result = try await bench.flourish(
                [
                    "filter", "in.mp4", "out.mp4", "--events", "-", "--auto-framing", "1", "--end", "3", "--photos",
                    "moments", "--photo-type", "png",
                ], timeout: .seconds(Hang.seconds))
            try #require(result.exitCode == 0, "\(result.standardError)")
            let photo = try #require(try EventLines(result.standardOutput).of("photoFinished").first)
            let crop = try Self.crop(photo), width = try #require(photo["width"]?.integer)
            #expect(abs(Double(width) - 960 * crop.size) <= 4)
        }
    }

    @Test(
        "Without a picture of one scene it is refused in one line",
        arguments: [
            (["in.mp4", "out.mp4", "--layout", "2x1"], "tiles of a gallery"),
            (["in.mp4", "out.mov", "--overlay"], "an overlay has no picture"),
        ])
    func refusals(_ options: [String], _ part: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(["filter"] + options + ["--auto-framing", "--no-gestures"])
            #expect(result.exitCode == 64 && result.standardError.contains(part), "\(result.standardError)")
            #expect(result.standardError.split(separator: "\n").count == 1 && bench.files == ["in.mp4"])
        }
    }
}
