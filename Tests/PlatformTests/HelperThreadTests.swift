import Synchronization
import Testing

@testable import Platform

/// A thread that shares another one's work.
@Suite struct HelperThreadTests {
    @Test("After sharing, a started job has ended and another one never starts")
    func shares() {
        let helper = HelperThread()
        let begun = Atomic(0), ended = Atomic(0)
        for round in 0..<2000 {
            var worked = false
            helper.share {
                begun.add(1, ordering: .sequentiallyConsistent)
                if round % 50 == 0 { usleep(200) }
                ended.add(1, ordering: .sequentiallyConsistent)
            } beside: {
                worked = true
                if round % 3 == 0 { usleep(50) }
            }
            #expect(worked)
            #expect(begun.load(ordering: .sequentiallyConsistent) == ended.load(ordering: .sequentiallyConsistent))
        }
        #expect(begun.load(ordering: .relaxed) > 0)
    }

    @Test("Both work at the same time")
    func together() {
        let helper = HelperThread()
        let meeting = Channel<Int>(capacity: 1)
        var met: Int?
        helper.share {
            _ = meeting.send(7)
        } beside: {
            met = meeting.receive()
        }
        #expect(met == 7)
    }
}
