import Testing

@testable import Pipeline
@testable import Reactions

/// Draws time as text: a character a frame, ten frames a second.
///
/// In `requests`, a letter requests an effect at that frame (b balloons, h heart); `-` is a frame without a request.
/// The result has one line for each type, with `#` where it is in progress.
private func play(_ requests: String, last: Double? = nil) -> (drawn: [Character: String], events: [ReactionEvent]) {
    let types: [Character: ReactionType] = ["b": .balloons, "h": .heart]
    let origin = PicturePoint(x: 0.5, y: 0.5)
    var timeline = EffectTimeline(presets: [
        .balloons: .init(duration: 0.5, origin: origin), .heart: .init(duration: 0.3, origin: origin),
    ])
    var drawn: [Character: String] = ["b": "", "h": ""]
    var events: [ReactionEvent] = []
    for (frame, mark) in requests.enumerated() {
        if let type = types[mark] {
            timeline.request(EffectRequest(reactionType: type, origin: nil, trigger: .request, gesture: nil))
        }
        events += timeline.advance(to: Double(frame) / 10, frame: frame)
        for (letter, type) in types {
            drawn[letter]! += timeline.running.contains { $0.reactionType == type } ? "#" : "-"
        }
    }
    if let last { events += timeline.finish(at: last, frame: requests.count) }
    return (drawn, events)
}

