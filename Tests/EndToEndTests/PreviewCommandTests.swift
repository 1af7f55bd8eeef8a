import Testing
import TestSupport

/// The files of `flourish preview`.
@Suite struct PreviewCommandTests {
    @Test func previewsAreVideosAndAnimationsToo() async throws {
        try await Workbench.with { bench in
            for output in ["heart.mp4", "heart.gif"] {
                let result = try await bench.flourish(
                    ["preview", "heart", output, "--size", "96x64", "--rate", "10", "--seed", "3"])
                #expect(result.exitCode == 0, "\(result.standardError)")
                let report = try await bench.report(output)
                #expect(report.videoSize == (96, 64))
                #expect((15...80).contains(report.frameTimes.count), "\(output)")
            }
            try await bench.ffmpeg(["-f", "lavfi", "-i", "color=navy:s=128x72", "-frames:v", "1", "wall.png"])
            let over = try await bench.flourish(
                ["preview", "balloons", "over.mp4", "--background", "wall.png", "--rate", "5"])
            #expect(over.exitCode == 0)
            #expect(try await bench.report("over.mp4").videoSize == (128, 72))

            let again = try await bench.flourish(["preview", "heart", "heart.gif"])
            expectRefusal(again, code: 73, naming: "heart.gif", saying: "--overwrite")
            let unknown = try await bench.flourish(["preview", "wave", "wave.png"])
            #expect(unknown.exitCode == 64 && unknown.errorLines.count == 1)
            #expect(unknown.standardError.contains("thumbsUp"))
            let ending = try await bench.flourish(["preview", "heart", "heart.xyz"])
            expectRefusal(ending, code: 64, naming: "heart.xyz", saying: ".mp4", ".gif, .png")
            #expect(bench.files == ["heart.gif", "heart.mp4", "over.mp4", "wall.png"])
        }
    }

    /// An animation is small unless other sizes are given. A video has the picture's size.
    @Test func previewsAsAnimationsAreSmall() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(["-f", "lavfi", "-i", "color=navy:s=1000x562", "-frames:v", "1", "wide.png"])
            try await bench.ffmpeg(["-f", "lavfi", "-i", "color=navy:s=320x400", "-frames:v", "1", "narrow.png"])
            let cases: [(options: [String], size: (Int, Int), frameRate: Double)] = [
                ([], (480, 270), 15),
                (["--background", "wide.png"], (480, 270), 15),
                (["--background", "narrow.png"], (320, 400), 15),
                (["--background", "wide.png", "--size", "200x16", "--rate", "5"], (199, 112), 5),
                (["--size", "640x360", "--rate", "10"], (640, 360), 10),
            ]
            for (options, size, frameRate) in cases {
                let result = try await bench.flourish(["preview", "heart", "a.gif", "--overwrite"] + options)
                #expect(result.exitCode == 0, "\(result.standardError)")
                let report = try await bench.report("a.gif")
                #expect(report.videoSize == size, "\(options)")
                let times = report.frameTimes
                let measured = Double(times.count - 1) / (try #require(times.last) - (try #require(times.first)))
                #expect(abs(measured - frameRate) < 0.1 * frameRate, "\(options)")
            }
        }
    }
}
