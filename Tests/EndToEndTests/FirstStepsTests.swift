import Foundation
import Testing
import TestSupport

/// Mistakes that new users make, and the line that they get.
@Suite("First steps")
struct FirstStepsTests {
    @Test(arguments: [
        (["render", "call.mp4", "out.mp4"], "unknown command 'render'"),
        (["detct", "call.mp4"], "unknown command 'detct'. Did you mean 'detect'?"),
        (["control", "wathc"], "unknown command 'wathc'. Did you mean 'watch'?"),
        (["nonsense"], "unknown command 'nonsense'"),
    ])
    func unknownCommandsSuggestOne(_ words: [String], _ message: String) async throws {
        try await Workbench.with { bench in
            expectRefusal(try await bench.flourish(words), code: 64, naming: message, saying: "; see flourish")
        }
    }

    @Test func theProgramIntroducesItself() async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish([])
            #expect(result.exitCode == 64 && result.standardOutput.isEmpty)
            let lines = result.standardError.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(lines.count == 6 && lines.count { $0.hasPrefix("  flourish ") } == 3, "\(lines)")
        }
    }

    /// The short help of each command has options that its long help has, and fewer.
    @Test(arguments: [
        ["filter"], ["detect"], ["plan", "make"], ["review"], ["photo"], ["inspect"], ["evaluate"], ["camera"],
        ["preview"],
    ])
    func helpIsShort(_ command: [String]) async throws {
        try await Workbench.with { bench in
            func options(_ option: String) async throws -> [Substring] {
                let help = try await bench.flourish(command + [option])
                #expect(help.exitCode == 0, "\(help.standardError)")
                return help.outputLines.filter { $0.hasPrefix("  -") }.compactMap { $0.split(separator: " ").first }
            }
            let (short, long) = (try await options("--help"), try await options("--help-all"))
            #expect(Set(short).isStrictSubset(of: long))
            // Beside --help-all, --version and --help.
            if command == ["filter"] { #expect(short.count == 15, "\(short)") }
            #expect(short.contains("--help-all"))
        }
    }

    /// Commands of version 0.1.0 that have other names now.
    @Test(arguments: [
        (["perform", "heart"], ["control", "perform", "heart"]), (["set"], ["control", "set"]),
        (["watch", "none.mp4"], ["control", "watch", "none.mp4"]), (["gestures", "list"], ["gestures"]),
        (["gestures", "remove", "none"], ["gestures", "--remove", "none"]), (["config", "show"], ["config"]),
        (["config", "path"], ["config", "--path"]), (["config", "example"], ["config", "--example"]),
    ])
    func formerNamesAreUnderstood(_ former: [String], _ current: [String]) async throws {
        try await Workbench.with { bench in
            let results = try await [bench.flourish(former), bench.flourish(current)]
            #expect(results[0].exitCode == results[1].exitCode)
            #expect(results[0].standardOutput == results[1].standardOutput)
            #expect(results[0].standardError == results[1].standardError)
        }
    }

    @Test func aFolderMayHaveTheNameOfAWord() async throws {
        try await Workbench.with { bench in
            try bench.makeFolder("show")
            try await bench.makeClip("show/a.mp4")
            let result = try await bench.flourish(["show", "--output-dir", "out"] + Workbench.quick)
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    @Test(arguments: [("h265", "hevc"), ("H.265", "hevc"), ("x265", "hevc"), ("x264", "h264"), ("avc", "h264")])
    func codecsHaveOtherNames(_ name: String, _ codec: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try bench.write("[encoding]\ncodec = \"\(name)\"\n", as: "own.toml")
            for options in [["--codec", name], ["--config", "own.toml"]] {
                let result = try await bench.flourish(
                    ["in.mp4", "out.mp4", "-y", "--no-gestures", "--preset", "ultrafast"] + options)
                #expect(result.exitCode == 0, "\(result.standardError)")
                #expect(try await bench.report("out.mp4").streams.first?["codec_name"]?.string == codec)
            }
        }
    }

    @Test func rangesDependOnTheCodec() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            for (options, words) in [
                (["--crf", "99"], "--crf must be a number from 0 to 63 (to 51 for h264 and hevc), not 99"),
                (["--crf", "55"], "crf must be between 0 and 51 for h264, not 55"),
                (["--crf", "55", "--codec", "h265"], "crf must be between 0 and 51 for hevc, not 55"),
            ] {
                let result = try await bench.flourish(["in.mp4", "out.mp4"] + options)
                expectRefusal(result, code: 64, naming: "", saying: words)
            }
        }
    }

    /// A file system of the kernel accepts no new files, although its folder's permissions allow them.
    @Test(arguments: ["/proc/out.mp4", "/sys/out.mkv"])
    func foldersThatAcceptNoFilesAreNamed(_ output: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(["in.mp4", output, "--no-gestures"])
            expectRefusal(result, code: 73, naming: output)
            let line = result.errorLines.last ?? ""
            #expect(line.contains("not writable") || line.contains("permission denied"), "\(line)")
        }
    }

    @Test func aNamedConfigurationMustBeKnown() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try bench.write("[output]\nquite = true\n", as: "own.toml")
            let result = try await bench.flourish(["in.mp4", "out.mp4", "--config", "own.toml"])
            expectRefusal(
                result, code: 64, naming: "own.toml:2: ", saying: "unknown setting output.quite",
                "did you mean output.quiet?")
            #expect(bench.files == ["in.mp4", "own.toml"])
        }
    }

    @Test(arguments: [["plan", "c.mp4", "x.txt"], ["detect", "c.mp4", "x.txt"]])
    func theHelpThatAMessageNamesExists(_ words: [String]) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(words)
            expectRefusal(result, code: 64, naming: "unexpected argument 'x.txt'")
            let line = result.errorLines.last ?? ""
            let named = try #require(line.range(of: "; see flourish ")).upperBound
            let help = try await bench.flourish(line[named...].split(separator: " ").map(String.init))
            #expect(help.exitCode == 0 && help.standardOutput.contains("USAGE"), "\(line)")
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func aTerminalShowsWhyAllIsEncoded() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", sound: false, ["-c:v", "ffv1", "-level", "3"])
            let program = Program.flourish.executable.path
            let result = try await bench.shell(
                "script -q -e -c '\"\(program)\" in.mkv out.mkv --no-gestures --reaction heart@0.1' /dev/null < /dev/null"
            )
            #expect(result.exitCode == 0)
            let line = result.standardOutput.split(whereSeparator: \.isNewline)
                .first { $0.contains("the whole video is encoded: ") }
            #expect(line?.contains("; the source is lossless, the output is not") == true, "\(result.standardOutput)")
        }
    }
}
