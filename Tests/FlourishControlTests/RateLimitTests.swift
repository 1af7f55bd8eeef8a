import NIOCore
import Testing

@testable import FlourishControl

@Suite struct RateLimitTests {
    @Test func excessRequestsWaitInSequence() async throws {
        let limit = RateLimit()
        // More than a second's budget: the excess is deducted from the next intervals.
        try await limit.spend(3200 + 64).get()
        let start = ContinuousClock.now
        let (order, continuation) = AsyncStream.makeStream(of: Int.self)
        for index in 0..<100 {
            limit.spend(1).whenSuccess {
                continuation.yield(index)
                if index == 99 { continuation.finish() }
            }
        }
        var seen: [Int] = []
        for await index in order { seen.append(index) }
        #expect(seen == Array(0..<100))
        #expect(ContinuousClock.now - start > .milliseconds(900))
    }
}
