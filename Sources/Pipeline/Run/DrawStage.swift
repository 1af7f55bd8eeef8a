import MediaIO
import Platform
import Reactions
import Synchronization

/// Plans frames and draws their effects.
///
/// Source: frames with their analysis results. Sink: the kept frames, with effects drawn and events to emit. Without
/// encoding there is no sink, and frames end here.
struct DrawStage: Stage, ~Copyable {
    let source: Channel<PipelineFrame>
    let sink: Channel<PipelineFrame>?
    let engine: ReactionEngine
    /// Chooses the empty frames of an overlay to write; `nil` if no overlay is written.
    var gaps: OverlayGaps?
    /// Writes an overlay as pictures; `nil` if none are written.
    let pictures: PictureSequence?
    let control: SessionControl
    /// The reactions of gestures, for their photographs.
    let binding: (ReactionGesture) -> ReactionType
    let quality: LiveQuality?
    let latency: LatencyMeter?
    /// Reports that the stream starts, at a time in seconds.
    let emitStart: (Double) -> Void
    /// Emits the events of a frame that ends here.
    let emit: (borrowing PipelineFrame) -> Void

    consuming func run() throws -> PlanOutcome {
        let (sink, control) = (sink, control)
        defer {
            control.photos.close()
            sink?.finish()
        }
        while var frame = source.receive() {
            // The stream starts with its first frame, so no event is emitted before.
            if engine.frameCount == 0 { emitStart(frame.time) }
            control.photos.offer(frame.frame)
            let start = MonotonicClock.now
            let stays = try draw(&frame)
            quality?.load.addDrawing(since: start)
            guard stays else { continue }
            if gaps != nil {
                guard let kept = gaps!.keep(frame) else { continue }
                frame = kept
            }
            try engine.embed(&frame)
            latency?.passed(.drawing, &frame)
            control.meter.noteFrame(decodedAt: frame.arrival)
            if let pictures { try pictures.write(frame.frame, isEmpty: frame.isEmpty, at: frame.time) }
            guard let sink else {
                emit(frame)
                continue
            }
            guard sink.send(frame) else { return finish() }
        }
        if let sink, let last = gaps?.finish() { _ = sink.send(last) }
        return finish()
    }

    private func finish() -> PlanOutcome {
        defer { control.endEffects() }
        return engine.finish()
    }

    /// Plans a frame, draws it, and publishes the plan and the picture for observers.
    ///
    /// - Returns: whether the frame is kept.
    private mutating func draw(_ frame: inout PipelineFrame) throws -> Bool {
        let time = frame.time
        let stays = engine.plan(&frame, control.switches(at: time)) { control.dequeueRequests(at: time) }
        if let quality { control.state.withLock { $0.quality = quality.state } }
        guard stays else { return false }
        control.publish(frame.plan)
        control.photos.show(frame.plan.crop)
        control.photos.see(frame.plan.events, binding: binding)
        // Clients receive the video's picture, because an overlay without the video is no useful preview.
        if gaps != nil, frame.frame.hasPicture { control.pictures.offer(frame.frame) }
        try engine.draw(&frame)
        if gaps == nil, frame.frame.hasPicture {
            control.pictures.offer(frame.frame)
            control.photos.offer(drawn: frame.frame)
        }
        return true
    }
}