@Suite struct EffectTimelineTests {
    @Test func anEffectRunsForItsDuration() {
        let (drawn, events) = play("--b--------")
        #expect(drawn["b"] == "--#####----")
        #expect(
            events.map(\.name) == [
                "effectStarted", "effectsInProgress", "effectEnded", "effectsInProgress",
            ])
        #expect(events.map(\.frame) == [2, 2, 7, 7])
    }

    @Test func theSameTypeExtendsInsteadOfStacking() {
        let (drawn, events) = play("b--b------")
        #expect(drawn["b"] == "########--")
        #expect(
            events.map(\.name) == [
                "effectStarted", "effectsInProgress", "effectExtended", "effectEnded", "effectsInProgress",
            ])
    }

    /// Half a duration after the last burst at the soonest, and a whole duration from there.
    @Test func burstsAreHalfADurationApart() {
        #expect(play("bbb---------").drawn["b"] == "########----")
        #expect(play("bbbbbbbbb-------").drawn["b"] == "###############-")
    }

    /// Ten frames a second, of an effect of half a second that is requested at frames, each time until a time.
    private func drawn(_ requests: [Int: Double?]) -> String {
        var timeline = EffectTimeline(presets: [.rain: .init(duration: 0.5, origin: PicturePoint(x: 0.5, y: 0.5))])
        return String(
            (0..<16).map { frame in
                if let end = requests[frame] {
                    var request = EffectRequest(reactionType: .rain, origin: nil, trigger: .schedule, gesture: nil)
                    request.endTime = end
                    timeline.request(request)
                }
                _ = timeline.advance(to: Double(frame) / 10, frame: frame)
                guard let effect = timeline.running.first else { return "-" }
                return effect.isCut && effect.renewals.isEmpty ? "c" : effect.renewals.isEmpty ? "#" : "+"
            })
    }

    /// A longer effect bursts again, half a duration apart; a shorter one is cut off.
    @Test func effectsEndAtARequestedTime() {
        #expect(drawn([0: 0.2]) == "cc--------------")
        #expect(drawn([0: 0.5]) == "#####-----------")
        #expect(drawn([0: 1.3]) == "+++++++++++++---")
        var effect = PlannedEffect(
            id: 1, reactionType: .rain, startTime: 0, endTime: 0.5, origin: PicturePoint(x: 0, y: 0),
            trigger: .schedule,
            gesture: nil)
        effect.end(at: 1.3, duration: 0.5)
        #expect(effect.renewals.count == 4)
    }

    /// The later end holds: that of the running effect, or that of the request that extends it.
    @Test func extendingRequestsMaySetTheEnd() {
        #expect(drawn([0: 0.3, 2: 0.4]) == "cc++------------")
        #expect(drawn([0: nil, 2: 0.3]) == "##+++-----------")
        #expect(drawn([0: 0.4, 2: 0.3]) == "cc++------------")
        #expect(drawn([0: nil, 2: 0.8]) == "##++++++--------")
        #expect(drawn([0: 0.2, 1: nil]) == "c+++++++--------")
    }

    @Test func requestsThatExtendNothingEmitNothing() {
        let origin = PicturePoint(x: 0.5, y: 0.5)
        var timeline = EffectTimeline(presets: [.rain: .init(duration: 2, origin: origin)])
        let request = EffectRequest(reactionType: .rain, origin: nil, trigger: .request, gesture: nil)
        var names: [String] = []
        for frame in 0..<10 {
            timeline.request(request)
            timeline.request(request)
            names += timeline.advance(to: Double(frame) / 30, frame: frame).map(\.name)
        }
        #expect(names == ["effectStarted", "effectsInProgress", "effectExtended"])
    }

    @Test func pastEffectsExpire() throws {
        var timeline = EffectTimeline(presets: [.rain: .init(duration: 2, origin: PicturePoint(x: 0.5, y: 0.5))])
        for frame in 0..<3000 {
            timeline.request(EffectRequest(reactionType: .rain, origin: nil, trigger: .request, gesture: nil))
            _ = timeline.advance(to: Double(frame) / 30, frame: frame)
        }
        let effect = try #require(timeline.running.first)
        #expect(effect.startTime == 0)
        #expect((3...6).contains(effect.renewals.count))
    }

    @Test func differentTypesOverlapAndAreSortedByStart() throws {
        let (drawn, events) = play("b-h-------")
        #expect(drawn["b"] == "#####-----")
        #expect(drawn["h"] == "--###-----")
        let sets = events.compactMap { event -> [ReactionType]? in
            guard case .effectsInProgress(let states) = event.kind else { return nil }
            return states.map(\.reactionType)
        }
        #expect(sets == [[.balloons], [.balloons, .heart], []])
    }

    @Test func runningEffectsEndByNumber() throws {
        let origin = PicturePoint(x: 0.5, y: 0.5)
        var timeline = EffectTimeline(presets: [
            .balloons: .init(duration: 5, origin: origin), .heart: .init(duration: 5, origin: origin),
        ])
        for type in [ReactionType.balloons, .heart] {
            timeline.request(EffectRequest(reactionType: type, origin: nil, trigger: .request, gesture: nil))
        }
        _ = timeline.advance(to: 0, frame: 0)
        let heart = try #require(timeline.running.last)
        timeline.cancel(.init(ids: [heart.id]))
        let events = timeline.advance(to: 0.1, frame: 1)
        #expect(timeline.running.map(\.reactionType) == [.balloons])
        #expect(events.map(\.name) == ["effectEnded", "effectsInProgress"])
        // Another one may have begun since.
        timeline.cancel(.init(ids: [heart.id]))
        #expect(timeline.advance(to: 0.2, frame: 2).isEmpty)
    }

    @Test func theEndOfTheVideoEndsEffects() throws {
        let (_, events) = play("--b-", last: 0.4)
        let end = try #require(events.dropLast().last)
        guard case .effectEnded(let effect) = end.kind else {
            Issue.record("expected effectEnded, not \(end.name)")
            return
        }
        #expect(effect.startTime == 0.2)
        #expect(effect.endTime == 0.4)
        #expect(end.frame == 4)
    }

    @Test func aTypeWithoutDescriptionIsIgnored() {
        var timeline = EffectTimeline(presets: [:])
        timeline.request(EffectRequest(reactionType: .rain, origin: nil, trigger: .request, gesture: nil))
        #expect(timeline.advance(to: 0, frame: 0).isEmpty)
    }
}
