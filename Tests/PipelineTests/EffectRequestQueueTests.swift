import Reactions
import Synchronization
import Testing

@testable import Pipeline

@Suite struct EffectRequestQueueTests {
    private let control = SessionControl(configuration: Configuration())

    private func request(_ type: ReactionType) -> EffectRequest {
        EffectRequest(reactionType: type, origin: nil, trigger: .request, gesture: nil)
    }

    private func types(at time: Double) -> [ReactionType] {
        control.dequeueRequests(at: time).effects.map(\.reactionType)
    }

    @Test func delayedRequestsComeInTheOrderOfTheirTimes() {
        control.request(request(.rain), at: 2)
        control.request(request(.heart), at: 1)
        control.request(request(.confetti))
        #expect(control.hasRequests(at: 0) && types(at: 0) == [.confetti])
        #expect(!control.hasRequests(at: 0.9) && types(at: 0.9).isEmpty)
        #expect(control.hasRequests(at: 0.9996), "times in events are rounded")
        #expect(types(at: 3) == [.heart, .rain])
    }

    @Test func repeatedRequestsBecomeOne() {
        for _ in 0..<100 { control.request(request(.rain), answer: { _ in }) }
        let requests = control.dequeueRequests(at: 0)
        #expect(requests.effects.count == 1 && requests.effects[0].tickets.count == 100)
    }

    @Test func everyRequestIsAnswered() {
        let replies = Mutex<[EffectReply.Outcome]>([])
        let answer: @Sendable (EffectReply) -> Void = { reply in replies.withLock { $0.append(reply.outcome) } }
        control.request(request(.rain), answer: answer)
        control.request(request(.rain), at: 4, answer: answer)
        #expect(control.cancel(.type(.rain)) == EffectCancellation(ids: [], discardedRequests: 2))
        control.request(request(.heart), answer: answer)
        control.endEffects()
        #expect(replies.withLock { $0 } == [.scheduled, .cancelled, .notShown])
        for index in 0..<70 {
            control.request(request(ReactionType(rawValue: "effect\(index)")), answer: answer)
        }
        #expect(replies.withLock { $0.count } == 3 + 6, "those beyond the limit are refused at once")
    }

    @Test func aRequestForTwoClientsIsAnsweredOncePerClient() {
        let replies = Mutex<[EffectReply]>([])
        for _ in 0..<2 { control.request(request(.rain)) { reply in replies.withLock { $0.append(reply) } } }
        var plan = FramePlan(time: 1.5, id: 9)
        for request in control.dequeueRequests(at: 1.5).effects { plan.answer(request, .started, id: 4) }
        control.publish(plan)
        #expect(
            replies.withLock { $0 } == [
                EffectReply(.started, id: 4, time: 1.5, frame: 9), EffectReply(.unchanged, id: 4, time: 1.5, frame: 9),
            ])
    }

    @Test func settingsChangeTogetherOrNotAtAll() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try control.update { (settings: inout LiveSettings) throws(Refusal) in
                settings.hold = 0.5
                throw Refusal()
            }
        }
        #expect(control.settings.hold == 1)
        control.update { $0.bindings[.victory] = .rain }
        #expect(control.switches(at: 0).bindings[.victory] == .rain)
    }
}
