import MediaIO
@testable import Pipeline
import Testing

/// Packets in the order of the file, each written as its place in the order of showing; a key frame has a `K` before it, a
/// frame that is not shown an `h`. Ten frames a second.
private func index(_ packets: String) -> FrameIndex {
    var index = FrameIndex()
    for word in packets.split(separator: " ") {
        let place = Int64(word.drop { !$0.isNumber }) ?? 0
        index.add(
            FrameIndex.Entry(
                time: MediaTime(value: place, timeBase: Rational(1, 10)), isKeyFrame: word.hasPrefix("K"),
                isHidden: word.hasPrefix("h")))
    }
    return index
}

@Suite struct FrameIndexTests {
    @Test func framesAreInPresentationOrder() throws {
        let frames = try #require(index("K0 3 1 2 6 4 5 h7").frames())
        #expect(frames.map(\.time.value) == [0, 1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: [
        "", "0 1 2", "K2 0 1 3", "K0 1 1 2",
    ])
    func unknownVisibilityYieldsNoIndex(_ packets: String) { #expect(index(packets).frames() == nil) }

    @Test func decodingBeginsAtTheKeyFrameBefore() {
        let video = index("K0 3 1 2 K4 7 5 6 K8 11 9 10")
        #expect(video.runs(for: [0.5...0.6]) == [4..<8])
        #expect(video.runs(for: [0.4...0.4]) == [4..<5])
        #expect(video.runs(for: [0.1...0.2, 0.9...1.5]) == [0..<4, 8..<12])
        #expect(video.runs(for: [2...3]) == [])
    }

    @Test func leadingFramesAreDecodedFromThePreviousKeyFrame() {
        // The key frame 4 comes before 2 and 3, which are shown before it.
        #expect(index("K0 1 K4 2 3 5").runs(for: [0.3...0.5]) == [0..<6])
        #expect(index("K0 1 K4 2 3 5").runs(for: [0.4...0.5]) == [2..<6])
    }

    @Test func intervalsOfOneRunAreDecodedOnce() {
        let video = index("K0 1 2 3 4 5 6 7 8 9 K10 11 12")
        #expect(video.runs(for: [0.1...0.2, 0.7...0.8]) == [0..<9])
    }
}

@Suite struct CandidateIntervalsTests {
    @Test func nearbyMomentsMergeWithMargins() {
        var intervals = CandidateIntervals()
        for time in [10.0, 12, 20] { intervals.add(time) }
        #expect(intervals.ranges == [8.5...13.5, 18.5...21.5])
        #expect(intervals.index(at: 13) == 0)
        #expect(intervals.index(at: 19) == 1)
        #expect(intervals.index(at: 15) == nil)
    }

    @Test func intervalsBetweenTwoMergeThem() {
        var intervals = CandidateIntervals()
        intervals.add(1...2)
        intervals.add(8...9)
        intervals.add(4...5)
        #expect(intervals.ranges == [1...2, 4...5, 8...9])
        intervals.add(5.5...7.5)
        #expect(intervals.ranges == [1...2, 4...9])
    }
}
