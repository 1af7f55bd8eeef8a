import Foundation
import Testing
import TestSupport

/// Checks the program's message for a request that it refuses: one line that names the cause, and the documented exit
/// code.
func expectRefusal(
    _ result: ProgramResult, code: Int32, naming name: String, saying words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(result.exitCode == code, "\(result.command)", sourceLocation: sourceLocation)
    #expect(result.signal == nil, sourceLocation: sourceLocation)
    #expect(result.errorLines.count == 1, "\(result.standardError)", sourceLocation: sourceLocation)
    let line = result.errorLines.last ?? ""
    #expect(line.hasPrefix("flourish: \(name)"), "\(line)", sourceLocation: sourceLocation)
    for word in words {
        #expect(line.contains(word), "\(line)", sourceLocation: sourceLocation)
    }
    #expect(result.standardOutput.isEmpty, sourceLocation: sourceLocation)
}

@Suite("Bad input")
struct BadInputTests {
    @Test func messagesAreOneLineForAnyFileName() async throws {
        try await Workbench.with { bench in
            for (name, reported) in [
                ("no\nfile.mp4", "no\\nfile.mp4: "), ("\u{1B}[2J\r\n\u{7}é.mp4", "\\u001B[2J\\r\\n\\u0007é.mp4: "),
                ("a\u{2028}b.mp4", "a\\u2028b.mp4: "),
            ] {
                let result = try await bench.flourish(["filter", name, "out.mp4"])
                expectRefusal(result, code: 66, naming: reported, saying: "no such file")
            }
        }
    }

    /// Every command that reads a video refuses these inputs and leaves no file behind.
    @Test(arguments: ["filter", "detect", "inspect"])
    func inputsWithoutVideoAreNamed(_ command: String) async throws {
        try await Workbench.with { bench in
            try bench.write("", as: "empty.mp4")
            try bench.write(String(repeating: "Dear all, the call is at ten.\n", count: 200), as: "letter.mp4")
            try bench.write(String(repeating: "Dear all, the call is at ten.\n", count: 200), as: "letter.txt")
            try FileManager.default.createDirectory(at: bench.file("folder"), withIntermediateDirectories: false)
            try await bench.ffmpeg(["-f", "lavfi", "-i", "sine=d=0.3"] + Coding.aac + ["song.m4a"])
            try await bench.ffmpeg(["-f", "lavfi", "-i", "sine=d=0.3", "song.wav"])
            let before = bench.files
            for (input, code, words) in [
                ("missing.mp4", 66, "no such file"),
                // For recordings in a folder, these commands need an option.
                ("folder", command == "inspect" ? 66 : 64, "folder"), ("empty.mp4", 65, "empty"),
                ("letter.mp4", 65, "not"), ("letter.txt", 65, "not"), ("song.m4a", 65, "video"),
                ("song.wav", 65, "video"),
            ] as [(String, Int32, String)] {
                let output = command == "filter" ? ["out.mp4"] : []
                expectRefusal(
                    try await bench.flourish([command, input] + output), code: code, naming: input, saying: words)
                #expect(bench.files == before)
            }
        }
    }

    /// Matroska can store them; MP4 and AVI cannot.
    @Test func jumpingTimestampsAreInputErrors() async throws {
        try await Workbench.with { bench in
            let picture = "FRAME\n" + String(repeating: "\u{10}", count: 64 * 48 * 3 / 2)
            try bench.write(
                "YUV4MPEG2 W64 H48 F1:2147483647 C420\n" + String(repeating: picture, count: 3), as: "slow.y4m")
            try await bench.makeClip("in.mkv", seconds: 1, sound: false)
            try await bench.ffmpeg(
                [
                    "-i", "in.mkv", "-c", "copy", "-bsf:v", "setts=ts='if(gte(N,12),PTS+4000000000000,PTS)'",
                    "leap.mkv",
                ])
            for (input, output, words) in [
                ("slow.y4m", "out.mp4", "s at 0 s, which MP4 does not support; write .mkv"),
                ("leap.mkv", "out.mov", "which QuickTime does not support"),
                ("leap.mkv", "out.avi", "which AVI does not support"),
                ("slow.y4m", "out.webm", "frame rate of 1/2147483647"),
            ] {
                let result = try await bench.flourish([input, output, "--no-gestures"])
                expectRefusal(result, code: 65, naming: output, saying: words)
            }
            try await bench.filter("slow.y4m", "out.mkv")
            #expect(bench.files == ["in.mkv", "leap.mkv", "out.mkv", "slow.y4m"])
        }
    }

