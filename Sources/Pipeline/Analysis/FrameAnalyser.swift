package import MediaIO
import Platform
package import Reactions
import Synchronization
import Vision

/// Detects gestures in the frames of a video that a schedule selects by time stamps. It also follows the tiles of a
/// gallery, and publishes the hold in progress in ``SessionControl``.
///
/// It adds its findings, such as completed gestures, to the frames.
///
/// Used by one thread at a time.
package final class FrameAnalyser {
    private var scheduler: DetectionScheduler
    private var layout: LayoutFollower
    /// The analysers of the current layout's tiles.
    private var tiles: TileAnalysers
    private let control: SessionControl
    /// True if detection was off at the last frame.
    private var isSwitchedOff = false
    /// True if only candidate intervals are decoded and analysed.
    private let isLimited: Bool
    /// The gesture that was being held at the last analysis.
    private var coming: ComingGesture?
    /// The hands that were seen in the last analysis.
    private var hands: [SeenHand] = []

    /// Loads the models.
    ///
    /// - Parameters:
    ///   - layout: the tiles; if `nil`, the tiles that the configuration selects.
    ///   - intervals: the intervals that are decoded and analysed; `nil` for everything.
    ///   - speech: the times at which someone speaks, on the clock of the frames; `nil` for never.
    /// - Throws: ``FlourishError/Code/unavailable`` if a model or the library is missing.
    package init(
        resources: Resources, configuration: Configuration, control: SessionControl,
        layout: LayoutChoice? = nil, intervals: CandidateIntervals? = nil, speech: SpeechTimeline? = nil
    ) throws(FlourishError) {
        let analyser = try HandAnalyser(
            resources: resources, configuration: configuration, isGestureLikely: intervals != nil,
            threads: intervals == nil ? 1 : Self.threads(resources), speech: speech)
        let purpose: AnalysisSchedule.Purpose = intervals == nil ? .watching : .closeAnalysis
        scheduler = DetectionScheduler(analyser, purpose: purpose, intervals: intervals)
        self.layout = LayoutFollower(layout ?? configuration.layout)
        tiles = TileAnalysers(sharingModelsOf: analyser, purpose: purpose, intervals: intervals)
        self.control = control
        isLimited = intervals != nil
    }

    /// Returns the number of threads for each model in close analysis. Unless runs share the cores, little else runs at
    /// the same time except decoding. The maximum is four, since an inference takes only a few milliseconds.
    private static func threads(_ resources: Resources) -> Int {
        resources.shared == nil ? min(Machine.cores, 4) : 1
    }

    /// Allocates the memory of inference: see ``HandAnalyser/warmUp()``.
    func warmUp() throws { try scheduler.analyser.warmUp() }

    /// Returns whether the frame at a time, in seconds, would be analysed.
    package func isDue(at time: Double) -> Bool {
        guard control.switches.gesturesEnabled else { return !isSwitchedOff }
        return layout.isDue(at: time) || (tiles.isEmpty ? scheduler.isDue(at: time) : tiles.isDue(at: time))
    }

    /// Analyses a frame if it is due.
    ///
    /// - Throws: `InferenceError`.
    package func process(_ item: inout PipelineFrame) throws {
        let change = followLayout(item.frame, at: item.time)
        if isLimited, !item.frame.hasPicture {
            (coming, hands) = (nil, [])
        } else {
            item.findings = try gestures(in: item.frame, at: item.time, intervalScale: 1)
        }
        (item.coming, item.hands) = (coming, hands)
        item.findings.layout = change
    }

    /// Returns the tiles from this frame on; `nil` if they did not change.
    private func followLayout(_ frame: borrowing VideoFrame, at time: Double) -> [LayoutTile]? {
        guard layout.follow(frame, at: time) else { return nil }
        tiles.follow(layout.tiles, in: frame)
        scheduler.reset()
        return layout.tiles
    }

    /// Analyses a picture if it is due.
    ///
    /// - Parameter intervalScale: the factor by which the interval between analyses is longer than usual.
    /// - Returns: the gestures that the picture completed, and the holds that it ended.
    /// - Throws: `InferenceError`.
    package func findings(in frame: borrowing VideoFrame, at time: Double, intervalScale: Double = 1) throws
        -> GestureFindings
    {
        let change = followLayout(frame, at: time)
        var findings = try gestures(in: frame, at: time, intervalScale: intervalScale)
        findings.layout = change
        return findings
    }

    private func gestures(in frame: borrowing VideoFrame, at time: Double, intervalScale: Double) throws
        -> GestureFindings
    {
        guard follow() else { return GestureFindings() }
        return tiles.isEmpty
            ? try findingsInWhole(frame, at: time, intervalScale: intervalScale)
            : try findingsInTiles(frame, at: time, intervalScale: intervalScale)
    }

    private func findingsInTiles(
        _ frame: borrowing VideoFrame, at time: Double, intervalScale: Double
    ) throws -> GestureFindings {
        let findings = try tiles.analyse(
            frame, at: time, intervalScale: intervalScale, settings: control.settings
        ).reduce(GestureFindings()) { $0 + $1.analysis.findings }
        (coming, hands) = (tiles.coming, tiles.hands)
        publish(tiles.statuses)
        return findings
    }

    private func findingsInWhole(
        _ frame: borrowing VideoFrame, at time: Double, intervalScale: Double
    ) throws -> GestureFindings {
        scheduler.intervalScale = intervalScale
        guard scheduler.isWatching(at: time) else {
            (coming, hands) = (nil, [])
            return GestureFindings()
        }
        guard let analysis = try scheduler.analyse(frame, at: time) else { return GestureFindings() }
        (coming, hands) = (analysis.coming(at: time), analysis.seenHands(at: time))
        publish([(analysis.status, analysis.isStatusNamed)])
        return analysis.findings
    }

    /// Publishes the result of an analysis, with the hold that is nearest to its end.
    private func publish(_ statuses: [(status: GestureStatus, isNamed: Bool)]) {
        func nearest(_ statuses: [(status: GestureStatus, isNamed: Bool)]) -> GestureHold? {
            statuses.compactMap { GestureHold($0.status) }.max { $0.progress < $1.progress }
        }
        let (hold, namedHold) = (nearest(statuses), nearest(statuses.filter(\.isNamed)))
        control.state.withLock { [coming, hands] in
            ($0.hold, $0.namedHold, $0.coming, $0.hands) = (hold, namedHold, coming, hands)
        }
    }

    /// Applies the session's switches, and returns whether gestures are detected at all.
    private func follow() -> Bool {
        let (isOn, settings) = control.state.withLock { ($0.detectsGestures, $0.settings) }
        if isOn {
            isSwitchedOff = false
            scheduler.analyser.follow(settings)
        } else if !isSwitchedOff {
            isSwitchedOff = true
            scheduler.reset()
            tiles.reset()
            (coming, hands) = (nil, [])
            control.state.withLock { $0.forgetHold() }
        }
        return isOn
    }
}

extension GestureHold {
    /// Creates the hold's progress from a status.
    ///
    /// - Returns: `nil` while nothing is held, or the hold cannot complete.
    fileprivate init?(_ status: GestureStatus) {
        let progress: Double
        switch status {
        case .holding(_, let elapsed, let hold), .moving(_, let elapsed, let hold, _):
            progress = hold > 0 ? min(max(elapsed / hold, 0), 1) : 1
        case .unsure, .waitingForSecondHand, .fired: progress = 1
        case .idle, .lingering, .waitingForSilence, .coolingDown, .disabled, .waitingForRelease: return nil
        }
        guard let gesture = status.gesture?.name else { return nil }
        self.init(gesture: gesture, progress: progress)
    }
}
