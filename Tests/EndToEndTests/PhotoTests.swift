import Foundation
import Testing
import TestSupport

@Suite("Photographs from recordings")
struct PhotoTests {
    /// A video of flat pictures, each a little brighter than the one before: one of 4 n + 40 at n frames.
    private func makeCounter(_ bench: Workbench, _ name: String, rate: Int = 25, frames: Int = 40) async throws {
        try await bench.ffmpeg(
            [
                "-f", "lavfi", "-i", "color=gray:s=64x48:r=\(rate):d=\(Double(frames) / Double(rate))", "-vf",
                "format=yuv444p,geq=lum=4*N+40:cb=128:cr=128,format=yuv420p", "-metadata",
                "creation_time=2026-05-04T10:20:30.500Z", "-metadata", "location=+52.5200-013.4050/",
            ] + Coding.h264 + ["-qp", "0", name])
    }

    /// The number of the picture that an image shows.
    private func number(_ bench: Workbench, _ image: String) async throws -> Double {
        try await bench.ffmpeg(["-i", image, "-pix_fmt", "gray", "-f", "rawvideo", "luma.raw"])
        let luma = try bench.bytes("luma.raw")
        // Gray is of full range.
        let mean = Double(luma.reduce(0) { $0 + Int($1) }) / Double(luma.count) * 219 / 255 + 16
        return (mean - 40) / 4
    }

    @Test(
        "The photograph shows the requested instant with any fusion and format",
        arguments: ["jpg", "png", "webp", "avif"], ["speed", "balanced", "quality"])
    func instant(kind: String, quality: String) async throws {
        try await Workbench.with { bench in
            try await makeCounter(bench, "in.mp4")
            for (time, frame) in [("0", 0.0), ("0.5", 12), ("0:00.99", 24), ("1.59", 39)] {
                let result = try await bench.flourish([
                    "photo", "in.mp4", "--at", time, "-o", "out.\(kind)", "-y", "--photo-quality", quality,
                    "--no-finish",
                    "--json",
                ])
                try #require(result.exitCode == 0, "\(result.standardError)")
                #expect(abs(try await number(bench, "out.\(kind)") - frame) < 0.5)
                let reported = try JSONValue(parsing: result.standardOutput)
                #expect(abs((reported["time"]?.number ?? -1) - frame / 25) < 0.001)
                let frames = reported["resolvedSettings"]?["frames"]?.integer
                #expect(frames == (quality == "speed" ? 1 : quality == "balanced" ? 5 : 16))
            }
        }
    }

