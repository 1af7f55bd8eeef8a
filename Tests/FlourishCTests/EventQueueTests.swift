import Flourish
import Reactions
import Testing

@testable import FlourishC

@Suite struct EventQueueTests {
    private func event(_ frame: Int) -> ReactionEvent {
        ReactionEvent(time: Double(frame), frame: frame, kind: .effectsInProgress([]))
    }

    private func frames(_ queue: EventQueue) -> [Int] {
        var frames: [Int] = []
        while let event = queue.removeFirst() { frames.append(event.frame) }
        return frames
    }

    @Test func eventsKeepTheirOrder() {
        let queue = EventQueue()
        #expect(queue.removeFirst() == nil)
        var next = 0, expected = 0
        // The ring is read and filled at changing places.
        for count in [3, 17, 40, 5] {
            for _ in 0..<count {
                queue.append(event(next))
                next += 1
            }
            for _ in 0..<count / 2 {
                #expect(queue.removeFirst()?.frame == expected)
                expected += 1
            }
        }
        #expect(frames(queue) == Array(expected..<next))
    }

    @Test func theOldestOfTooManyEventsAreLost() {
        let queue = EventQueue()
        let count = ReactionEvents.capacity + 10
        for frame in 0..<count { queue.append(event(frame)) }
        #expect(frames(queue) == Array(10..<count))
        queue.append(event(7))
        #expect(frames(queue) == [7])
    }
}
