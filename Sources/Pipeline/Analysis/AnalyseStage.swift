import Gestures
package import MediaIO
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

/// Looks for gestures beside the frames' way: at the newest frame whenever there is time, and no
/// frame ever waits for it.
///
/// Frames are offered from one thread, looked at on another. What is found is told with
/// the next frame, a few frames after the one that completed a gesture.
package final class LiveAnalysis: Sendable {
    private struct Glimpse: ~Copyable {
        let frame: VideoFrame
        let time: Double
    }

    /// Holds one frame: a newer one takes its place.
    private let newest = Channel<Glimpse>(capacity: 1)
    private let found = Mutex(GestureFindings())

    package init() {}

    /// Shows a frame, whose pixels are not copied.
    package func offer(_ item: borrowing PipelineFrame) throws { offer(try item.frame.shared(), at: item.time) }

    /// Shows a frame.
    package func offer(_ frame: consuming VideoFrame, at time: Double) {
        newest.sendNewest(Glimpse(frame: frame, time: time))
    }

    /// What was found since it was asked last.
    package func takeFindings() -> GestureFindings {
        found.withLock { found in
            guard !found.isEmpty else { return found }
            defer { found = GestureFindings() }
            return found
        }
    }

    /// Loads the models and looks at frames until ``finish()`` is called.
    ///
    /// - Parameter stretch: by how much looks are to be further apart than usual.
    package func run(_ makeAnalyser: () throws -> FrameAnalyser, stretch: () -> Double) throws {
        // The frames' own threads go first.
        StageThread.yieldToOthers()
        let analyser = try makeAnalyser()
        while let glimpse = newest.receive() {
            let findings = try analyser.findings(in: glimpse.frame, at: glimpse.time, stretch: stretch())
            if !findings.isEmpty { found.withLock { $0 = $0 + findings } }
        }
    }

    /// Says that no frame follows.
    package func finish() { newest.cancel() }
}
