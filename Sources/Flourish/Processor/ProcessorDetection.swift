import MediaIO
import Platform
import Recognition
import Synchronization

/// Detects gestures in the pictures that an application passes to a ``ReactionProcessor``: within the call, or for a
/// live configuration on a separate thread.
///
/// Used by one thread at a time.
final class ProcessorDetection {
    private let pool: FramePool
    private let control: SessionControl
    /// The analyser that works within the call.
    private let analyser: FrameAnalyser?
    /// The analysis on another thread.
    private let live: LiveAnalysis?
    private let failure = PipelineFailure()
    /// The time of the last picture that was offered to the analysis thread, in seconds.
    private var lastOffer = -Double.infinity

    /// - Throws: ``FlourishError`` if the models are missing.
    init(_ session: ReactionSession, pool: FramePool, quality: LiveQuality?) throws(FlourishError) {
        self.pool = pool
        control = session.control
        let makeAnalyser: @Sendable () throws(FlourishError) -> FrameAnalyser = {
            try FrameAnalyser(
                resources: session.resources, configuration: session.configuration, control: session.control)
        }
        guard session.configuration.isLive else {
            (analyser, live) = (try makeAnalyser(), nil)
            return
        }
        // Missing models are reported now rather than with a later picture.
        let made = Mutex<FrameAnalyser?>(try makeAnalyser())
        let live = LiveAnalysis()
        (analyser, self.live) = (nil, live)
        StageThread { [failure] in
            failure.watch {
                try live.run(
                    { try made.withLock { $0.take() } ?? makeAnalyser() },
                    intervalScale: { quality?.analysisIntervalScale ?? 1 })
            }
        }.detach()
    }

    /// Returns whether the picture at a time would be analysed.
    func isDue(at time: Double) -> Bool {
        analyser?.isDue(at: time) ?? (time - lastOffer >= Self.offerInterval || time < lastOffer)
    }

    /// The minimum interval, in seconds, at which pictures are offered to the analysis thread: the interval of its
    /// analysis.
    private static let offerInterval = AnalysisSchedule.DetectionState.gesture.interval

    /// Analyses a picture if it is due, or collects the results that have become available.
    func detect(in item: inout PipelineFrame) throws {
        if let analyser { return try analyser.process(&item) }
        guard let live else { return }
        try check()
        if isDue(at: item.time) {
            lastOffer = item.time
            live.offer(try item.frame.copy(pool: pool), at: item.time)
        }
        item.findings = live.takeFindings()
        item.coming = control.state.withLock { $0.coming }
    }

    /// Throws the error of the analysis thread.
    func check() throws(FlourishError) { try failure.check() }

    /// Ends the analysis thread.
    func finish() { live?.finish() }
}
