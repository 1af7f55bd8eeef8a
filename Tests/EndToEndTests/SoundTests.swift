import Foundation
import Testing
import TestSupport

/// `--sounds`: the sounds of reactions in the recording's sound.
@Suite("Sounds of reactions")
struct SoundTests {
    /// A packet's time, size and hash, as FFmpeg prints them.
    private func packets(_ bench: Workbench, _ name: String) async throws -> [(time: Double, line: String)] {
        let text = try await Program.onPath("ffmpeg").succeed(
            ["-v", "error", "-i", name, "-map", "0:a", "-c", "copy", "-f", "framemd5", "-"], in: bench.folder
        ).standardOutput
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let base = text.split(separator: "\n").first { $0.hasPrefix("#tb 0: ") }?.dropFirst(7).split(separator: "/")
        let tick = base.map { (Double($0[0]) ?? 1) / (Double($0[1]) ?? 1) } ?? 0
        return lines.map { line in
            let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            // The rest of a line describes side data.
            return ((Double(fields[2]) ?? 0) * tick, fields.prefix(6).joined(separator: ","))
        }
    }

    /// The decoded samples of the first channel.
    private func samples(_ bench: Workbench, _ name: String) async throws -> [Float] {
        try await bench.ffmpeg(["-i", name, "-map", "0:a", "-af", "pan=mono|c0=c0", "-f", "f32le", name + ".raw"])
        let data = try bench.bytes(name + ".raw")
        return unsafe data.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    }

