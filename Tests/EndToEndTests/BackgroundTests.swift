import FlourishControl
import Foundation
import Testing
import TestSupport

/// Backgrounds that replace the video's own.
@Suite("Backgrounds") struct BackgroundTests {
    private static let filter = ["--no-gestures", "--crf", "0", "--preset", "ultrafast"]

    /// Returns the samples of a picture of a video, 8 bits each, in the planes of a pixel format.
    private func picture(_ name: String, at time: Double = 0.5, format: String = "yuv420p", _ bench: Workbench)
        async throws -> [UInt8]
    {
        try await bench.ffmpeg([
            "-ss", "\(time)", "-i", name, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", format, "one.raw",
        ])
        return Array(try bench.bytes("one.raw"))
    }

    @Test("A room without people shows the colour, the picture and the video alone")
    func emptyRoom() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "320x180", seconds: 1, sound: false, Coding.h264)
            try await bench.ffmpeg(["-f", "lavfi", "-i", "color=0x204080:s=640x480", "-frames:v", "1", "wall.png"])
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "nullsrc=s=64x64:r=4:d=0.5,format=gray,geq=lum='60+N*120'", "-c:v", "ffv1",
                    "loop.mkv",
                ])
            let reported = try await bench.filter("in.mp4", "green.mkv", Self.filter + ["--background", "#00b140"])
            #expect(reported.of("videoEffectsChanged").first?["background"]?.string == "#00b140")
            // BT.601, as the clip has fewer than 720 rows.
            let green = try await picture("green.mkv", bench)
            let count = 320 * 180
            #expect(green[..<count].allSatisfy { abs(Int($0) - 112) <= 1 }, "\(green[0])")
            #expect(green[count..<count * 5 / 4].allSatisfy { abs(Int($0) - 105) <= 1 }, "\(green[count])")
            #expect(green[(count * 5 / 4)...].allSatisfy { abs(Int($0) - 58) <= 1 }, "\(green[count * 5 / 4])")
            try await bench.filter("in.mp4", "wall.mkv", Self.filter + ["--background", "wall.png"])
            let wall = try await picture("wall.mkv", format: "rgb24", bench)
            #expect(abs(Int(wall[0]) - 0x20) <= 3 && abs(Int(wall[1]) - 0x40) <= 3 && abs(Int(wall[2]) - 0x80) <= 3)
            try await bench.filter("in.mp4", "moving.mkv", Self.filter + ["--background", "loop.mkv"])
            let first = try await picture("moving.mkv", at: 0.1, bench),
                second = try await picture("moving.mkv", at: 0.35, bench)
            let third = try await picture("moving.mkv", at: 0.6, bench)
            #expect(abs(Int(first[0]) - Int(third[0])) <= 2 && Int(second[0]) - Int(first[0]) > 80)
        }
    }

    @Test("People alone are written where there is alpha, and refused elsewhere")
    func transparency() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "320x180", seconds: 1, sound: false)
            let overlay = ["--no-gestures", "--overlay", "--background", "transparent"]
            let result = try await bench.flourish(["filter", "in.mp4", "out.nut"] + overlay)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let people = try await picture("out.nut", format: "rgba", bench)
            #expect(stride(from: 3, to: people.count, by: 4).allSatisfy { people[$0] == 0 }, "the room is empty")
            #expect(try await bench.report("out.nut").frameTimes.count == 25)
            for arguments in [
                ["filter", "in.mp4", "no.mp4", "--background", "transparent"],
                ["filter", "in.mp4", "no.mp4"] + overlay,
            ] {
                let refused = try await bench.flourish(arguments)
                #expect(refused.exitCode != 0 && !bench.files.contains("no.mp4"))
                #expect(
                    refused.standardError.contains(".webm") && refused.standardError.contains(".mov")
                        && refused.standardError.split(separator: "\n").count == 1, "\(refused.standardError)")
            }
        }
    }

    @Test("Unusable backgrounds are refused in one line, before anything is written")
    func refusals() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1, sound: false)
            try bench.write("no picture", as: "text.png")
            for (value, words) in [
                ("none.jpg", "none.jpg"), ("text.png", "text.png"), ("bleu", "must be none"),
                ("blur:2", "must be none"),
                ("#12", "must be none"), ("blur:60%", "must be none"),
            ] {
                let refused = try await bench.flourish(
                    ["filter", "in.mp4", "out.mp4", "--no-gestures", "--background", value])
                #expect(refused.exitCode != 0 && refused.standardError.contains(words), "\(refused.standardError)")
                #expect(!bench.files.contains { $0.hasPrefix("out") || $0.contains("partial") }, "\(bench.files)")
                #expect(value.contains(".") ? refused.standardError.split(separator: "\n").count == 1 : true)
            }
            let both = try await bench.flourish(
                ["filter", "in.mp4", "out.mp4", "--portrait", "0.5", "--background", "#000000"])
            #expect(both.exitCode == 64 && both.standardError.contains("use one"), "\(both.standardError)")
        }
    }

    @Test("The last line says what was done, and strengths with a percent sign are refused")
    func summaries() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1, sound: false)
            let run = ["filter", "in.mp4", "out.mp4", "-y", "--no-gestures"]
            for (options, words) in [
                (["--portrait"], "background out of focus (0.6) → out.mp4 ("),
                (
                    ["--background", "#00b140", "--studio-light", "0.3"],
                    "background replaced by #00b140, faces lit (0.3) → "
                ),
            ] {
                let result = try await bench.flourish(run + options)
                #expect(result.exitCode == 0 && result.standardError.contains(words), "\(result.standardError)")
                #expect(!result.standardError.contains("no reaction"), "\(result.standardError)")
            }
            for options in [["--portrait=90%"], ["--portrait", "90%"], ["--sounds=much"], ["--intensity", "90%"]] {
                let refused = try await bench.flourish(run + options)
                #expect(refused.exitCode == 64 && refused.standardError.contains("must be a number from 0 to 1"))
            }
        }
    }

    @Test("Clients choose among the files of the start, and never give a path")
    func control() async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(at: bench.file("walls"), withIntermediateDirectories: true)
            for (name, colour) in [("walls/brick.png", "red"), ("walls/sky.jpg", "blue"), ("secret.png", "white")] {
                try await bench.ffmpeg(["-f", "lavfi", "-i", "color=\(colour):s=64x64", "-frames:v", "1", name])
            }
            try bench.write("no picture", as: "walls/broken.png")
            try bench.write("a text", as: "walls/notes.txt")
            let run = try await bench.startLongRun(["--control", "c.sock", "--backgrounds", "walls"])
            let client = try ControlClient(path: bench.folder.path + "/c.sock")
            func set(_ value: String) -> Bool {
                (try? client.ask(["command": .text("set"), "name": .text("background"), "value": .text(value)])) != nil
            }
            func value(_ name: String) throws -> String {
                try client.ask(["command": .text("get"), "name": .text(name)]).plain
            }
            #expect(try value("background") == "none")
            #expect(set("brick.png"))
            #expect(try value("background") == "brick.png")
            for refused in [
                "secret.png", bench.file("secret.png").path, "walls/brick.png", "notes.txt", "broken.png",
                "transparent",
            ] {
                #expect(!set(refused), "\(refused)")
            }
            #expect(try value("background") == "brick.png")
            #expect(set("blur:0.3"))
            #expect(try value("portrait") == "0.3")
            #expect(set("#00b140") && set("none"))
            _ = try client.ask(["command": .text("quit")])
            let result = try await run.result()
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }
}
