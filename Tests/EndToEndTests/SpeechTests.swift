import Foundation
import Testing
import TestSupport

/// `--while-speaking`: gestures of people who speak.
@Suite("Gestures and speech")
struct SpeechTests {
    /// Harmonics of 130 Hz in four syllables a second.
    static func voice(seconds: Int, rate: Int) -> String {
        "aevalsrc=d=\(seconds):s=\(rate):exprs="
            + "'0.1*max(0,sin(2*PI*4*t))*(sin(2*PI*130*t)+sin(2*PI*260*t)/2+sin(2*PI*390*t)/3+sin(2*PI*520*t)/4)'"
    }
    private static let voice = voice(seconds: 4, rate: 16_000)
    private static let noise = "anoisesrc=d=4:r=16000:a=0.02:seed=1"

    /// Makes a call in which a thumb is held for 1.5 s.
    private func makeCall(_ bench: Workbench, _ name: String, sound: String) async throws {
        if !bench.files.contains("silent.mp4") {
            // The puppet's clips have tones.
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left", hold: 1.5, seconds: 3.6), as: "drawn.mp4")
            try await bench.ffmpeg(["-i", "drawn.mp4", "-an", "-c", "copy", "silent.mp4"])
        }
        try await bench.ffmpeg(
            ["-i", "silent.mp4", "-f", "lavfi", "-i", sound, "-c:v", "copy", "-c:a", "aac", "-shortest", name])
    }

    @Test(arguments: [
        ("allow", ["thumbsUp"], [String]()), ("hold-longer", [], ["speaking"]), ("ignore", [], ["speaking"]),
    ])
    func speechDelaysOrPreventsGestures(_ policy: String, _ gestures: [String], _ reasons: [String]) async throws {
        try await Workbench.with { bench in
            try await makeCall(bench, "in.mp4", sound: Self.voice)
            let options = ["--while-speaking", policy, "--candidates"]
            let events = try await bench.detect("in.mp4", options)
            #expect(events.gestures == gestures)
            #expect(events.of("candidate").compactMap { $0["reason"]?.string } == reasons)
            // The same recording as a stream, whose sound is analysed as it arrives.
            let line = "ffmpeg -i in.mp4 -c copy -f mpegts - | flourish detect - " + options.joined(separator: " ")
            let streamed = try await bench.shell(line)
            #expect(streamed.exitCode == 0, "\(streamed.standardError)")
            #expect(try EventLines(streamed.standardOutput).gestures == gestures)
        }
    }

    @Test(arguments: ["hold-longer", "ignore"])
    func noiseIsNoSpeech(_ policy: String) async throws {
        try await Workbench.with { bench in
            try await makeCall(bench, "in.mp4", sound: Self.noise)
            #expect(try await bench.detect("in.mp4", ["--while-speaking", policy]).gestures == ["thumbsUp"])
            #expect(try await bench.detect("silent.mp4", ["--while-speaking", policy]).gestures == ["thumbsUp"])
        }
    }

    /// A part of a recording has the same speech as the whole.
    @Test func partsHaveTheirOwnSpeech() async throws {
        try await Workbench.with { bench in
            try await makeCall(bench, "in.mp4", sound: Self.noise)
            try await makeCall(bench, "spoken.mp4", sound: Self.voice)
            try bench.write("file spoken.mp4\nfile in.mp4\n", as: "list.txt")
            try await bench.ffmpeg(["-f", "concat", "-i", "list.txt", "-c", "copy", "both.mp4"])
            let policy = ["--while-speaking", "ignore"]
            #expect(try await bench.detect("both.mp4", policy).gestures == ["thumbsUp"])
            #expect(try await bench.detect("both.mp4", policy + ["--end", "3.5"]).gestures == [])
            #expect(try await bench.detect("both.mp4", policy + ["--start", "3.6"]).gestures == ["thumbsUp"])
        }
    }
}
