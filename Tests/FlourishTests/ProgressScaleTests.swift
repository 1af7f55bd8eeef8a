import Testing

@testable import Flourish

@Suite("Progress scale")
struct ProgressScaleTests {
    private func step(
        _ seconds: Double, frames: Int = 1, _ part: SessionProgress.Part = .whole,
        _ pass: SessionProgress.Pass = .only
    ) -> SessionProgress {
        var step = SessionProgress(frames: frames, seconds: seconds, duration: 10, effects: 0)
        (step.part, step.pass) = (part, pass)
        return step
    }

    /// Frames with B frames between them come in the order in which they are coded.
    @Test func codedOrderDoesNotReverseProgress() {
        let scale = ProgressScale()
        let reported = [0.0, 4, 1, 2, 3, 8].map { scale.placed(step($0)) }
        #expect(reported.map(\.fraction) == [0, 0.4, 0.4, 0.4, 0.4, 0.8])
        #expect(reported.map(\.seconds) == [0, 4, 4, 4, 4, 8])
    }

    @Test func allPhasesShareOneScale() {
        let scale = ProgressScale()
        let looks = SessionProgress.Part.analysis(0...0.5)
        let steps = [
            step(5, looks.quick, .looking), step(10, looks.quick, .looking), step(1, looks.close, .looking),
            step(10, looks.close, .looking), step(0, .rendering, .rendering), step(10, .rendering, .rendering),
        ]
        let fractions = steps.map { scale.placed($0).fraction ?? -1 }
        #expect(zip(fractions, [0.2, 0.4, 0.41, 0.5, 0.7, 1]).allSatisfy { abs($0 - $1) < 1e-9 }, "\(fractions)")
    }

    /// Progress of an abandoned pass is kept; the rest of the scale covers the fallback.
    @Test func restartedPhasesContinueTheScale() {
        let scale = ProgressScale()
        let looks = SessionProgress.Part.analysis(0...1)
        _ = scale.placed(step(5, looks.quick))
        let fractions = [0.0, 5, 10].map { scale.placed(step($0, looks.all)).fraction ?? -1 }
        #expect(zip(fractions, [0.4, 0.7, 1]).allSatisfy { abs($0 - $1) < 1e-9 }, "\(fractions)")
    }

    @Test func unknownDurationsHaveNoShare() {
        var live = step(3)
        live.duration = nil
        #expect(ProgressScale().placed(live).fraction == nil)
    }
}
