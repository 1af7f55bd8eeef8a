import Foundation
import Testing
import TestSupport

@testable import MediaIO

/// Speech in synthetic sound.
@Suite("Speech in sound")
struct SpeechTimelineTests {
    private static let rate = 16_000.0

    /// Returns a voice: harmonics of a pitch that rises and falls, in four syllables a second.
    private func voice(_ seconds: Double, pitch: Double = 130, level: Float = 0.1) -> [Float] {
        var phase = 0.0
        return (0..<Int(seconds * Self.rate)).map { index in
            let time = Double(index) / Self.rate
            phase += 2 * .pi * pitch * (1 + 0.1 * sin(2 * .pi * 0.7 * time)) / Self.rate
            let syllable = max(0, sin(2 * .pi * 4 * time))
            let harmonics = (1...8).reduce(0.0) { $0 + sin(Double($1) * phase) / Double($1) }
            return level * Float(syllable * harmonics)
        }
    }

    private func noise(_ seconds: Double, level: Float) -> [Float] {
        var generator = SeededGenerator(seed: 7)
        return (0..<Int(seconds * Self.rate)).map { _ in Float.random(in: -level...level, using: &generator) }
    }

    private func mixed(_ first: [Float], _ second: [Float]) -> [Float] { zip(first, second).map(+) }

    /// Returns the intervals of speech. The sound arrives in frames of 1,024 samples.
    private func speech(in samples: [Float], from start: Double = 0) -> [ClosedRange<Double>] {
        let timeline = SpeechTimeline(keepsAll: true)
        for first in stride(from: 0, to: samples.count, by: 1024) {
            timeline.add(
                Array(samples[first..<min(first + 1024, samples.count)]), at: start + Double(first) / Self.rate,
                rate: Self.rate)
        }
        return timeline.speech(in: 0...1000).intervals
    }

    @Test(arguments: [90.0, 130, 220, 320])
    func aVoiceIsFoundInNoise(_ pitch: Double) throws {
        let quiet = noise(2, level: 0.004)
        let found = speech(
            in: quiet + mixed(voice(3, pitch: pitch), noise(3, level: 0.004)) + noise(3, level: 0.004), from: 10)
        let interval = try #require(found.first)
        #expect(found.count == 1)
        #expect(abs(interval.lowerBound - 12) < 0.3, "\(interval)")
        #expect(interval.upperBound > 14.8 && interval.upperBound < 15.6, "\(interval)")
    }

    @Test func silenceNoiseAndClicksAreNoSpeech() {
        #expect(speech(in: [Float](repeating: 0, count: 64_000)).isEmpty)
        #expect(speech(in: noise(5, level: 0.2)).isEmpty)
        // A noise that begins suddenly.
        #expect(speech(in: noise(2, level: 0.001) + noise(3, level: 0.3)).isEmpty)
        var clicks = noise(4, level: 0.001)
        for place in stride(from: 1000, to: clicks.count, by: 8000) { clicks[place] = 0.9 }
        #expect(speech(in: clicks).isEmpty)
    }

    /// The hum of a machine belongs to the background.
    @Test func aHumIsNoSpeech() {
        let hum = (0..<Int(6 * Self.rate)).map { 0.05 * Float(sin(2 * .pi * 100 * Double($0) / Self.rate)) }
        #expect(speech(in: mixed(hum, noise(6, level: 0.005))).isEmpty)
    }

    @Test func quietVoicesCount() {
        #expect(!speech(in: noise(1, level: 0.0004) + voice(2, level: 0.01)).isEmpty)
    }

    /// Sound that continues after a gap is placed by its own times.
    @Test func gapsDoNotMoveSpeech() throws {
        let timeline = SpeechTimeline()
        timeline.add(noise(1, level: 0.002), at: 0, rate: Self.rate)
        timeline.add(noise(1, level: 0.002) + voice(1), at: 30, rate: Self.rate)
        #expect(timeline.speech(in: 0...30).intervals.isEmpty)
        let (found, end) = timeline.speech(in: 30...40)
        #expect(found.contains { $0.contains(31.7) } && found.allSatisfy { $0.lowerBound > 30.9 })
        #expect(abs(end - 32) < 0.1)
    }

    /// A live input keeps the last minute.
    @Test func oldSpeechIsDropped() {
        let timeline = SpeechTimeline()
        for minute in 0..<5 {
            timeline.add(noise(1, level: 0.002) + voice(1), at: Double(minute) * 60, rate: Self.rate)
        }
        let found = timeline.speech(in: 0...1000).intervals
        #expect(found.allSatisfy { $0.upperBound > 182 } && found.contains { $0.contains(241.7) })
    }
}