    private func makeCall(_ bench: Workbench, _ name: String, _ coding: [String], tone: String) async throws {
        try await bench.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=4", "-f", "lavfi", "-i", tone] + Coding.h264
                + ["-g", "25"] + coding + [name])
    }

    private static let mix = ["--reaction", "balloons@1.48", "--calm"]

    private func intervals(_ events: EventLines) throws -> [ClosedRange<Double>] {
        let list = try #require(events.ended["sounds"]?.array)
        return list.compactMap { item in
            guard let start = item["startTime"]?.number, let end = item["endTime"]?.number else { return nil }
            return start...end
        }
    }

    @Test(
        "In PCM, a sound begins within a millisecond, and all else is the same",
        arguments: ["mov", "mkv"], ["pcm_s16le", "pcm_s24le"])
    func pcm(container: String, codec: String) async throws {
        try await Workbench.with { bench in
            let tone = "sine=d=4:r=48000,volume=0.1"
            try await makeCall(bench, "in.\(container)", ["-c:a", codec, "-ac", "2"], tone: tone)
            let events = try await bench.filter("in.\(container)", "out.\(container)", Self.mix + ["--sounds", "1"])
            let before = try await samples(bench, "in.\(container)")
            let after = try await samples(bench, "out.\(container)")
            #expect(before.count == after.count)
            let changed = before.indices.filter { before[$0] != after[$0] }
            let first = try #require(changed.first), last = try #require(changed.last)
            // The first samples of a sound may be too quiet for 16 bits.
            #expect(abs(Double(first) / 48_000 - 1.48) < 0.001)
            #expect(Double(last) / 48_000 < 1.48 + 0.23)
            #expect(after.allSatisfy { $0.magnitude <= 1 } && changed.contains { abs(after[$0] - before[$0]) > 0.3 })
            let interval = try #require(try intervals(events).first)
            #expect(interval.contains(1.48) && interval.upperBound - interval.lowerBound < 0.35)
            try await expectCopies(bench, "in.\(container)", "out.\(container)", except: interval)
        }
    }

    @Test(
        "In AAC and Opus, only packets around a sound are encoded, without a click at the seams",
        arguments: [
            ("mp4", ["-c:a", "aac", "-b:a", "128k", "-ac", "2"]), ("mov", ["-c:a", "aac", "-b:a", "96k", "-ac", "1"]),
            ("mkv", ["-c:a", "libopus", "-b:a", "96k", "-ac", "2"]),
        ])
    func overlapping(container: String, coding: [String]) async throws {
        try await Workbench.with { bench in
            let tone = "aevalsrc='0.2*sin(2*PI*(300+150*t)*t)+0.05*sin(2*PI*1900*t)':d=4:s=48000"
            let (input, output) = ("in.\(container)", "out.\(container)")
            try await makeCall(bench, input, coding, tone: tone)
            let events = try await bench.filter(input, output, Self.mix + ["--sounds", "0.8"])
            #expect(events.warnings == [])
            let before = try await samples(bench, input), after = try await samples(bench, output)
            #expect(before.count == after.count && after.allSatisfy(\.isFinite))
            let interval = try #require(try intervals(events).first)
            #expect(interval.contains(1.48) && interval.upperBound - interval.lowerBound < 1.2)
            try await expectCopies(bench, input, output, except: interval)
            // Smart rendering mixes the same sound.
            let smart = try await bench.flourish(
                ["filter", input, "smart.\(container)", "--no-gestures", "--sounds", "0.8"] + Self.mix)
            #expect(smart.exitCode == 0, "\(smart.standardError)")
            #expect(smart.standardError.contains("of sound re-encoded"), "\(smart.standardError)")
            #expect(try await packets(bench, "smart.\(container)").map(\.line) == packets(bench, output).map(\.line))
            func loudest(_ from: Double, _ to: Double) -> Float {
                let range = max(0, Int(from * 48_000))..<min(before.count, Int(to * 48_000))
                return range.reduce(0) { max($0, abs(after[$1] - before[$1])) }
            }
            // Opus needs some packets until its decoder has forgotten what the encoder did not know.
            let settling = container == "mkv" ? 0.2 : 0.05
            #expect(loudest(0, interval.lowerBound - settling) == 0)
            #expect(loudest(interval.upperBound + settling, 4) < 0.0005)
            // An encoder's block before the loud one has an echo of it.
            #expect(loudest(interval.lowerBound, 1.455) < 0.03)
            #expect(loudest(1.72, interval.upperBound + settling) < 0.03)
            #expect(loudest(1.48, 1.6) > 0.3)
        }
    }

    private func expectCopies(
        _ bench: Workbench, _ input: String, _ output: String, except interval: ClosedRange<Double>
    ) async throws {
        let before = try await packets(bench, input), after = try await packets(bench, output)
        #expect(before.count == after.count)
        let changed = zip(before, after).filter { $0.line != $1.line }.map(\.0.time)
        #expect(
            !changed.isEmpty
                && changed.allSatisfy { $0 > interval.lowerBound - 0.12 && $0 < interval.upperBound + 0.12 })
    }

    @Test("Without --sounds, and where it cannot be mixed, sound stays as it is, and one line says why")
    func unchanged() async throws {
        try await Workbench.with { bench in
            try await makeCall(bench, "in.mov", ["-c:a", "pcm_s16le"], tone: "anullsrc=d=4")
            try await bench.filter("in.mov", "plain.mov", Self.mix)
            #expect(try await packets(bench, "in.mov").map(\.line) == packets(bench, "plain.mov").map(\.line))
            try await bench.filter("in.mov", "quiet.mov", ["--sounds"])
            #expect(try await packets(bench, "in.mov").map(\.line) == packets(bench, "quiet.mov").map(\.line))

            try await makeCall(bench, "in.mkv", ["-c:a", "flac"], tone: "sine=d=4")
            let flac = try await bench.filter("in.mkv", "out.mkv", Self.mix + ["--sounds"])
            #expect(flac.of("warning").map { $0["code"]?.string } == ["soundsNotMixed"])
            #expect(flac.of("warning").first?["message"]?.string?.contains("flac") == true)
            #expect(try await packets(bench, "in.mkv").map(\.line) == packets(bench, "out.mkv").map(\.line))

            try await bench.makeClip("mute.mp4", seconds: 1, sound: false)
            let mute = try await bench.filter("mute.mp4", "out.mp4", ["--reaction", "balloons", "--calm", "--sounds"])
            #expect(mute.of("warning").first?["message"]?.string?.contains("no sound track") == true)
            #expect(try await bench.report("out.mp4").streams.count == 1)
        }
    }
}
