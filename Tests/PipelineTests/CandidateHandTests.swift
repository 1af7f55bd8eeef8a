import HandPose
@testable import Recognition
import Testing

@testable import Pipeline

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
