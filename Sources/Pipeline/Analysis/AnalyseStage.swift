import MediaIO
import Platform
import Reactions
import Synchronization

/// Looks for gestures in frames on their way.
///
/// Source and sink: the same frames, some with the gestures that they completed.
struct AnalyseStage: Stage, ~Copyable {
    /// Who looks.
    enum Looks {
        case nobody
        /// The stage itself, so that a frame waits until it was looked at.
        case onTheWay(FrameAnalyser)
        /// A ``LookStage``, for which no frame waits.
        case beside(LiveAnalysis, SessionControl)
    }

    let source: Channel<PipelineFrame>
    let sink: Channel<PipelineFrame>
    let looks: Looks
    let latency: LatencyMeter?

    consuming func run() throws {
        let (sink, looks) = (sink, looks)
        defer {
            sink.finish()
            if case .beside(let analysis, _) = looks { analysis.finish() }
        }
        while var frame = source.receive() {
            switch looks {
            case .nobody: break
            case .onTheWay(let analyser): try analyser.process(&frame)
            case .beside(let analysis, let control):
                try analysis.offer(frame)
                frame.findings = analysis.takeFindings()
                frame.coming = control.state.withLock { $0.coming }
            }
            latency?.passed(.analysis, &frame)
            guard sink.send(frame) else { return }
        }
    }
}

/// Looks beside the frames' way, at the newest one whenever there is time.
struct LookStage: Stage, ~Copyable {
    let analysis: LiveAnalysis
    let makeAnalyser: () throws -> FrameAnalyser
    /// By how much looks are to be further apart than usual.
    let stretch: () -> Double

    consuming func run() throws { try analysis.run(makeAnalyser, stretch: stretch) }
}
