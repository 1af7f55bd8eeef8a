import Effects
import Raster
import Testing

@testable import Pipeline

@Suite("Following heads while effects run") struct FollowedHeadsTests {
    private func face(_ x: Double, _ y: Double = 0.4) -> Rectangle {
        Rectangle(left: x - 0.06, top: y - 0.1, right: x + 0.06, bottom: y + 0.1)
    }

    @Test("A head in the first frame counts at once, a later one gradually, and one that left less and less")
    func weights() throws {
        var heads = FollowedHeads()
        heads.advance(to: 5, faces: [face(0.3)])
        #expect(heads.heads.map(\.weight) == [1])
        heads.advance(to: 5.2, faces: [face(0.3), face(0.7)])
        #expect(heads.heads.count == 2)
        heads.advance(to: 5.3, faces: nil)
        let rising = try #require(heads.heads.last?.weight)
        #expect(rising > 0.2 && rising < 1.01)
        heads.advance(to: 5.4, faces: [face(0.7)])
        heads.advance(to: 5.5, faces: nil)
        let falling = try #require(heads.heads.first?.weight)
        #expect(falling > 0 && falling < 1)
        heads.advance(to: 5.9, faces: [face(0.7)])
        #expect(heads.heads.count == 1)
    }

    @Test("A moving head is followed smoothly, and knows its movement")
    func movement() throws {
        var heads = FollowedHeads()
        var last = 0.3, greatest = 0.0
        for frame in 0...45 {
            let time = Double(frame) / 30
            let x = 0.3 + 0.1 * min(time, 1)
            heads.advance(to: time, faces: heads.needsFaces(at: time) ? [face(x)] : nil)
            let head = try #require(heads.heads.first)
            greatest = max(greatest, (head.x - last).magnitude)
            last = head.x
        }
        let head = try #require(heads.heads.first)
        #expect(heads.heads.count == 1)
        #expect((head.x - 0.4).magnitude < 0.005)
        #expect((head.movedX - 0.1).magnitude < 0.005)
        // A step of a tenth in a second, in frames of a thirtieth.
        #expect(greatest < 0.1 / 30 * 3)
    }

    @Test("Faces are detected five times a second, and at once after a jump back")
    func interval() {
        var heads = FollowedHeads()
        var count = 0
        for frame in 0..<60 {
            let time = 2 + Double(frame) / 30
            let isDue = heads.needsFaces(at: time)
            count += isDue ? 1 : 0
            heads.advance(to: time, faces: isDue ? [] : nil)
        }
        #expect(count == 10)
        #expect(heads.needsFaces(at: 1))
    }
}
