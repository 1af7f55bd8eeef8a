import MediaIO
import Platform
import Reactions

extension PipelineRun {
    /// Starts each stage on a separate thread, and waits for all stages. If a video
    /// is written, its last stage runs on the calling thread.
    ///
    /// - Returns: The results of reading and planning, and the number of frames written.
    func runStages() throws(FlourishError) -> (read: ReadOutcome, planned: PlanOutcome, framesOut: Int) {
        let failure = PipelineFailure()
        // Wakes a reader that waits for a stalled pipe.
        failure.onFailure { [control] in control.interrupt.raise() }
        let decoded = Channel<PipelineFrame>(capacity: PipelineFrame.channelCapacity)
        let analysed = Channel<PipelineFrame>(capacity: PipelineFrame.channelCapacity)
        let drawn = Channel<PipelineFrame>(capacity: PipelineFrame.channelCapacity)
        // There are two senders: the reader, which copies packets, and the encoder.
        let output = Channel<OutputItem>(capacity: Self.packetCapacity, senders: 2)
        failure.onFailure {
            for channel in [decoded, analysed, drawn] { channel.cancel() }
            output.cancel()
        }
        failure.onFailure { [liveAnalysis] in liveAnalysis?.finish() }

        let reading = failure.start { [self] in
            ReadStage(reader: try makeReader(), frames: decoded, copies: self.output.writer == nil ? nil : output)
        }
        let analysing = failure.start { [self] in
            AnalyseStage(source: decoded, sink: analysed, placement: try makeDetectionPlacement(), latency: latency)
        }
        let analysis = liveAnalysis.map { [self] analysis in
            failure.start { [self] in makeLiveAnalysisStage(analysis) }
        }
        let drawing = failure.start { [self] in
            makeDrawStage(from: analysed, into: self.output.writer == nil ? nil : drawn)
        }
        let developing = StageThread { [control] in control.photos.develop() }
        var framesOut: Int?
        if let writer = self.output.writer {
            let encoding = failure.start { [self] in makeEncodeStage(writer, from: drawn, into: output) }
            framesOut = failure.run(makeMuxStage(writer, from: output))
            _ = encoding.join()
        }
        let read = reading.join(), planned = drawing.join()
        _ = analysing.join()
        _ = analysis?.join()
        developing.join()
        try failure.check()
        guard let read, let planned else { throw FlourishError(.internal, "a stage ended without a result") }
        return (read, planned, framesOut ?? planned.frameCount - numbering.leftOutCount)
    }
}

// MARK: - Stages

extension PipelineRun {
    private func makeDetectionPlacement() throws(FlourishError) -> AnalyseStage.DetectionPlacement {
        if let analysis = liveAnalysis { return .parallel(analysis, control) }
        if pass.detectsHands { return .inline(try makeAnalyser(of: pass.scan?.intervals)) }
        if pass.needsHands { return .handsOnly(try makeHandWatch()) }
        return pass.needsLayout ? .layoutOnly(LayoutFollower(pass.layout)) : .none
    }

    /// Creates the analyser that looks for hands for video effects. Its holds are not the run's, so it has a control of its own.
    private func makeHandWatch() throws(FlourishError) -> FrameAnalyser {
        var configuration = pass.configuration
        configuration.speechPolicy = .allow
        return try FrameAnalyser(
            resources: pass.resources, configuration: configuration,
            control: SessionControl(configuration: configuration),
            layout: pass.knownLayouts.map(LayoutChoice.fixed) ?? pass.layout)
    }

    private func makeLiveAnalysisStage(_ analysis: LiveAnalysis) -> LiveAnalysisStage {
        LiveAnalysisStage(
            analysis: analysis, makeAnalyser: { try makeAnalyser() },
            intervalScale: { [quality] in quality?.analysisIntervalScale ?? 1 })
    }

    private func makeDrawStage(from source: Channel<PipelineFrame>, into sink: Channel<PipelineFrame>?) -> DrawStage {
        DrawStage(
            source: source, sink: sink, engine: makeEngine(), gaps: output.keepsAllGaps.map(OverlayGaps.init),
            pictures: output.pictures, control: control,
            binding: { control.settings.reactionType(for: $0) }, quality: quality, latency: latency,
            emitStart: emitStart,
            emit: emit)
    }

    private func makeEncodeStage(
        _ writer: VideoWriter, from source: Channel<PipelineFrame>, into sink: Channel<OutputItem>
    ) -> EncodeStage {
        EncodeStage(
            source, into: sink, encoder: writer.encoder,
            steering: EncoderSteering(pass.configuration.encoding, encoder: writer.encoder), outlet: outlet,
            numbering: numbering, statistics: statistics, load: quality?.load, latency: latency)
    }

    private func makeMuxStage(_ writer: VideoWriter, from source: Channel<OutputItem>) -> MuxStage {
        MuxStage(
            source, muxer: writer.muxer, videoIndex: writer.encoder.source.index, outlet: outlet, meter: control.meter,
            latency: latency, sounds: sounds, warningTime: configuration.isLive ? .atOnce : .atEnd,
            progress: reportProgress)
    }
}
