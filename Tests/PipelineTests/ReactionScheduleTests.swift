import Reactions
import Testing

@testable import Frames
@testable import Pipeline

@Suite("Scheduled reactions")
struct ReactionScheduleTests {
    /// A reaction at 1 s, until a time.
    private func answers(
        until end: Double?, at time: Double, reactionsEnabled: Bool = true
    ) -> (events: [ReactionEvent.Kind], requests: [EffectRequest]) {
        var request = EffectRequest(reactionType: .rain, origin: nil, trigger: .schedule, gesture: nil)
        request.endTime = end
        var schedule = ReactionSchedule([ScheduledRequest(seconds: 1, request: request)])
        return schedule.take(at: time, since: 0, reactionsEnabled: reactionsEnabled)
    }

    @Test func expiredReactionsAreReportedAndNotShown() throws {
        let answers = answers(until: 1.01, at: 1.033)
        #expect(answers.requests.isEmpty)
        guard case .warning(.reactionNotShown, let message)? = answers.events.first else {
            Issue.record("\(answers.events)")
            return
        }
        #expect(message.contains("rain at 1.0 s was not shown: no frame is shown between"))
    }

    @Test func runningReactionsAreShown() {
        for end in [nil, 1.034, 9] as [Double?] {
            let answers = answers(until: end, at: 1.033)
            #expect(answers.requests.count == 1 && answers.events.isEmpty)
        }
        #expect(answers(until: 9, at: 1.033, reactionsEnabled: false).requests.isEmpty)
        #expect(answers(until: 1.01, at: 0.9).requests.isEmpty)
    }
}
