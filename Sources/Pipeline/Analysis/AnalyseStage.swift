package import MediaIO
import Platform
import Reactions
import Synchronization
import Vision

/// Detects gestures in frames, or passes the frames to ``LiveAnalysisStage``, which detects gestures on another thread.
///
/// Source and sink: the same frames. The stage adds findings, such as completed gestures, to some of them.
struct AnalyseStage: Stage, ~Copyable {
    /// The part of the pipeline that detects gestures.
    enum DetectionPlacement {
        case none
        /// Only tiles are followed; no gestures are detected.
        case layoutOnly(LayoutFollower)
        /// Only hands are looked for, for effects on the whole video; an earlier pass has found gestures and tiles.
        case handsOnly(FrameAnalyser)
        /// The stage itself, so that each frame waits for its analysis.
        case inline(FrameAnalyser)
        /// A ``LiveAnalysisStage`` on another thread. Frames do not wait for their analysis.
        case parallel(LiveAnalysis, SessionControl)
    }

    let source: Channel<PipelineFrame>
    let sink: Channel<PipelineFrame>
    let placement: DetectionPlacement
    let latency: LatencyMeter?

    consuming func run() throws {
        let sink = sink
        var placement = placement
        defer {
            sink.finish()
            if case .parallel(let analysis, _) = placement { analysis.finish() }
        }
        while var frame = source.receive() {
            switch placement {
            case .none: break
            case .layoutOnly(var layout):
                if layout.follow(frame.frame, at: frame.time) { frame.findings.layout = layout.tiles }
                placement = .layoutOnly(layout)
            case .handsOnly(let analyser):
                do { try analyser.process(&frame) } catch {
                    placement = .none
                    frame.warnings.append(.handsNotFound(error))
                }
                (frame.findings, frame.coming) = (GestureFindings(), nil)
            case .inline(let analyser): try analyser.process(&frame)
            case .parallel(let analysis, let control):
                try analysis.offer(frame)
                frame.findings = analysis.takeFindings()
                (frame.coming, frame.hands) = control.state.withLock { ($0.coming, $0.hands) }
            }
            latency?.passed(.analysis, &frame)
            guard sink.send(frame) else { return }
        }
    }
}

/// Analyses the newest frame, on a separate thread, whenever the previous analysis is complete.
struct LiveAnalysisStage: Stage, ~Copyable {
    let analysis: LiveAnalysis
    let makeAnalyser: () throws -> FrameAnalyser
    /// Returns the factor by which the interval between analyses is longer than usual.
    let intervalScale: () -> Double

    consuming func run() throws { try analysis.run(makeAnalyser, intervalScale: intervalScale) }
}

/// Passes the newest frame to a thread that detects gestures, and returns the findings. No frame waits for its
/// analysis.
///
/// One thread offers frames and takes findings, and another thread calls ``run(_:intervalScale:)``. The first thread
/// attaches findings to its current frame, a few frames after the frame that completed the gesture.
package final class LiveAnalysis: Sendable {
    private struct PendingFrame: ~Copyable {
        let frame: VideoFrame
        let time: Double
    }

    /// The newest frame. A newer frame replaces it.
    private let newest = Channel<PendingFrame>(capacity: 1)
    private let found = Mutex(GestureFindings())

    package init() {}

    /// Offers a frame for analysis. Its pixels are not copied.
    package func offer(_ item: borrowing PipelineFrame) throws { offer(try item.frame.shared(), at: item.time) }

    /// Offers a frame for analysis.
    package func offer(_ frame: consuming VideoFrame, at time: Double) {
        newest.sendNewest(PendingFrame(frame: frame, time: time))
    }

    /// Removes and returns the findings since the last call.
    package func takeFindings() -> GestureFindings {
        found.withLock { found in
            guard !found.isEmpty else { return found }
            defer { found = GestureFindings() }
            return found
        }
    }

    /// Loads the models and analyses frames until ``finish()`` is called.
    ///
    /// - Parameter intervalScale: returns the factor by which the interval between analyses is longer than usual.
    package func run(_ makeAnalyser: () throws -> FrameAnalyser, intervalScale: () -> Double) throws {
        // The stages that process every frame have priority over this thread.
        StageThread.yieldToOthers()
        let analyser = try makeAnalyser()
        try analyser.warmUp()
        while let pending = newest.receive() {
            let findings = try analyser.findings(
                in: pending.frame, at: pending.time, intervalScale: intervalScale())
            if !findings.isEmpty { found.withLock { $0 = $0 + findings } }
        }
    }

    /// Signals that no more frames follow.
    package func finish() { newest.cancel() }
}

extension PipelineWarning {
    fileprivate static func handsNotFound(_ error: any Error) -> PipelineWarning {
        PipelineWarning(
            code: .peopleNotFound,
            message: "raised hands may count as background, since hands cannot be detected: \(error)")
    }
}
