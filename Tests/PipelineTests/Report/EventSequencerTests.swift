import Testing

@testable import Pipeline
@testable import Reactions

private func event(_ kind: ReactionEvent.Kind, at time: Double) -> ReactionEvent {
    ReactionEvent(time: time, frame: Int(time * 10), kind: kind)
}

private func started(_ id: Int, at time: Double) -> ReactionEvent {
    event(
        .effectStarted(
            .init(
                id: id, reactionType: .heart, trigger: .request, gesture: nil,
                origin: PicturePoint(x: 0.5, y: 0.5), startTime: time)), at: time)
}

private func ended(_ id: Int, from start: Double, to end: Double) -> ReactionEvent {
    event(.effectEnded(.init(id: id, reactionType: .heart, startTime: start, endTime: end)), at: end)
}

private func coded(_ time: Double, decoded: Double? = nil, bits: Int = 100, qp: Double? = 20)
    -> EventSequencer.Feedback
{
    .init(presentationTime: time, decodingTime: decoded ?? time, bits: bits, qp: qp)
}

@Suite struct EventSequencerTests {
    @Test func endEventsWaitForTheirFrames() throws {
        var sequencer = EventSequencer(expectsFeedback: true)
        #expect(sequencer.add(started(1, at: 0.1)).count == 1)
        #expect(sequencer.add(ended(1, from: 0.1, to: 0.3)).isEmpty)
        #expect(sequencer.add(event(.warning(code: .damagedInput, message: ""), at: 0.4)).isEmpty)
        #expect(sequencer.add(coded(0.0, bits: 1000)).isEmpty)
        #expect(sequencer.add(coded(0.1, bits: 10, qp: 20)).isEmpty)
        #expect(sequencer.add(coded(0.2, bits: 20, qp: 24)).isEmpty)
        let ready = sequencer.add(coded(0.3, bits: 5000))
        #expect(ready.map(\.name) == ["effectEnded", "warning"])
        guard case .effectEnded(let effect)? = ready.first?.kind else { return }
        #expect(effect.encoder == .init(bits: 30, meanQP: 22, maxQP: 24, framesDropped: 0))
    }

    @Test func reorderedFramesAreCounted() throws {
        var sequencer = EventSequencer(expectsFeedback: true)
        _ = sequencer.add(started(1, at: 0.0))
        _ = sequencer.add(ended(1, from: 0.0, to: 0.3))
        // I0 P3 B1 B2: the P frame beyond the end comes before the B frames within.
        #expect(sequencer.add(coded(0.0, decoded: -0.1, bits: 1)).isEmpty)
        #expect(sequencer.add(coded(0.3, decoded: 0.0, bits: 1000)).isEmpty)
        #expect(sequencer.add(coded(0.1, decoded: 0.1, bits: 2)).isEmpty)
        #expect(sequencer.add(coded(0.2, decoded: 0.2, bits: 4)).isEmpty)
        let ready = sequencer.add(coded(0.4, decoded: 0.3, bits: 1000))
        guard case .effectEnded(let effect)? = ready.first?.kind else {
            Issue.record("effectEnded did not come")
            return
        }
        #expect(effect.encoder?.bits == 7)
    }

    @Test func theEndReleasesEverything() {
        var sequencer = EventSequencer(expectsFeedback: true)
        _ = sequencer.add(started(1, at: 0.0))
        _ = sequencer.add(ended(1, from: 0.0, to: 0.3))
        #expect(sequencer.finish().map(\.name) == ["effectEnded"])
    }

    @Test func withoutEncoderNothingWaits() throws {
        var sequencer = EventSequencer(expectsFeedback: false)
        _ = sequencer.add(started(1, at: 0.0))
        let ready = sequencer.add(ended(1, from: 0.0, to: 0.3))
        guard case .effectEnded(let effect)? = ready.first?.kind else {
            Issue.record("effectEnded did not come")
            return
        }
        #expect(effect.encoder == nil)
    }
}
