@testable import Pipeline
import Raster
import Testing
@testable import Vision

@Suite struct CandidateHandTests {
    private func hand(_ x: Double) -> HandRegion { HandRegion(centreX: x, centreY: 100, side: 80, rotation: 0.5) }

    @Test func handsAreFoundAroundTheirTimes() {
        var intervals = CandidateIntervals()
        intervals.add(5, places: [hand(1), hand(2)])
        intervals.add(7, places: [hand(3)])
        #expect(intervals.places(at: 3.4).isEmpty)
        #expect(intervals.places(at: 4) == [hand(1), hand(2)])
        #expect(intervals.places(at: 6.4) == [hand(3), hand(1), hand(2)])
        #expect(intervals.places(at: 8.6).isEmpty)
    }

    @Test func tilesHaveTheirOwnHandsAndIntervals() {
        let left = Rectangle(left: 0, top: 0, right: 0.5, bottom: 1)
        let right = Rectangle(left: 0.5, top: 0, right: 1, bottom: 1)
        var intervals = CandidateIntervals()
        intervals.add(20...30)
        intervals.add(5, places: [hand(150)], in: left)
        intervals.add(7, places: [hand(850)], in: right)
        // A hand that was seen before the tiles were known.
        intervals.add(12, places: [hand(900)], in: Rectangle(left: 0.85, top: 0.4, right: 0.95, bottom: 0.6))
        let own = intervals.within(right, origin: (x: 500, y: 0))
        #expect(intervals.ranges == [3.5...8.5, 10.5...13.5, 20...30])
        #expect(own.ranges == [5.5...8.5, 10.5...13.5])
        #expect(own.detections.map(\.place) == [hand(350), hand(400)])
        #expect(intervals.within(left, origin: (x: 0, y: 0)).ranges == [3.5...6.5])
    }

    @Test func segmentsMayBeAddedInAnySequence() {
        var early = CandidateIntervals(), late = CandidateIntervals()
        early.add(1, places: [hand(1), hand(2)])
        late.add(9, places: [hand(3)])
        var one = CandidateIntervals(), other = CandidateIntervals()
        one.add(early)
        one.add(late)
        other.add(late)
        other.add(early)
        #expect(one == other)
        #expect(one.detections.map(\.place) == [hand(1), hand(2), hand(3)])
    }
}
