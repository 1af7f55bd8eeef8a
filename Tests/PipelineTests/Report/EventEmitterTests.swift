import Platform
import Reactions
import Synchronization
import Testing

@testable import Pipeline

@Suite struct EventEmitterTests {
    @Test("Out-of-band events keep their place between the events of frames")
    func order() {
        let frames = Mutex<[Int]>([])
        let outlet = EventEmitter(expectsFeedback: false) { event in frames.withLock { $0.append(event.frame) } }
        let isOver = Atomic(false)
        let emit: @Sendable () -> Void = {
            while !isOver.load(ordering: .relaxed) { outlet.emit(.effectsInProgress([])) }
        }
        StageThread.run(beside: [emit, emit, emit][...]) {
            for frame in 0..<2000 {
                outlet.pass(time: Double(frame), frame: frame)
                for _ in 0..<2 {
                    outlet.add(ReactionEvent(time: Double(frame), frame: frame, kind: .effectsInProgress([])))
                }
            }
            isOver.store(true, ordering: .relaxed)
        }
        let reported = frames.withLock { $0 }
        #expect(reported.count >= 4000)
        #expect(zip(reported, reported.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func runWideWarningsAreEmittedOnce() {
        let kinds = Mutex<[ReactionEvent.Kind]>([])
        let outlet = EventEmitter(expectsFeedback: false) { event in kinds.withLock { $0.append(event.kind) } }
        let reported: [ReactionEvent.Kind] = [
            .warning(code: .facesNotFound, message: "faces"), .warning(code: .peopleNotFound, message: "people"),
            .warning(code: .peopleNotFound, message: "furniture"), .warning(code: .damagedInput, message: "damage"),
        ]
        for span in 0..<3 {
            for kind in reported { outlet.add(ReactionEvent(time: Double(span), frame: span, kind: kind)) }
        }
        #expect(kinds.withLock { $0 } == reported + [reported[3], reported[3]])
    }
}
