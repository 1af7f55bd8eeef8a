import MediaIO
import Platform
import Synchronization

/// Looks for gestures in the pictures that a program gives: in the call itself, or beside it.
///
/// Used by one thread at a time.
final class ProcessorLooks {
    private let pool: FramePool
    private let control: SessionControl
    /// Looks in the call.
    private let analyser: FrameAnalyser?
    /// Looks beside it.
    private let live: LiveAnalysis?
    private let failure = PipelineFailure()
    private var lastOffer = -Double.infinity

    /// - Throws: ``FlourishError`` where the models are missing.
    init(_ session: ReactionSession, pool: FramePool) throws(FlourishError) {
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
        // Models that are missing are said now, not with some later picture.
        let made = Mutex<FrameAnalyser?>(try makeAnalyser())
        let live = LiveAnalysis()
        (analyser, self.live) = (nil, live)
        StageThread { [failure] in
            failure.watch { try live.run({ try made.withLock { $0.take() } ?? makeAnalyser() }, stretch: { 1 }) }
        }.detach()
    }

    /// Whether the picture at a time would be looked at.
    func isDue(at time: Double) -> Bool {
        analyser?.isDue(at: time) ?? (time - lastOffer >= Self.offerInterval || time < lastOffer)
    }

    /// Pictures are shown to the thread that looks no more often than it could look.
    private static let offerInterval = AnalysisSchedule.DetectionState.gesture.interval

    /// Looks at a picture if its turn has come, or takes what was found meanwhile.
    func look(_ item: inout PipelineFrame) throws {
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

    /// Throws what went wrong beside.
    func check() throws(FlourishError) { try failure.check() }

    func finish() { live?.finish() }
}
