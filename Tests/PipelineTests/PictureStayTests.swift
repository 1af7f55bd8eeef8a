import MediaIO
import Reactions
import Testing

@testable import Pipeline

@Suite("Pictures that stand")
struct PictureStayTests {
    private static let presets: [ReactionType: EffectTimeline.Preset] = [
        .rain: .init(duration: 4, origin: PicturePoint(x: 0.5, y: 0.5))
    ]

    /// The frames with effects, and the warnings, of rain at a time; all times are in tenths of a second.
    private func play(
        _ times: [Int64], until end: Int64, rainAt start: Double
    ) -> (ranges: [ClosedRange<Int64>], warnings: [String], left: [String]) {
        let request = EffectRequest(reactionType: .rain, origin: nil, trigger: .schedule, gesture: nil)
        let touched = TouchedFrames(
            [ScheduledRequest(seconds: start, request: request)], presets: Self.presets, times: times,
            timeBase: TimeBase(1, 10), until: Double(end) / 10, reactionsEnabled: true)
        let warnings = touched.refusals.compactMap { event in
            if case .warning(.reactionNotShown, let message) = event.kind { message } else { nil }
        }
        return (touched.ranges, warnings, touched.neverCame.map(\.message))
    }

    /// Ten pictures a second, of which one lasts from 2 s to 56 s.
    private let screen = Array<Int64>(0...20) + Array<Int64>(560..<620)

    @Test func effectsEndBeforeAPictureThatStands() {
        let played = play(screen, until: 620, rainAt: 1)
        #expect(played.ranges == [10...19])
        #expect(
            played.warnings == ["rain at 1.0 s was shown until 2.0 s only: one picture stands from 2.0 s to 56.0 s"])
    }

    @Test(arguments: [
        (2.0, "rain at 2.0 s was not shown: one picture stands from 2.0 s to 56.0 s"),
        (30, "rain at 30.0 s was not shown: one picture stands from 2.0 s to 56.0 s"),
    ])
    func effectsDoNotStartOnAPictureThatStands(_ start: Double, _ message: String) {
        let played = play(screen, until: 620, rainAt: start)
        #expect(played.ranges.isEmpty)
        #expect(played.warnings == [message])
    }

    @Test func theLastPictureIsNamed() {
        let played = play([0], until: 20, rainAt: 0.5)
        #expect(played.left == ["rain at 0.5 s was not shown: one picture stands from 0.0 s to 2.0 s"])
        #expect(
            play([0], until: 20, rainAt: 9).left == ["rain at 9.0 s was not shown: the video ends before that time"])
    }

    /// A picture that ends before the effect does stands still, but hides nothing.
    @Test func shortPausesKeepTheEffect() {
        #expect(play(Array(0...12) + Array(40..<100), until: 100, rainAt: 1).ranges == [10...49])
        let half = stride(from: Int64(0), to: 200, by: 5).map(\.self)
        #expect(play(half, until: 200, rainAt: 1).ranges == [10...45])
        let slow = stride(from: Int64(0), to: 200, by: 10).map(\.self)
        #expect(play(slow, until: 200, rainAt: 1.3).ranges == [20...50])
        #expect(play(slow, until: 200, rainAt: 1.3).warnings.isEmpty)
    }

    @Test func shortenedEffectsAreNamed() throws {
        var timeline = EffectTimeline(presets: Self.presets)
        timeline.request(EffectRequest(reactionType: .rain, origin: nil, trigger: .gesture, gesture: nil))
        _ = timeline.advance(to: 1, until: 1.1, frame: 0)
        let events = timeline.advance(to: 2, until: 56, frame: 1)
        let ends = events.compactMap { event in if case .effectEnded(let end) = event.kind { end.endTime } else { nil }
        }
        #expect(ends == [2])
        let warning = try #require(timeline.shortened.first?.warning(since: 0.5))
        #expect(warning.message == "rain at 0.5 s was shown until 1.5 s only: one picture stands from 1.5 s to 55.5 s")
        // A client, or a gesture, is refused on the same picture.
        timeline.request(EffectRequest(reactionType: .rain, origin: nil, trigger: .gesture, gesture: nil))
        #expect(timeline.advance(to: 2, until: 56, frame: 1).isEmpty)
        guard case .refused(let stay)? = timeline.answered.first?.answer else {
            Issue.record("\(timeline.answered)")
            return
        }
        #expect(stay == PictureStay(start: 2, end: 56))
        #expect(timeline.shortened.isEmpty)
    }

    /// A plan states the end, so that its rendering has nothing to shorten.
    @Test func plansStateTheEnd() {
        var timeline = EffectTimeline(presets: Self.presets)
        var recorder = PlanRecorder()
        timeline.request(EffectRequest(reactionType: .rain, origin: nil, trigger: .schedule, gesture: nil))
        _ = timeline.advance(to: 1, until: 1.1, frame: 0)
        recorder.note(timeline.answered, at: MediaTime(seconds: 1))
        _ = timeline.advance(to: 2, until: 56, frame: 1)
        for shortened in timeline.shortened { recorder.note(shortened) }
        #expect(recorder.reactions.map(\.endTime) == [2])
    }
}
