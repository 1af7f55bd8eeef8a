import MediaIO
import Platform
import Reactions
import Synchronization

extension PipelineRun {
    /// Starts the threads and waits for them. The last stage runs on the calling one.
    ///
    /// - Returns: how many frames were written; `nil` where nothing is written.
    func runStages() throws(FlourishError) -> Int? {
        let failure = PipelineFailure()
        // Wakes a reader that waits for a stalled pipe.
        failure.onFailure { [control] in control.interrupt.raise() }
        let decoded = Channel<PipelineFrame>(capacity: PipelineFrame.channelCapacity)
        let analysed = Channel<PipelineFrame>(capacity: PipelineFrame.channelCapacity)
        let drawn = Channel<PipelineFrame>(capacity: PipelineFrame.channelCapacity)
        let packets = Channel<Packet>(capacity: Self.packetCapacity)
        failure.onFailure {
            for channel in [decoded, analysed, drawn] { channel.cancel() }
            packets.cancel()
        }
        failure.onFailure { [liveAnalysis] in liveAnalysis?.finish() }

        let readThread = StageThread { [self] in
            failure.watch { try read(into: decoded, copies: packets) }
            decoded.finish()
        }
        let analyseThread = StageThread { [self] in
            failure.watch { try analyse(decoded, into: analysed) }
            analysed.finish()
        }
        let lookThread = StageThread { [self] in failure.watch { try look() } }
        let drawThread = StageThread { [self] in
            failure.watch { try draw(analysed, into: drawn) }
            drawn.finish()
        }
        let photoThread = StageThread { [control] in control.photos.develop() }
        let encodeThread = StageThread { [self] in
            failure.watch { try encode(drawn, into: packets) }
            // The reader, which copies packets, has ended by now: its frames were the input.
            packets.finish()
        }
        var framesOut: Int?
        failure.watch { framesOut = try mux(packets) }
        readThread.join()
        analyseThread.join()
        lookThread.join()
        drawThread.join()
        encodeThread.join()
        photoThread.join()
        try failure.check()
        return framesOut
    }

    private func read(into frames: Channel<PipelineFrame>, copies: Channel<Packet>) throws {
        let reader = try makeReader()
        defer { read.value = reader.outcome }
        while let frame = try reader.nextFrame(copy: { copies.send($0) }) {
            guard frames.send(frame) else { return }
        }
    }

    private func analyse(_ input: Channel<PipelineFrame>, into output: Channel<PipelineFrame>) throws {
        let looks =
            request.configuration.gesturesEnabled && liveAnalysis == nil && !request.wasLookedThrough
            && request.scan?.stretches.ranges.isEmpty != true
        let analyser = looks ? try makeAnalyser() : nil
        while var frame = input.receive() {
            if let liveAnalysis {
                try liveAnalysis.offer(frame)
                frame.findings = liveAnalysis.takeFindings()
                frame.coming = control.state.withLock { $0.coming }
            } else {
                try analyser?.process(&frame)
            }
            latency?.passed(.analysis, &frame)
            guard output.send(frame) else { return }
        }
        liveAnalysis?.finish()
    }

    /// The analysis beside the frames' way.
    private func look() throws {
        try liveAnalysis?.run(
            { try makeAnalyser() }, stretch: { quality?.analysisStretch ?? 1 })
    }

    private func draw(_ input: Channel<PipelineFrame>, into output: Channel<PipelineFrame>) throws {
        var planner = makePlanner()
        let renderer = makeRenderer()
        var gaps = overlayGaps()
        var embedder = writer != nil && request.configuration.embedsMetadata ? MetadataEmbedder() : nil
        defer {
            planned.value = planner.finish()
            control.photos.close()
        }
        while var frame = input.receive() {
            // The stream starts where its first frame does: nothing is told before.
            if planner.frameCount == 0 { tellStart(at: frame.time) }
            control.photos.offer(frame.frame)
            let start = MonotonicClock.now
            let plan = planner.plan(frame)
            if let plan {
                control.photos.see(plan.events, binding: request.configuration.reactionType)
                frame.follow(plan)
                // What is drawn alone is nothing to look at.
                if gaps != nil, frame.frame.hasPicture { control.pictures.offer(frame.frame) }
                try renderer?.render(&frame)
                if gaps == nil, frame.frame.hasPicture {
                    control.pictures.offer(frame.frame)
                    control.photos.offer(drawn: frame.frame)
                }
            }
            quality?.load.addDrawing(since: start)
            if plan == nil { continue }
            if gaps != nil {
                guard let kept = gaps!.keep(frame) else { continue }
                frame = kept
            }
            try embedder?.mark(&frame)
            latency?.passed(.drawing, &frame)
            control.meter.noteFrame(decodedAt: frame.arrival)
            if let pictures { try pictures.write(frame.frame, isEmpty: frame.isEmpty, at: frame.time) }
            if writer == nil {
                outlet.pass(time: frame.time, frame: frame.plan.index)
                for event in frame.plan.events { outlet.add(event) }
                tellLatency(of: frame)
                tellProgress(frames: planner.frameCount, time: frame.time)
            } else {
                guard output.send(frame) else { return }
            }
        }
        if writer != nil, let last = gaps?.finish() { _ = output.send(last) }
    }

    /// What chooses between the empty frames of an overlay; `nil` where there is none.
    private func overlayGaps() -> OverlayGaps? {
        guard request.output != nil, request.configuration.writesOverlay else { return nil }
        // What reads bytes as they come counts on each frame.
        let isStream = request.configuration.isLive || writer?.encoder.settings.transparency == .raw
        return OverlayGaps(keepsAll: isStream && pictures == nil)
    }

    private func encode(_ input: Channel<PipelineFrame>, into packets: Channel<Packet>) throws {
        guard let writer else { return }
        var stage = EncodeStage(
            encoder: writer.encoder, muxer: writer.muxer,
            steering: EncoderSteering(request.configuration.encoding, encoder: writer.encoder),
            output: packets, outlet: outlet, outlook: outlook,
            load: quality?.load, latency: latency)
        defer { dropped.value = stage.drops }
        try stage.run(input)
    }

    private func mux(_ packets: Channel<Packet>) throws -> Int? {
        guard let writer else { return nil }
        let stage = MuxStage(
            muxer: writer.muxer, videoIndex: writer.encoder.source.index, outlet: outlet, meter: control.meter,
            latency: latency,
            isLive: request.configuration.isLive, progress: tellProgress)
        try stage.run(packets)
        return stage.frameCount
    }
}
