import Reactions
import Testing

@testable import Pipeline

@Suite struct FrameNumberingTests {
    /// Draws frames as text, a character each: `x` is dropped, `-` stays, `(` and `)` stay, and an effect begins and
    /// ends there.
    ///
    /// - Parameter ahead: the number of frames whose fate is decided before the first query.
    /// - Returns: the indices of the remaining frames, and the number of frames dropped while the effect ran.
    private func numbered(_ frames: String, ahead: Int) -> (indices: [Int], dropped: Int?) {
        let numbering = FrameNumbering()
        let marks = Array(frames)
        var indices: [Int] = [], dropped: Int?
        for id in 0..<marks.count + ahead {
            if id < marks.count, marks[id] == "x" { numbering.leaveOut(id) }
            let late = id - ahead
            guard late >= 0, marks[late] != "x" else { continue }
            let kind: ReactionEvent.Kind =
                switch marks[late] {
                case "(":
                    .effectStarted(
                        .init(
                            id: 7, reactionType: .heart, trigger: .request, gesture: nil,
                            origin: PicturePoint(x: 0.5, y: 0.5), startTime: 0))
                case ")": .effectEnded(.init(id: 7, reactionType: .heart, startTime: 0, endTime: 1, encoder: nil))
                default: .effectsInProgress([])
                }
            let event = numbering.numbered(ReactionEvent(time: 0, frame: late, kind: kind))
            indices.append(event.frame)
            #expect(numbering.index(of: late) == event.frame)
            if case .effectEnded(let effect) = event.kind { dropped = effect.framesDropped }
        }
        #expect(numbering.leftOutCount == marks.count { $0 == "x" })
        return (indices, dropped)
    }

    @Test(arguments: [
        ("------", 0..<6, nil), ("--x-x---", 0..<6, nil), ("xx--", 0..<2, nil), ("x(-xx-)x-", 0..<5, 2),
        ("-(x)", 0..<3, 1), ("-()", 0..<3, 0),
    ])
    func indicesCountOutputFrames(_ frames: String, _ indices: Range<Int>, _ dropped: Int?) {
        for ahead in [0, 1, 3] {
            let numbered = numbered(frames, ahead: ahead)
            #expect(numbered.indices == Array(indices))
            #expect(numbered.dropped == dropped)
        }
    }

    @Test func anyStageMayDropFrames() {
        let numbering = FrameNumbering()
        for id in [5, 2, 3] { numbering.leaveOut(id) }
        #expect([1, 4, 6].map(numbering.index(of:)) == [1, 2, 3])
        numbering.leaveOut(6)
        #expect(numbering.index(of: 7) == 3)
        // A stage that lags a little behind may still query.
        #expect(numbering.index(of: 4) == 2)
    }

    @Test func earlyDropsStillCount() {
        let numbering = FrameNumbering()
        for id in 0..<3000 {
            if id % 3 != 0 { numbering.leaveOut(id) }
            numbering.pass(id)
            if id % 3 == 0 { #expect(numbering.index(of: id) == id / 3) }
        }
        #expect(numbering.leftOutCount == 2000)
        #expect(numbering.index(of: 2700) == 900)
    }
}
