import MediaIO
import Platform
import Raster
import Reactions

/// What a run tells beside what happens in frames.
extension PipelineRun {
    func tellStart(at time: Double) {
        outlet.add(
            ReactionEvent(
                time: time, frame: 0,
                kind: .streamStarted(
                    .init(pass, demuxer.video, catalog, thinning))))
        for skipped in writer?.muxer.skippedStreams ?? [] {
            outlet.add(skipped.warning.event(time: time, frame: 0))
        }
    }

    func tellProgress(frames: Int, time: Double) {
        request.observer.progress?(
            SessionProgress(
                frames: frames, seconds: time - (demuxer.video.startTime?.seconds ?? 0),
                duration: demuxer.video.duration?.seconds, effects: outlet.effectCount))
    }

    /// Tells what happens in a frame, where nothing is encoded.
    func tell(_ frame: borrowing PipelineFrame) {
        let (time, id) = (frame.time, frame.plan.id)
        outlet.pass(time: time, frame: id)
        for event in frame.plan.events { outlet.add(event) }
        if let statistics = latency?.report(at: time) {
            outlet.add(ReactionEvent(time: time, frame: id, kind: .statistics(statistics)))
        }
        tellProgress(frames: id + 1, time: time)
    }

    func tellEnd(_ outcomes: StageOutcomes) -> ReactionEvent.StreamSummary {
        let (outcome, framesOut) = (outcomes.planned, outcomes.framesOut)
        let summary = ReactionEvent.StreamSummary(
            framesIn: outcome.frameCount, framesOut: framesOut, framesDropped: outcome.frameCount - framesOut,
            effects: outcome.effectCounts, seconds: outcome.seconds)
        for event in outcome.events(trailing: outcomes.read.warnings) { outlet.add(event) }
        for kind in control.photos.takeResults() {
            outlet.add(ReactionEvent(time: outcome.endTime, frame: outcome.endID, kind: kind))
        }
        outlet.finish()
        outlet.add(ReactionEvent(time: outcome.endTime, frame: outcome.endID, kind: .streamEnded(summary)))
        return summary
    }
}

extension ReactionEvent.StreamDescription {
    /// What is known of a run before its first frame is written.
    init(
        _ pass: RunPass, _ video: VideoStreamInfo, _ catalog: EffectCatalog, _ thinning: FrameThinning
    ) {
        let request = pass.request
        let rate = video.averageFrameRate
        self.init(
            input: request.input, width: Int(video.geometry.uprightWidth.rounded()),
            height: Int(video.geometry.uprightHeight.rounded()), frameRate: rate.value >= 0.001 ? rate.value : nil,
            availableReactionTypes: catalog.types, gesturesEnabled: request.configuration.gesturesEnabled,
            reactionsEnabled: request.configuration.reactionsEnabled, frameRateDuringEffects: thinning.rate,
            wholeReason: pass.wholeReason?.description)
    }
}

extension ReactionEvent.Kind {
    /// Whether it tells what became of a photograph.
    package var isPhotograph: Bool {
        switch self {
        case .photoProxy, .photoFinished, .photoFailed: true
        default: false
        }
    }
}