    /// A few bytes can claim gigabytes of pictures.
    @Test func hugePicturesAreRefusedBeforeAllocation() async throws {
        try await Workbench.with { bench in
            try bench.write("YUV4MPEG2 W65535 H65535 F30:1 C420\nFRAME\n", as: "huge.y4m")
            expectRefusal(
                try await bench.flourish(["filter", "huge.y4m", "out.mp4"]), code: 65, naming: "huge.y4m",
                saying: "damaged")
            // A still picture of 16000 × 16000.
            var gif: [UInt8] = Array("GIF89a".utf8) + [0x80, 0x3E, 0x80, 0x3E, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
            gif += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
            try Data(gif).write(to: bench.file("huge.gif"))
            let result = try await bench.flourish(["filter", "huge.gif", "out.mp4"])
            expectRefusal(result, code: 65, naming: "huge.gif", saying: "input.max-pixels")
            try await bench.makeClip("in.mkv", size: "160x120", seconds: 1)
            expectRefusal(
                try await bench.flourish(["filter", "in.mkv", "out.mp4", "--max-pixels", "19199"]), code: 65,
                naming: "in.mkv", saying: "160×120", "19200")
            let passed = try await bench.flourish([
                "filter", "in.mkv", "out.mp4", "--max-pixels", "19200", "--no-gestures",
            ])
            #expect(passed.exitCode == 0)
        }
    }

    /// Matroska's demuxer returns this error for bytes that it cannot parse.
    @Test func demuxerErrorsAreNotReportedAsDiskErrors() async throws {
        try await Workbench.with { bench in
            let damaged = Repository.root.appending(path: "Tests/EndToEndTests/Corpus/media/called-an-io-error.webm")
            try FileManager.default.copyItem(at: damaged, to: bench.file("in.webm"))
            for input in ["in.webm", "-"] {
                let result = try await bench.shell("flourish detect \(input) < in.webm")
                expectRefusal(result, code: 65, naming: input, saying: "damaged")
            }
            #expect(bench.files == ["in.webm"])
        }
    }

    /// Copying packets needs no decoder, but some containers need values from the header.
    @Test func damagedHeadersAreInputErrors() async throws {
        try await Workbench.with { bench in
            for (clip, coding, box) in [("h264.mp4", Coding.h264, "avcC"), ("hevc.mp4", Coding.hevc, "hvcC")] {
                try await bench.makeClip(clip, sound: false, coding)
                var bytes = try bench.bytes(clip)
                let start = try #require(bytes.range(of: Data(box.utf8))).upperBound
                bytes.replaceSubrange(start..<start + 28, with: Data(repeating: 0xFF, count: 28))
                try bytes.write(to: bench.file("bad.mp4"))
                for options in [[], ["--reaction", "heart@0.1"]] {
                    for output in ["out.mp4", "out.ts", "out.mov"] {
                        let result = try await bench.flourish(["bad.mp4", output, "--no-gestures"] + options)
                        // Nothing is lost where every stream can be copied.
                        if result.exitCode == 0 {
                            #expect(options.isEmpty)
                            try FileManager.default.removeItem(at: bench.file(output))
                        } else {
                            expectRefusal(result, code: 65, naming: "bad.mp4")
                        }
                    }
                }
            }
            #expect(bench.files == ["bad.mp4", "h264.mp4", "hevc.mp4"])
        }
    }

    @Test func invalidNamesAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("./-dash.mp4", sound: false)
            try FileManager.default.createSymbolicLink(
                atPath: bench.file("loop.mp4").path, withDestinationPath: "loop.mp4")
            let before = bench.files
            for (arguments, code, words) in [
                // One of the letters after a dash selects the help.
                (["filter", "-dash.mp4", "out.mp4"], 64, "./-dash.mp4"), (["fliter", "-", "out.mp4"], 64, "'filter'"),
                (["filter", "", "out.mp4"], 66, "empty"), (["filter", "./-dash.mp4", ""], 64, "empty"),
                (["filter", "./-dash.mp4/x", "out.mp4"], 66, "./-dash.mp4/x"),
                (["detect", "loop.mp4"], 66, "loop.mp4"),
                (["filter", "./-dash.mp4", "loop.mp4", "--no-gestures"], 73, "is a symbolic link to itself"),
            ] as [([String], Int32, String)] {
                let result = try await bench.flourish(arguments)
                #expect(
                    result.exitCode == code && result.errorLines.count == 1,
                    "\(result.command): \(result.standardError)")
                #expect(
                    result.standardError.contains(words) && result.standardOutput.isEmpty, "\(result.standardError)")
                #expect(bench.files == before)
            }
            try await bench.filter("./-dash.mp4", "./-out.mkv")
        }
    }

    @Test func aVideoWithoutItsIndexIsUnusable() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("whole.mp4")
            // Without fast start the index is at the end.
            try bench.write(bench.bytes("whole.mp4").prefix(4000), as: "cut.mp4")
            expectRefusal(
                try await bench.flourish(["cut.mp4", "out.mp4"]), code: 65, naming: "cut.mp4", saying: "truncated")
            #expect(bench.files == ["cut.mp4", "whole.mp4"])
        }
    }

    /// A recording that breaks off is filtered up to there.
    @Test(arguments: ["mkv", "ts", "mp4", "webm", "avi"])
    func truncatedRecordingsAreFilteredUpToTheirEnd(_ container: String) async throws {
        try await Workbench.with { bench in
            let coding = container == "webm" ? Coding.vp9 : Coding.h264 + ["-bf", "0", "-g", "10"]
            let index = container == "mp4" ? ["-movflags", "+faststart"] : []
            try await bench.makeClip(
                "whole.\(container)", size: "320x180", seconds: 2, sound: false, coding + index)
            let whole = try bench.bytes("whole.\(container)")
            try bench.write(whole.prefix(whole.count * 6 / 10), as: "in.\(container)")
            let events = try await bench.filter("in.\(container)", "out.mkv", ["--reaction", "heart@0.1"])
            let count = try await bench.report("out.mkv").frameTimes.count
            #expect((20...40).contains(count))
            #expect(events.ended["framesOut"]?.integer == count)
            #expect(events.effects == ["heart"])
            #expect(events.warnings.contains("damagedInput"))
            #expect(events.warnings.allSatisfy { $0 == "damagedInput" })
            #expect(bench.files == ["in.\(container)", "out.mkv", "whole.\(container)"])
        }
    }

    /// Each damaged interval has a warning of its own, close to its time.
    @Test func everyDamagedIntervalIsReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "whole.mkv", size: "160x120", seconds: 3, sound: false, Coding.h264 + ["-bf", "0", "-g", "5"])
            var bytes = try bench.bytes("whole.mkv")
            let intervals = [0.25, 0.5, 0.75].map { Int(Double(bytes.count) * $0) }
            var random = SeededGenerator(seed: 5)
            for start in intervals {
                for offset in stride(from: start, to: start + 1500, by: 23) {
                    bytes[offset] ^= UInt8.random(in: 1...255, using: &random)
                }
            }
            try bench.write(bytes, as: "in.mkv")
            let events = try await bench.filter("in.mkv", "out.mkv", ["--reaction", "confetti@0.1"])
            let damage = events.of("warning").filter { $0["code"]?.string == "damagedInput" }
            #expect((3...6).contains(damage.count), "\(damage)")
            for (index, expected) in [0.75, 1.5, 2.25].enumerated() {
                let isReported = damage.contains { abs(($0["time"]?.number ?? -9) - expected) < 0.45 }
                #expect(isReported, "stretch \(index) in \(damage)")
            }
            let times = try await bench.report("out.mkv").frameTimes
            #expect((55...75).contains(times.count))
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    /// Sound that only a transport stream can carry unchanged is dropped; the run goes on.
    @Test(arguments: ["mp4", "mkv", "mov", "flv"])
    func damagedSoundIsDroppedWithAWarning(_ container: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("whole.ts", seconds: 2, Coding.h264 + Coding.aac)
            let sound = try #require(try await bench.report("whole.ts").times(of: "audio").first).count
            var bytes = try bench.bytes("whole.ts")
            // An invalid sampling rate in the header of a packet's first frame.
            let middle = bytes.index(bytes.startIndex, offsetBy: bytes.count / 2)
            let head = try #require(bytes.range(of: Data([0xFF, 0xF1, 0x50]), in: middle..<bytes.endIndex))
            bytes[head.lowerBound + 2] |= 0x3C
            try bench.write(bytes, as: "in.ts")
            let events = try await bench.filter("in.ts", "out.\(container)")
            #expect(events.warnings == ["damagedInput"])
            let message = events.of("warning").first?["message"]?.string ?? ""
            #expect(message.contains("aac") && message.contains("dropped"), "\(message)")
            let report = try await bench.report("out.\(container)")
            let copied = try #require(report.times(of: "audio").first).count
            #expect(report.frameTimes.count == 50 && (sound - 8..<sound).contains(copied), "\(copied) of \(sound)")
            #expect(try await bench.filter("in.ts", "more.\(container)").text == events.text)
        }
    }

    /// The remaining pictures decode without errors: only the demuxer detects the missing ones.
    @Test(arguments: ["mkv", "nut", "flv"])
    func packetsThatTheDemuxerSkipsAreReported(_ container: String) async throws {
        try await Workbench.with { bench in
            let (sound, bad) = ("sound.\(container)", "bad.\(container)")
            try await bench.makeClip(sound, seconds: 6, sound: false, Coding.h264 + ["-g", "25"])
            try bench.damage(sound, as: bad)
            for options in [[], ["--smart-render", "never"], ["--no-gestures", "--reaction", "heart@1"]] {
                let run = try await bench.flourish(
                    [bad, "out.mkv", "--overwrite", "--events", "events.jsonl"] + options)
                #expect(run.exitCode == 0)
                #expect(run.standardError.contains("warning: \(bad): damaged"), "\(run.standardError)")
                let events = try EventLines(String(decoding: try bench.bytes("events.jsonl"), as: UTF8.self))
                let reported = try #require(events.of("warning").first { $0["code"]?.string == "damagedInput" })
                if options.contains("never") { #expect((reported["time"]?.number ?? 0) < 5, "reported at its packet") }
                let clean = try await bench.flourish([sound, "out.mkv", "--overwrite"] + options)
                #expect(clean.exitCode == 0 && !clean.standardError.contains("warning"), "\(clean.standardError)")
            }
        }
    }

    /// Its first picture is shown at 0.043 s, and the one a second later 0.99999 s after that.
    @Test func aSecondIsCountedFromTheFirstPicture() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("plain.mkv", seconds: 2, sound: false)
            try await bench.ffmpeg(["-i", "plain.mkv", "-c", "copy", "-output_ts_offset", "0.043", "in.mkv"])
            let run = try await bench.flourish(["in.mkv", "out.mkv", "--no-gestures", "--reaction", "heart@1"])
            #expect(run.exitCode == 0 && run.standardError.contains("heart at 0:01"), "\(run.standardError)")
        }
    }

    @Test func wrongInputFormatsAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 0.4, sound: false)
            let file = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--input-format", "matroska"])
            expectRefusal(file, code: 64, naming: "in.mp4", saying: "not matroska", "remove the input format")
            let pipe = try await bench.shell("flourish filter - out.mp4 --input-format matroska < in.mp4")
            expectRefusal(pipe, code: 65, naming: "-", saying: "cannot be read as matroska")
        }
    }

    @Test func emptyStandardInputIsReported() async throws {
        try await Workbench.with { bench in
            for input in ["< /dev/null", "< empty", "--input-format rawvideo --video-size 96x64 < empty"] {
                let result = try await bench.shell(": > empty; flourish filter - out.mkv \(input)")
                expectRefusal(result, code: 65, naming: "-", saying: "standard input", "empty")
            }
            expectRefusal(
                try await bench.shell("mkfifo pipe; : > pipe & flourish filter pipe out.mkv"), code: 65, naming: "pipe",
                saying: "no data was received")
        }
    }

    @Test(arguments: ["mp4", "mkv", "ts", "avi"])
    func flippedBitsNeverCrashOrHang(_ container: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "whole.\(container)", size: "64x48", seconds: 0.4, Coding.h264 + ["-bf", "0", "-c:a", "mp2"])
            let whole = try bench.bytes("whole.\(container)")
            var outcomes: Set<Int32> = []
            for seed in 0..<8 {
                var random = SeededGenerator(seed: UInt64(seed))
                var bytes = whole
                // Half of the files are damaged anywhere, the others in their first part, which holds the headers.
                let end = seed % 2 == 0 ? bytes.count : min(bytes.count, 1500)
                for _ in 0..<16 {
                    bytes[Int.random(in: 0..<end, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
                let input = try bench.write(bytes, as: "in.\(container)")
                let result = try await bench.flourish(
                    [input, "out.mkv", "--no-gestures", "--reaction", "rain", "--preset", "ultrafast", "--overwrite"],
                    timeout: .seconds(120))
                #expect(result.signal == nil, "seed \(seed): \(result.standardError)")
                #expect([0, 64, 65, 69, 74].contains(result.exitCode), "seed \(seed): \(result.standardError)")
                outcomes.insert(result.exitCode)
                if result.exitCode == 0 {
                    #expect(bench.files == [input, "out.mkv", "whole.\(container)"].sorted())
                    #expect(try await !bench.report("out.mkv").frameTimes.isEmpty, "seed \(seed)")
                    try FileManager.default.removeItem(at: bench.file("out.mkv"))
                } else {
                    #expect(bench.files == [input, "whole.\(container)"], "seed \(seed)")
                    #expect(result.errorLines.last?.hasPrefix("flourish: ") == true)
                }
            }
            #expect(outcomes.contains(0), "some of the files could be filtered")
        }
    }

    @Test func aCodecWithoutDecoderIsNamed() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("good.avi", sound: false, Coding.mpeg4 + ["-tag:v", "XVID"])
            // The stream's header and its format both hold the code of the codec.
            var bytes = try bench.bytes("good.avi")
            while let code = bytes.range(of: Data("XVID".utf8)) { bytes.replaceSubrange(code, with: Data("AVS2".utf8)) }
            try bench.write(bytes, as: "in.avi")
            expectRefusal(
                try await bench.flourish(["in.avi", "out.mp4", "--no-gestures"]), code: 69, naming: "in.avi",
                saying: "its video codec, avs2", "no decoder")
        }
    }

    /// No library can be installed for a codec without a name: the file is damaged, or unusable here.
    @Test func unknownCodecsAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("mp4.mp4", sound: false)
            try await bench.makeClip("avi.avi", sound: false, Coding.mpeg4 + ["-tag:v", "XVID"])
            try await bench.makeClip("mkv.mkv", sound: false, Coding.h264)
            for (clip, mark, other, words) in [
                ("mp4.mp4", "avc1", "zz 9", "codec tag 'zz 9'"),
                ("mp4.mp4", "avc1", "\u{1}\u{2}zz", "an invalid codec tag"),
                ("avi.avi", "XVID", "QZQZ", "codec tag 'QZQZ'"),
                ("mkv.mkv", "V_MPEG4/ISO/AVC", "V_MPEG4/ISO/QZQ", "FFmpeg does not support"),
            ] {
                var bytes = try bench.bytes(clip)
                while let place = bytes.range(of: Data(mark.utf8)) {
                    bytes.replaceSubrange(place, with: Data(other.utf8))
                }
                let input = "odd-" + clip
                try bench.write(bytes, as: input)
                for arguments in [["filter", input, "out.mp4"], ["detect", input]] {
                    expectRefusal(try await bench.flourish(arguments), code: 65, naming: input, saying: words)
                }
            }
            #expect(bench.files == ["avi.avi", "mkv.mkv", "mp4.mp4", "odd-avi.avi", "odd-mkv.mkv", "odd-mp4.mp4"])
        }
    }

    /// Executed unchecked, a library with one wrong byte could end the process, and a model could detect anything.
    @Test(arguments: ["lib/libLiteRt", "models/hand_landmark_full"])
    func aDamagedLibraryOrModelIsRefused(_ file: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let home = bench.file("home")
            let installed = URL(filePath: InstalledModels.libraryPath).deletingLastPathComponent()
                .deletingLastPathComponent()
            for part in ["lib", "models"] {
                try FileManager.default.createDirectory(
                    at: home.appending(path: part), withIntermediateDirectories: true)
                for name in try FileManager.default.contentsOfDirectory(
                    atPath: installed.appending(path: part).path)
                {
                    let path = part + "/" + name
                    var bytes = try Data(contentsOf: installed.appending(path: path))
                    // The last byte of either file is never executed.
                    if path.hasPrefix(file) { bytes[bytes.count - 1] ^= 1 }
                    try bytes.write(to: home.appending(path: path))
                }
            }
            let environment: [String: String?] = ["FLOURISH_HOME": home.path, "FLOURISH_ANY_RUNTIME": nil]
            for arguments in [["filter", "in.mp4", "out.mp4"], ["detect", "in.mp4"], ["inspect", "in.mp4"]] {
                let result = try await bench.flourish(arguments, environment: environment)
                #expect(result.exitCode == 69, "\(result.command): \(result.standardError)")
                #expect(result.errorLines.count == 1)
                #expect(result.standardError.contains("home/" + file) && result.standardError.contains("SHA-256"))
            }
            let doctor = try await bench.flourish(["doctor"], environment: environment)
            #expect(doctor.standardOutput.contains("SHA-256"), "\(doctor.standardOutput)")
            // A user's own build of the library still works.
            let own = try await bench.flourish(
                ["detect", "in.mp4"],
                environment: environment.merging(["FLOURISH_ANY_RUNTIME": "1"]) { $1 })
            #expect(own.exitCode == 0, "\(own.standardError)")
            #expect(bench.files == ["home", "in.mp4"])
        }
    }

    @Test func missingModelsAreNamedAndNotNeededWithoutGestures() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try FileManager.default.createDirectory(at: bench.file("home"), withIntermediateDirectories: false)
            // Neither the home folder nor an installation beside the program has models.
            let environment: [String: String?] = ["FLOURISH_HOME": bench.file("home").path]
            for arguments in [["filter", "in.mp4", "out.mp4"], ["detect", "in.mp4"], ["inspect", "in.mp4"]] {
                let result = try await bench.flourish(arguments, environment: environment)
                #expect(result.exitCode == 69, "\(result.command): \(result.standardError)")
                #expect(result.errorLines.count == 1)
                #expect(result.standardError.contains("Scripts/setup") || result.standardError.contains("doctor"))
                #expect(bench.files == ["home", "in.mp4"])
            }
            let result = try await bench.flourish(
                ["in.mp4", "out.mp4", "--no-gestures", "--reaction", "heart"], environment: environment)
            #expect(result.exitCode == 0)
            #expect(bench.files == ["home", "in.mp4", "out.mp4"])

            let doctor = try await bench.flourish(["doctor"], environment: environment)
            #expect(doctor.exitCode == 69)
            #expect(doctor.outputLines.contains { $0.hasPrefix("MISSING") && $0.contains("LiteRT") })
            #expect(doctor.outputLines.contains { $0.hasPrefix("MISSING") && $0.contains("palm_detection") })
            #expect(doctor.standardOutput.contains("Scripts/setup"))
        }
    }
}
