import Raster
import Testing
@testable import Vision

@Suite final class BodyCheckTests {
    /// Returns a test's values at once.
    private final class FakeExaminer: BodyExamining {
        /// The denied confidence at a place of the mask.
        var denies: (_ x: Int, _ y: Int) -> Float = { _, _ in 0 }
        private(set) var questionCount = 0
        private var isAsked = false

        func ask(about picture: borrowing Picture, geometry: DisplayGeometry, confidence: [Float]) {
            #expect(!isAsked)
            isAsked = true
            questionCount += 1
        }

        func answer(into denied: inout [Float]) throws(InferenceError) {
            #expect(isAsked)
            isAsked = false
            for index in denied.indices { denied[index] = denies(index % 32, index / 32) }
        }
    }

    private let segmenter = FakeSegmenter()
    private let examiner = FakeExaminer()
    /// The luma of the pictures, from which motion is detected.
    private var level = 128
    private let geometry = DisplayGeometry(storedWidth: 64, storedHeight: 32)

    private func masks(
        of mask: PersonMask, frames: Int, rate: Double, from start: Double = 0,
        before: (Int) -> Void = { _ in }
    ) throws -> [BandMask?] {
        try mask.masks(frames: frames, rate: rate, from: start, geometry: geometry) {
            before($0)
            return PlainPicture(PictureFormat(width: 64, height: 32)) { _, _ in level }
        }
    }

    @Test("A region denied twice is removed until motion occurs there", arguments: [12.0, 25, 30, 60])
    func denial(rate: Double) throws {
        segmenter.confidence = { _, _ in 1 }
        examiner.denies = { x, _ in x < 20 ? 0 : -1 }
        let mask = PersonMask(segmenter: segmenter, examiner: examiner)
        let found = try masks(of: mask, frames: Int(3 * rate), rate: rate) { index in
            self.segmenter.luma = { x, _ in x >= 25 && index >= Int(2 * rate) ? 0.9 : 0.5 }
        }
        // The first request, one 0.2 s later, and 0.2 s until that counts.
        #expect(try #require(found[Int(0.3 * rate)]).value(x: 26, y: 8) == 255)
        let still = try #require(found[Int(1.9 * rate)])
        #expect(still.value(x: 26, y: 8) == 0 && still.value(x: 10, y: 8) == 255)
        #expect(try #require(found[Int(2.4 * rate)]).value(x: 26, y: 8) == 255)
    }

    @Test("A region denied once is kept")
    func once() throws {
        segmenter.confidence = { _, _ in 1 }
        examiner.denies = { x, _ in x < 20 ? 0 : -1 }
        let mask = PersonMask(segmenter: segmenter, examiner: examiner)
        let found = try masks(of: mask, frames: 60, rate: 30) { _ in
            if self.examiner.questionCount == 2 { self.examiner.denies = { _, _ in 0 } }
        }
        #expect(found.allSatisfy { $0?.value(x: 26, y: 8) == 255 })
    }

    @Test("Bodies are examined seldom even if every frame is segmented")
    func seldom() throws {
        segmenter.confidence = { x, _ in x < 16 ? 1 : 0 }
        for moves in [false, true] {
            let before = examiner.questionCount
            let mask = PersonMask(segmenter: segmenter, examiner: examiner)
            _ = try masks(of: mask, frames: 90, rate: 30) { self.level = moves ? 20 + $0 % 8 * 25 : 128 }
            #expect((3...4).contains(examiner.questionCount - before))
        }
    }

    @Test("Requests from before a time jump are dropped")
    func leap() throws {
        segmenter.confidence = { _, _ in 1 }
        examiner.denies = { x, _ in x < 20 ? 0 : -1 }
        let mask = PersonMask(segmenter: segmenter, examiner: examiner)
        _ = try masks(of: mask, frames: 14, rate: 30)
        let later = try masks(of: mask, frames: 14, rate: 30, from: 60)
        let earlier = try masks(of: mask, frames: 14, rate: 30, from: 2)
        #expect((later + earlier).allSatisfy { $0?.value(x: 26, y: 8) == 255 })
    }
}
