import MediaIO

/// Looks through a recording quickly: without the pictures that no other refers to, without smoothing, and seldom.
///
/// One thread decodes, the calling one looks.
struct RecordingScan {
    /// What it tells: when the recording's frames are shown, and which of them are worth a close look.
    struct Findings: Sendable {
        var index: FrameIndex
        /// The frames in the order in which they are shown.
        var frames: [FrameIndex.Entry]
        var stretches: CloseStretches
        /// What all packets tell.
        var recording: RecordingSurvey
    }

    let request: PipelineRequest
    let control: SessionControl

    /// Codecs of which each packet is one frame that is shown. Others may hide some.
    private static let codecs: Set = ["h264", "hevc"]
    /// How many frames wait to be looked at: a look takes as long as decoding some of them.
    private static let capacity = 8

    /// Looks through the whole recording.
    ///
    /// - Returns: `nil` where it must be looked at as a whole, since its packets do not tell enough, or it is damaged; and
    ///   where it was stopped.
    /// - Throws: ``FlourishError``.
    func run() throws(FlourishError) -> Findings? {
        do {
            let settings = InputSettings(request.configuration, address: request.input)
            let demuxer = try Demuxer(path: request.input, settings: settings, interrupt: control.interrupt)
            guard Self.codecs.contains(demuxer.video.codec), !demuxer.isStillImage else { return nil }
            let looks =
                request.configuration.gesturesEnabled
                ? CoarseLooks(try HandAnalyser(resources: request.resources, configuration: request.configuration))
                : nil
            return try survey(demuxer, looks)
        } catch {
            throw FlourishError(describing: error)
        }
    }

    private func survey(_ demuxer: Demuxer, _ looks: CoarseLooks?) throws -> Findings? {
        let decoder = looks == nil ? nil : try VideoDecoder(demuxer, threads: RunInput.decodingThreads, isFrugal: true)
        let failure = PipelineFailure()
        let frames = Channel<PipelineFrame>(capacity: Self.capacity)
        failure.onFailure { frames.cancel() }
        let read = Slot<IndexingReader.Outcome?>(nil)
        let thread = StageThread { [interrupt = control.interrupt] in
            failure.watch {
                let reader = try IndexingReader(demuxer: demuxer, decoder: decoder, interrupt: interrupt)
                read.value = try reader.read { frames.send($0) }
            }
            frames.finish()
        }
        var looks = looks
        failure.watch {
            while let item = frames.receive() {
                try looks?.look(at: item.frame, time: item.time)
                tellProgress(demuxer, item)
            }
        }
        thread.join()
        try failure.check()
        guard let read = read.value, let shown = read.index.frames(), let first = shown.first else { return nil }
        var stretches = looks?.stretches ?? CloseStretches()
        // Where something is scheduled it needs a place, too.
        for reaction in request.scheduled {
            let time = first.time.seconds + reaction.seconds
            stretches.add(time...time + Self.placing)
        }
        return Findings(index: read.index, frames: shown, stretches: stretches, recording: read.recording)
    }

    /// Seconds after the time that somebody named in which the first frame is that comes then.
    private static let placing = 0.5

    private func tellProgress(_ demuxer: Demuxer, _ item: borrowing PipelineFrame) {
        request.observer.progress?(
            SessionProgress(
                frames: item.plan.index + 1, seconds: item.time - (demuxer.video.startTime?.seconds ?? 0),
                duration: demuxer.video.duration?.seconds, effects: 0))
    }
}

/// Reads all packets of a recording's video, and decodes them if somebody looks.
private final class IndexingReader {
    private let demuxer: Demuxer
    private let decoder: VideoDecoder?
    private let interrupt: InterruptFlag
    private let surveyor: RecordingSurveyor
    private var frameCount = 0
    private var isPlain = true

    /// What its packets tell.
    struct Outcome: Sendable {
        var index: FrameIndex
        var recording: RecordingSurvey
    }

    init(demuxer: Demuxer, decoder: VideoDecoder?, interrupt: InterruptFlag) throws(MediaError) {
        surveyor = try RecordingSurveyor(demuxer)
        self.demuxer = demuxer
        self.decoder = decoder
        self.interrupt = interrupt
    }

    /// - Parameter show: takes decoded frames; its answer says whether to go on.
    /// - Returns: `nil` where the video is not whole, or not plain.
    func read(_ show: (consuming PipelineFrame) -> Bool) throws(MediaError) -> Outcome? {
        var index = FrameIndex()
        while !interrupt.isRaised, let packet = try nextPacket() {
            guard packet.streamIndex == demuxer.video.index else { continue }
            index.add(packet)
            surveyor.add(packet)
            try decoder?.send(packet)
            guard try showDecoded(show) else { return nil }
        }
        try decoder?.finish()
        guard try showDecoded(show), isPlain, !interrupt.isRaised, demuxer.endedEarly == nil,
            decoder?.takeDamage().isEmpty != false
        else { return nil }
        return Outcome(index: index, recording: surveyor.finish())
    }

    /// One that was stopped ends here; the run says so.
    private func nextPacket() throws(MediaError) -> Packet? {
        do throws(MediaError) { return try demuxer.readPacket() } catch {
            guard error.code == .interrupted else { throw error }
            return nil
        }
    }

    private func showDecoded(_ show: (consuming PipelineFrame) -> Bool) throws(MediaError) -> Bool {
        while let frame = try decoder?.receive() {
            // Each field may be a packet of its own.
            if frame.isInterlaced || frame.isDamaged { isPlain = false }
            let time = frame.time.seconds
            frameCount += 1
            guard isPlain, show(PipelineFrame(frame: frame, index: frameCount - 1, time: time)) else { return false }
        }
        return true
    }
}