    @Test("Pictures stand upright, with square pixels", arguments: ["jpg", "png", "webp", "avif"])
    func uprightness(kind: String) async throws {
        try await Workbench.with { bench in
            // Red on the left, but stored rotated and squeezed.
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "color=red:s=32x64:d=0.4,pad=64:64:0:0:blue", "-vf",
                    "format=yuv420p,transpose=cclock,scale=64:32,setsar=1/2",
                ] + Coding.h264 + ["plain.mp4"])
            try await bench.ffmpeg(FFmpegTool.rotating("plain.mp4", by: 270, to: "turned.mp4"))
            let result = try await bench.flourish(["photo", "turned.mp4", "--at", "0.1", "-o", "out.\(kind)"])
            try #require(result.exitCode == 0, "\(result.standardError)")
            try await bench.ffmpeg(["-i", "out.\(kind)", "-pix_fmt", "rgb24", "-f", "rawvideo", "out.rgb"])
            let pixels = try bench.bytes("out.rgb")
            #expect(pixels.count == 32 * 32 * 3)
            let left = Array(pixels[(16 * 32 + 4) * 3..<(16 * 32 + 5) * 3])
            let right = Array(pixels[(16 * 32 + 28) * 3..<(16 * 32 + 29) * 3])
            #expect(left[0] > 180 && left[2] < 80, "\(left)")
            #expect(right[2] > 180 && right[0] < 80, "\(right)")
        }
    }

    @Test("Other running processes get no unsupported request")
    func askedInVain() async throws {
        try await Workbench.with { bench in
            for options in [["--no-finish"], ["--start", "1", "--end", "2"], ["--at", "-3"]] {
                let result = try await bench.flourish(["photo", "--control", "c.sock"] + options)
                #expect(result.exitCode == 64 && result.standardError.contains(options[0]), "\(result.standardError)")
            }
        }
    }

    @Test("The best instant is neither blurred nor moving")
    func choice() async throws {
        try await Workbench.with { bench in
            // Blurred except for the second from 1 s on, and moving in its first half.
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc=s=320x240:r=25:d=3", "-vf",
                    "boxblur=6:enable='lt(t,1)+gt(t,2)',crop=160:120:x='80+40*sin(t*60)*lt(t,1.5)':y=40",
                ] + Coding.h264 + ["in.mp4"])
            let result = try await bench.flourish(["photo", "in.mp4", "--best", "-o", "out.jpg", "--json"])
            try #require(result.exitCode == 0, "\(result.standardError)")
            let reported = try JSONValue(parsing: result.standardOutput)
            let time = reported["time"]?.number ?? 0
            #expect(time > 1.4 && time < 2.05)
            #expect(
                reported["choice"]?["candidates"]?.integer == 75
                    && (reported["choice"]?["sharpness"]?.number ?? 0) > 0.8)
            let part = try await bench.flourish([
                "photo", "in.mp4", "--best", "--start", "0.2", "--end", "0.6", "-o", "part.jpg", "--json",
            ])
            let other = try JSONValue(parsing: part.standardOutput)
            #expect((0.2..<0.6).contains(other["time"]?.number ?? 0) && other["choice"]?["candidates"]?.integer == 10)
            let blind = try await bench.flourish(
                ["photo", "in.mp4", "--best", "-o", "blind.jpg"],
                environment: ["FLOURISH_HOME": bench.file("nowhere").path])
            #expect(blind.exitCode == 0 && result.standardError.isEmpty)
            #expect(blind.standardError.contains("is chosen without face detection"), "\(blind.standardError)")
        }
    }

    @Test("The best instant is found also where a container leads between key frames")
    func choiceBetweenKeyFrames() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=4", "-g", "50"] + Coding.h264 + ["in.ts"])
            for (start, candidates) in [("3.8", 5), ("1.9", 52)] {
                let result = try await bench.flourish([
                    "photo", "in.ts", "--best", "--start", start, "-o", "\(start).jpg", "--json",
                ])
                try #require(result.exitCode == 0, "\(result.standardError)")
                let reported = try JSONValue(parsing: result.standardOutput)
                let count = reported["choice"]?["candidates"]?.integer ?? 0
                #expect(abs(count - candidates) <= 1, "\(count)")
            }
        }
    }

    @Test("exiftool reads the time and the location", arguments: ["jpg", "png", "webp", "avif"])
    func metadata(kind: String) async throws {
        guard let tool = try? Program.onPath("exiftool") else { return }
        guard (try? await tool.run(["-ver"]))?.exitCode == 0 else { return }
        try await Workbench.with { bench in
            try await makeCounter(bench, "in.mov")
            _ = try await bench.flourish(["photo", "in.mov", "--at", "1", "-o", "out.\(kind)"])
            let result = try await tool.run(
                [
                    "-s", "-s", "-s", "-n", "-SubSecDateTimeOriginal", "-GPSLatitude", "-GPSLongitude", "-UserComment",
                    "-Software", "out.\(kind)",
                ], in: bench.folder)
            #expect(result.standardError == "")
            let lines = result.standardOutput.split(separator: "\n").map(String.init)
            // The container counts whole seconds.
            #expect(lines.first == "2026:05:04 10:20:31.000+00:00", "\(lines)")
            #expect(lines.dropFirst() == ["52.52", "-13.405", #"{"time":1}"#, "Flourish"], "\(lines)")
        }
    }

    @Test("Invalid locations and extreme pixel aspect ratios do not end the run")
    func wildClaims() async throws {
        try await Workbench.with { bench in
            for (number, place) in ["+52.5+013.4+99999999999999999999/", "+99999+1/", "+1+1-1e9/"].enumerated() {
                try await bench.ffmpeg(
                    ["-f", "lavfi", "-i", "testsrc=s=64x48:d=0.2", "-metadata", "location=\(place)"] + Coding.h264
                        + ["in.mov"])
                let result = try await bench.flourish(["photo", "in.mov", "--at", "0", "-o", "place-\(number).jpg"])
                #expect(result.exitCode == 0, "\(place): \(result.standardError)")
            }
            try await bench.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=64x48:d=0.2", "-frames:v", "1", "plain.png"])
            let plain = try bench.bytes("plain.png")
            let pixels = try #require(plain.firstRange(of: Data("IDAT".utf8))).lowerBound - 4
            for (wide, high) in [(65_535, 1), (2_000_000_000, 1), (1, 2_000_000_000)] as [(UInt32, UInt32)] {
                // Before the pixels, where the last chunk counts: the pixels' aspect ratio, with a checksum that
                // FFmpeg does not verify.
                let shape = [wide, high].flatMap { number in
                    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
                }
                let chunk = Data([0, 0, 0, 9] + Array("pHYs".utf8) + shape + [0, 0, 0, 0, 0])
                try bench.write(plain[..<pixels] + chunk + plain[pixels...], as: "in.png")
                for kind in ["jpg", "png", "webp", "avif"] {
                    let result = try await bench.flourish(["photo", "in.png", "--at", "0", "-o", "out.\(kind)", "-y"])
                    #expect([0, 65].contains(result.exitCode), "\(wide):\(high) \(kind): \(result.standardError)")
                    #expect((result.exitCode == 65) == (wide > 1), "\(kind)")
                }
            }
        }
    }

    @Test("High dynamic range stays so in AVIF and is toned down elsewhere", arguments: ["smpte2084", "arib-std-b67"])
    func highDynamicRange(transfer: String) async throws {
        try await Workbench.with { bench in
            // Diffuse white is 58 % of PQ's range and 75 % of HLG's.
            let white = transfer == "smpte2084" ? 64 + 876 * 0.58 : 64 + 876 * 0.75
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "color=gray:s=64x48:d=0.4", "-vf",
                    "format=yuv444p10,geq=lum=\(Int(white)):cb=512:cr=512,format=yuv420p10,\(FFmpegTool.wideColours(transfer))",
                ] + Coding.hevc + ["in.mp4"])
            for kind in ["avif", "png", "jpg", "webp"] {
                let result = try await bench.flourish(["photo", "in.mp4", "--at", "0.2", "-o", "out.\(kind)"])
                try #require(result.exitCode == 0, "\(result.standardError)")
            }
            let stream = try #require(try await FFmpegTool.streams(of: bench.file("out.avif")).first)
            #expect(stream["color_transfer"]?.string == transfer && stream["color_space"]?.string == "bt2020nc")
            #expect(stream["pix_fmt"]?.string == "yuv420p10le")
            for kind in ["png", "jpg", "webp"] {
                try await bench.ffmpeg(["-i", "out.\(kind)", "-pix_fmt", "gray", "-f", "rawvideo", "luma.raw"])
                let luma = try bench.bytes("luma.raw")
                let mean = luma.reduce(0) { $0 + Int($1) } / luma.count
                #expect((205...245).contains(mean), "\(kind): \(mean)")
            }
        }
    }

    @Test("AVIF keeps and signals full range", arguments: ["yuvj420p", "yuvj422p", "yuvj444p"])
    func fullRange(format: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "color=white:s=64x48:r=10:d=0.4", "-vf", "scale=out_range=pc,format=\(format)",
                "-color_range", "pc", "-c:v", "mjpeg", "-q:v", "2", "in.mov",
            ])
            let result = try await bench.flourish(["photo", "in.mov", "--at", "0.2", "-o", "out.avif"])
            try #require(result.exitCode == 0, "\(result.standardError)")
            let stream = try #require(try await FFmpegTool.streams(of: bench.file("out.avif")).first)
            #expect(stream["color_range"]?.string == "pc")
            try await bench.ffmpeg(["-i", "out.avif", "-pix_fmt", "gray", "-f", "rawvideo", "luma.raw"])
            #expect(try bench.bytes("luma.raw").allSatisfy { $0 > 250 })
        }
    }

    @Test("Videos of one frame, odd sizes and alpha are photographed")
    func oddities() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.04", "-vf", "format=yuv444p,crop=33:17", "-c:v", "ffv1",
                "one.mkv",
            ])
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=66x38:r=25:d=0.4", "-pix_fmt", "yuva420p", "-c:v", "libvpx-vp9",
                "-threads", "1", "-deadline", "realtime", "clear.webm",
            ])
            for (input, size) in [("one.mkv", [33, 17]), ("clear.webm", [66, 38])] {
                for kind in ["jpg", "png", "webp", "avif"] {
                    let result = try await bench.flourish(
                        ["photo", input, "--at", "0", "-o", "\(input).\(kind)", "--photo-quality", "quality"])
                    try #require(result.exitCode == 0, "\(input) as \(kind): \(result.standardError)")
                    let stream = try #require(try await FFmpegTool.streams(of: bench.file("\(input).\(kind)")).first)
                    // The AVIF demuxer of FFmpeg 5 reports the coded size.
                    if kind != "avif" { #expect([stream["width"]?.integer, stream["height"]?.integer] == size) }
                }
            }
        }
    }

    @Test("Requests beyond the end of a truncated recording are reported")
    func brokenOff() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=12", "-g", "25"] + Coding.h264 + ["whole.mkv"])
            let whole = try bench.bytes("whole.mkv")
            try bench.write(whole.prefix(whole.count / 2), as: "cut.mkv")
            let early = try await bench.flourish(["photo", "cut.mkv", "--at", "0", "-o", "early.jpg"])
            #expect(early.exitCode == 0, "\(early.standardError)")
            let best = try await bench.flourish(["photo", "cut.mkv", "--best", "-o", "best.jpg"])
            #expect(best.exitCode == 0)
            #expect(
                best.standardError.hasPrefix("flourish: warning: cut.mkv: is truncated at "), "\(best.standardError)")
            let late = try await bench.flourish(["photo", "cut.mkv", "--at", "11", "-o", "late.jpg"])
            #expect(late.exitCode == 65 && late.standardError.hasPrefix("flourish: cut.mkv: is truncated at "))
            #expect(late.standardError.hasSuffix("and has no frame at 11 s\n"), "\(late.standardError)")
            #expect(!bench.files.contains("late.jpg"))
            let seen = try await bench.flourish(["inspect", "cut.mkv"])
            #expect(seen.exitCode == 0 && seen.standardError == best.standardError)
            // Sound may last longer than pictures do.
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-f", "lavfi", "-i", "sine=d=3"] + Coding.h264
                    + Coding.aac + ["long.mkv"])
            let sound = try await bench.flourish(["photo", "long.mkv", "--best", "-o", "long.jpg"])
            #expect(sound.exitCode == 0 && sound.standardError.isEmpty, "\(sound.standardError)")
        }
    }

    @Test("Invalid requests are refused in one line")
    func refusals() async throws {
        try await Workbench.with { bench in
            try await makeCounter(bench, "in.mp4")
            try bench.write("no picture", as: "there.jpg")
            for (arguments, code, words) in [
                (["in.mp4", "-o", "out.jpg"], 64, "--at with a time, or --best"),
                (["in.mp4", "--at", "1", "--best", "-o", "out.jpg"], 64, "--at with a time, or --best"),
                (["in.mp4", "--at", "1", "--end", "2", "-o", "out.jpg"], 64, "require --best"),
                (["in.mp4", "--at", "1", "-o", "out.gif"], 64, ".jpg, .png, .webp or .avif"),
                (["in.mp4", "--at", "100", "-o", "out.jpg"], 64, "lasts 1.6 s"),
                (["in.mp4", "--best", "--start", "50", "-o", "out.jpg"], 64, "no frame in this interval"),
                (["in.mp4", "--at", "1", "-o", "there.jpg"], 73, "exists already"),
                (["in.mp4", "--at", "1", "-o", "gone/out.jpg"], 73, "gone/out.jpg"),
                (["gone.mp4", "--at", "1", "-o", "out.jpg"], 66, "gone.mp4"),
                (["there.jpg", "--at", "1", "-o", "out.jpg"], 65, "there.jpg"),
            ] as [([String], Int, String)] {
                let result = try await bench.flourish(["photo"] + arguments)
                #expect(Int(result.exitCode) == code, "\(arguments): \(result.exitCode) \(result.standardError)")
                #expect(result.standardError.contains(words), "\(result.standardError)")
                #expect(result.standardError.split(separator: "\n").count == 1)
            }
            #expect(bench.files == ["in.mp4", "there.jpg"])
        }
    }
}
