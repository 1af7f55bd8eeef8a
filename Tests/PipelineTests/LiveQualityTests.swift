import MediaIO
import Platform
import Testing

@testable import Pipeline

@Suite struct LiveQualityTests {
    @Test func droppedFramesAreReported() {
        let quality = LiveQuality()
        for second in 0...3 { _ = quality.advance(to: Double(second)) }
        #expect(quality.state.level == "full" && quality.state.lowered == [])
        for step in 1...2 {
            quality.load.addEncoding(since: MonotonicClock.now &- 600_000_000)
            quality.load.addDrawing(since: MonotonicClock.now &- 100_000_000)
            _ = quality.advance(to: 3 + Double(step) / 2)
        }
        #expect(quality.state.level == "mask" && quality.state.lowered == ["analysis", "mask"])
        #expect(quality.state.busiestStage == "encoding")
        #expect(abs((quality.state.load ?? 0) - 1.2) < 0.05)
    }

    /// Every half second of video keeps a stage busy for a second.
    @Test func qualityIsLoweredInSequence() {
        let quality = LiveQuality()
        // A slow start is ignored.
        for second in 0...3 { _ = quality.advance(to: Double(second)) }
        var seen: [[Double]] = []
        for step in 1...6 {
            quality.load.addDrawing(since: MonotonicClock.now &- 1_000_000_000)
            _ = quality.advance(to: 3 + Double(step) / 2)
            let halving: Double =
                switch quality.halving {
                case .never: 0
                case .duringEffects: 1
                case .always: 2
                }
            seen.append([quality.analysisIntervalScale, quality.maskIntervalScale, quality.detail, halving])
        }
        #expect(
            seen == [[2, 1, 1, 0], [2, 2, 1, 0], [2, 2, 0.5, 0], [2, 2, 0.5, 1], [2, 2, 0.5, 2], [2, 2, 0.5, 2]])
    }
}
