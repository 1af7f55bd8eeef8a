import Reactions
import Testing

@testable import Pipeline

@Suite("Scheduled reactions")
struct ReactionScheduleTests {
    /// A reaction at 1 s, until a time.
    private func answers(
        until end: Double?, at time: Double, reactionsEnabled: Bool = true
    ) -> (warnings: [PipelineWarning], requests: [ScheduledRequest]) {
        var request = EffectRequest(reactionType: .rain, origin: nil, trigger: .schedule, gesture: nil)
        request.endTime = end
        var schedule = ReactionSchedule([ScheduledRequest(seconds: 1, request: request)])
        return schedule.take(
            at: .init(time: time, first: 0, previous: time - 0.033), reactionsEnabled: reactionsEnabled)
    }

    @Test func expiredReactionsAreReportedAndNotShown() throws {
        let answers = answers(until: 1.01, at: 1.033)
        #expect(answers.requests.isEmpty)
        let warning = try #require(answers.warnings.first)
        #expect(warning.code == .reactionNotShown)
        #expect(warning.message.contains("rain at 1.0 s was not shown: no frame is shown between"))
    }

    @Test func runningReactionsAreShown() {
        for end in [nil, 1.034, 9] as [Double?] {
            let answers = answers(until: end, at: 1.033)
            #expect(answers.requests.count == 1 && answers.warnings.isEmpty)
        }
        #expect(answers(until: 9, at: 1.033, reactionsEnabled: false).requests.isEmpty)
        #expect(answers(until: 1.01, at: 0.9).requests.isEmpty)
    }
}
