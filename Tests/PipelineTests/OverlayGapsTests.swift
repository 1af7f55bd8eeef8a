import MediaIO
import Raster
import Reactions
import Testing

@testable import Pipeline

@Suite("Empty frames of an overlay")
struct OverlayGapsTests {
    /// The written frames of a drawn time line, two a second.
    ///
    /// - Parameter line: `#` shows an effect, `-` nothing, `!` nothing either, but it carries an event.
    private func written(_ line: String, keepsAll: Bool = false) throws -> String {
        let pool = FramePool()
        var gaps = OverlayGaps(keepsAll: keepsAll)
        var written = Array(repeating: Character("."), count: line.count)
        for (index, sign) in line.enumerated() {
            let time = MediaTime(value: Int64(index), timeBase: Rational(1, 2))
            let picture = try VideoFrame(format: PictureFormat(width: 16, height: 16), time: time, pool: pool)
            var frame = PipelineFrame(frame: picture, id: index, time: time.seconds)
            frame.isEmpty = sign != "#"
            if sign == "!" { frame.emit(PipelineWarning(code: .damagedInput, message: "")) }
            if let kept = gaps.keep(frame) { written[kept.plan.id] = sign }
        }
        if let last = gaps.finish() { written[last.plan.id] = "e" }
        return String(written)
    }

    @Test func emptyFramesLastUntilTheNextEffect() throws {
        #expect(try written("---##----##-") == "-..##-...##-")
    }

    @Test func emptyFramesRepeatAfterFiveSeconds() throws {
        #expect(try written("#-------------#") == "#-.........-..#")
    }

    @Test func theLastFrameIsWritten() throws {
        #expect(try written("##-----") == "##-...e")
        #expect(try written("----") == "-..e")
        #expect(try written("-") == "-")
        #expect(try written("##") == "##")
    }

    @Test func framesWithEventsAreKept() throws {
        #expect(try written("--!--#") == "-.!..#")
    }

    @Test func streamsGetEveryFrame() throws {
        #expect(try written("--##---", keepsAll: true) == "--##---")
    }
}
