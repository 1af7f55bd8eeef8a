internal import CFFmpeg
package import Platform
internal import Synchronization

/// Writes a media file: one encoded video stream, and copies of all other streams of the source.
///
/// A file is written under a temporary name beside the requested one, and renamed by ``finish()``, so that no
/// incomplete file has the final name. A muxer that is released earlier removes the temporary file. Packets to pipes,
/// devices and the network are sent at once. All methods may be called from any thread.
///
/// ```swift
/// let muxer = try Muxer(path: "out.mp4", copying: demuxer)
/// try muxer.begin(encoder.header()) // once the encoder was given its first frame
/// try muxer.write(packet)           // copied packets may come before that, too
/// try muxer.finish()
/// ```
///
/// `AVFormatContext`
@safe
package final class Muxer: @unchecked Sendable {
    package let path: String
    package let container: ContainerFormat
    /// See ``form(of:_:_:)``.
    let form: ContainerFormat
    let sink: MuxerSink
    private let overwrite: Bool
    /// The streams that the container cannot hold.
    package let skippedStreams: [SkippedStream]

    var context: UnsafeMutablePointer<AVFormatContext>
    /// The indices of streams in the output, by their index in the source.
    var places: [Int: Int]
    /// The index of the video in the output.
    package internal(set) var videoPlace: Int
    /// The sound whose first packet must arrive before the header is written.
    let late: [LateSound]
    /// The output without late sound, in case no packet of that sound arrives: the unused one of two contexts. It is
    /// nil if there is no late sound.
    var substitute: Substitute?
    let videoSideData: [StreamSideData]
    let sourceInventory: MediaInventory?
    /// The limits with which the output is read again: the source's.
    let limits: InputSettings
    /// The times at which the source's pictures and sound begin.
    let sourceStarts: [MediaTime]
    var writtenStreams: [(source: Int, place: Int)]
    let watch: IOWatch
    /// True if times are rounded down to the container's ticks. No picture is then later than the picture that it
    /// overlays.
    let roundsTimesDown: Bool
    /// True if all streams except the video are copied from another file. Damage in these streams is then no error of
    /// this file.
    let isCopying: Bool
    private let memory: RefusedMemory
    /// True for live outputs without times below 0. In other runs, libavformat moves all streams by the earliest time.
    private let startsAtOnce: Bool
    /// True if the header of a streamed MP4 waits for the first group of pictures.
    let opensWithPictures: Bool
    /// True if the source's chapters wait for those that ``add(_:)`` adds.
    package let addsChapters: Bool
    let lock = Mutex(State())

    /// The muxer's mutable state. Not private, since the extension for late sound uses it.
    struct State {
        /// True if the video stream is filled in.
        var isDescribed = false
        /// True if the header is written. The header may wait for the sound's parameters.
        var hasBegun = false
        /// True if some of the video is copied; the caller then compares the result with the source.
        var copiesVideo = false
        /// True if the trailer is written.
        var isComplete = false
        /// The final name of the file, after it has been renamed.
        var publishedPath: String?
        /// The copied packets that wait for the header, and the number of them that were searched for sound.
        var waiting: [QueuedPacket] = []
        var searchedCount = 0
        /// The number of waiting bytes.
        var waitingSize = 0
        /// The sound that did not arrive in time, until the caller dequeues it.
        var lateSkips: [SkippedStream] = []
        /// The last decoding time in each output stream.
        var lastDecodingTimes: [Int: Int64] = [:]
        /// The maximum step between two packets of a stream.
        var leap = TimestampGap()
        /// The number of the encoder's packets that libavformat was given.
        var encodedCount = 0
        var displacement = FrameDisplacement()
        var hidden = HiddenPackets()
        /// The copied packets of the source, without those that are left out intentionally or reported as damage.
        var offered = StreamTallies()
        /// The header of the first packet of each stream whose packets have headers.
        var soundHeaders: [Int: SoundHeader] = [:]
        /// The streams some of whose packets had other headers.
        var changedSound: Set<Int> = []
        /// The packets of streams that appeared after the output was laid out.
        var unplanned: [Int: StreamTally] = [:]
        /// The dropped packets, until the caller dequeues them.
        var damage: [DecodingDamage] = []
        /// FFmpeg's code for the first dropped packet.
        var refusal: Int32?
    }

    /// Creates the temporary file, or opens the pipe, device or connection.
    ///
    /// - Parameters:
    ///   - path: A ``MediaAddress``.
    ///   - overwrite: Whether to replace a file that has the final name at the end.
    ///   - format: The container; by default the path's or the protocol's.
    ///   - timeout: The longest time that a write to the network may take, in seconds; unlimited if nil.
    ///   - isLive: Whether packets are sent at once, even if another stream has no packet yet.
    ///   - source: The demuxer whose other streams, chapters and metadata are copied; nil for none.
    ///   - audio: The encoder of a sound track, if there is no source.
    ///   - roundsTimesDown: Whether times are rounded down to the container's ticks rather than to the nearest.
    ///   - opensWithPictures: Whether the header of a streamed MP4 waits for the first group of pictures and states
    ///     their times. Without these times, browsers read one second of the video before they play it.
    ///   - addsChapters: Whether ``add(_:)`` may add chapters at the end of the file.
    ///   - memory: Detects whether memory was refused since the object was created; by default since this call.
    ///   - interrupt: Ends the wait for a connection, or for a named pipe's reader; later calls ignore it.
    /// - throws: ``MediaError`` of the codes `unknownOutputFormat`, `unwritable`, `diskFull`, `timedOut`,
    ///   `interrupted`, `internal`.
    package init(
        path: String, overwrite: Bool = false, format: ContainerFormat? = nil, timeout: Double? = nil,
        isLive: Bool = false, copying source: Demuxer? = nil, audio: AudioEncoder? = nil,
        roundsTimesDown: Bool = false, opensWithPictures: Bool = false, addsChapters: Bool = false,
        memory: RefusedMemory = RefusedMemory(),
        interrupt: InterruptFlag? = nil
    ) throws(MediaError) {
        MediaLog.prepare()
        let (sink, container) = try MuxerSink.choose(path, format: format)
        // Only the network has a time-out: a disk or a pipe's reader may be slow without losing data.
        let watch = IOWatch(
            interrupt: interrupt, timeout: sink.isNetwork ? timeout : nil, isOutput: true, showsLife: !sink.isStream)
        let form: ContainerFormat
        do throws(MediaError) { form = try Self.form(of: container, source, path) } catch {
            sink.discard()
            throw error
        }
        var fresh: UnsafeMutablePointer<AVFormatContext>? = nil
        var status = unsafe avformat_alloc_output_context2(&fresh, nil, form.muxerName, sink.url)
        guard status >= 0, let opened = unsafe fresh else {
            sink.discard()
            throw .writing(path, status: status)
        }
        unsafe opened.pointee.interrupt_callback = unsafe watch.callback
        let layout: StreamLayout
        do throws(MediaError) {
            layout = unsafe try Self.layOut(
                opened, container: container, form: form, source: source, audio: audio, path: path)
            watch.begin()
            status = unsafe Self.openSink(opened, sink, watch)
            if status < 0 { throw Self.opening(path, sink, status: status, watch) }
            watch.ignoreInterrupt()
        } catch {
            unsafe avformat_free_context(opened)
            withExtendedLifetime(watch) {}
            sink.discard()
            throw error
        }
        sourceStarts = source?.streams.compactMap { [.video, .audio].contains($0.kind) ? $0.startTime : nil } ?? []
        unsafe Self.configure(opened, container, sink, isLive: isLive)
        late = source.map { unsafe Self.lateSound(layout, opened, of: $0, container, sink) } ?? []
        self.path = path
        self.container = container
        self.form = form
        self.sink = sink
        self.overwrite = overwrite
        self.watch = watch
        self.roundsTimesDown = roundsTimesDown
        self.opensWithPictures = opensWithPictures
        self.addsChapters = addsChapters
        isCopying = source != nil
        startsAtOnce = isLive && [.nut, .flv].contains(container)
        self.memory = memory
        unsafe context = unsafe opened
        places = layout.places
        videoPlace = layout.videoPlace
        videoSideData = layout.videoSideData
        skippedStreams = layout.skipped
        sourceInventory = layout.inventory
        limits = layout.limits
        writtenStreams = layout.written
        if let source, !late.isEmpty { substitute = try layOutSubstitute(source, isLive: isLive) }
    }

    @unsafe
    static func configure(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ container: ContainerFormat, _ sink: MuxerSink, isLive: Bool
    ) {
        // Without this flag, each file would get a random identifier, and two runs would not give equal bytes.
        if container == .matroska || container == .webm { unsafe context.pointee.flags |= AVFMT_FLAG_BITEXACT }
        if sink.isStream {
            unsafe context.pointee.flags |= AVFMT_FLAG_FLUSH_PACKETS
            unsafe context.pointee.flush_packets = 1
        }
        // FFmpeg waits up to ten seconds for a stream without packets, such as subtitles.
        if isLive { unsafe context.pointee.max_interleave_delta = 100_000 }
    }

    deinit {
        unsafe closeSink()
        unsafe avformat_free_context(context)
        if let substitute { unsafe avformat_free_context(substitute.context) }
        if lock.withLock({ $0.publishedPath == nil }) { sink.discard() }
    }

    /// Returns whether the output has a stream of the source.
    package func copies(stream index: Int) -> Bool { places[index] != nil }

    /// True if ``begin(_:)`` was called.
    package var hasBegun: Bool { lock.withLock { $0.isDescribed } }

    /// Writes the header of a file whose video is encoded.
    /// - throws: ``MediaError`` of the codes `unsupportedInContainer`, `diskFull`, `io`.
    ///
    /// `avformat_write_header`
    package func begin(_ header: VideoHeader) throws(MediaError) {
        try begin(copiesVideo: false) { () throws(MediaError) in try add(header) }
    }

    /// Writes the header for copied video, either the whole or the parts outside encoded segments.
    ///
    /// - Parameter encoder: The encoder of the segments, after its first frame; nil if there are none.
    /// - throws: ``MediaError`` of the codes `unsupportedInContainer`, `diskFull`, `io`.
    package func begin(copying source: Demuxer, with encoder: SpliceEncoder?) throws(MediaError) {
        try begin(copiesVideo: true) { () throws(MediaError) in unsafe try addParameters(of: source, with: encoder) }
    }

    private func begin(
        copiesVideo: Bool, _ describeVideo: () throws(MediaError) -> Void
    ) throws(MediaError) {
        try lock.withLock { state throws(MediaError) in
            precondition(!state.isDescribed, "a muxer begins once")
            try describeVideo()
            if substitute != nil {
                exchangeContexts()
                try describeVideo()
                exchangeContexts()
            }
            (state.isDescribed, state.copiesVideo) = (true, copiesVideo)
            try open(&state)
        }
    }

    /// When all parameters are known, writes the header and the packets that waited for it.
    ///
    /// - Parameter isLast: Whether no more packets follow.
    private func open(_ state: inout State, isLast: Bool = false) throws(MediaError) {
        guard try describeSound(&state, mayWait: !isLast && mayWait(state)) else { return }
        try writeHeader()
        state.hasBegun = true
        for queued in state.waiting {
            if let packet = queued.packet.take() { try write(packet, &state) }
        }
        state.waiting = []
    }

    /// Writes a packet of the source or of the encoder; packets of streams that the output lacks are dropped. Packets
    /// before ``begin(_:)`` wait. Packets of the source that are too damaged for the container are dropped;
    /// ``dequeueDamage()`` reports them.
    /// - throws: ``MediaError`` of the codes `diskFull`, `io`.
    ///
    /// `av_interleaved_write_frame`
    package func write(_ packet: consuming Packet) throws(MediaError) {
        let size = packet.size
        let queued = QueuedPacket(packet)
        try lock.withLock { state throws(MediaError) in
            if !state.hasBegun {
                state.waitingSize += size
                state.waiting.append(queued)
                if state.isDescribed { try open(&state) }
            } else if let packet = queued.packet.take() {
                try write(packet, &state)
            }
        }
    }

    /// Writes the packets that wait for packets of other streams, because no more packets follow.
    /// - throws: ``MediaError`` of the codes `diskFull`, `io`.
    package func flush() throws(MediaError) {
        try lock.withLock { state throws(MediaError) in
            if state.isDescribed, !state.hasBegun { try open(&state, isLast: true) }
            if state.hasBegun, !state.isComplete { try flush(&state) }
        }
    }

    /// The maximum difference between frames' times and the times at which they are shown, in seconds, for containers
    /// that only number frames; nil if there is none.
    package var displacement: Double? {
        lock.withLock { state in
            guard state.hasBegun else { return nil }
            let duration = unsafe Rational(context.pointee.streams[videoPlace]!.pointee.time_base).value
            return state.displacement.seconds(ofFrames: duration)
        }
    }

    /// Returns the dropped packets of copied streams since the last call.
    package func dequeueDamage() -> [DecodingDamage] {
        lock.withLock { state in
            defer { state.damage = [] }
            return state.damage
        }
    }

    /// Writes the remaining packets and the index, and gives the file its final name.
    ///
    /// This function can be called at any time after ``begin(_:)``, so that an interrupted run leaves a playable file.
    ///
    /// - Parameter isPart: Whether the file's name states that it is incomplete; see
    ///   ``TemporaryFile/publishPart(_:of:overwrite:)``.
    /// - Returns: The final name of a file; for other outputs the path.
    /// - throws: ``MediaError`` of the codes `diskFull`, `io`, `unwritable`, `internal`.
    @discardableResult
    package func finish(asPart isPart: Bool = false) throws(MediaError) -> String {
        try complete()
        if !isPart, memory.isSome { throw .refusedMemory(path) }
        return try lock.withLock { state throws(MediaError) in
            if state.publishedPath == nil {
                state.publishedPath = try sink.publish(as: path, isPart: isPart, overwrite: overwrite)
            }
            return state.publishedPath ?? path
        }
    }

    /// Writes the remaining packets and the index. The file keeps its temporary name.
    ///
    /// - Returns: The temporary name; nil for other outputs than files.
    /// - throws: ``MediaError`` of the codes `diskFull`, `io`, `internal`.
    ///
    /// `av_write_trailer`
    @discardableResult
    package func complete() throws(MediaError) -> String? {
        try lock.withLock { state throws(MediaError) in
            guard state.isDescribed else {
                throw MediaError(
                    .damaged, file: path, "\(path): nothing was written, since the video has no frames")
            }
            guard !state.isComplete else { return }
            if !state.hasBegun { try open(&state, isLast: true) }
            try flush(&state)
            watch.begin()
            var status = unsafe av_write_trailer(context)
            let isSound = isSinkSound
            let closing = unsafe closeSink()
            if status >= 0 { status = closing }
            if status < 0 { throw failed(status, state, isSinkSound: isSound) }
            if case .file(let temporary) = sink {
                if state.copiesVideo { try hideEnd(state.hidden, in: temporary) } else { try checkIndex(of: temporary) }
            }
            state.isComplete = true
        }
        return if case .file(let temporary) = sink { temporary } else { nil }
    }

    private func write(_ packet: consuming Packet, _ state: inout State) throws(MediaError) {
        let index = packet.streamIndex
        guard let place = places[index] else {
            if let known = sourceInventory?.streams.count, index >= known {
                state.unplanned[index, default: StreamTally()].add(packet)
            }
            return
        }
        let av = unsafe packet.av.pointer
        let stream = unsafe context.pointee.streams[place]!
        let time = packet.presentationTime ?? packet.decodingTime
        if place != videoPlace {
            let type = unsafe stream.pointee.codecpar.pointee.codec_type
            switch state.hidden.classify(
                packet, isSound: type == AVMEDIA_TYPE_AUDIO, hidesBeginning: container.hidesPictures)
            {
            case .kept: break
            case .hidden: return
            case .undecodable:
                let detail = "packets that depend on data before the cut were dropped"
                return state.damage.append(DecodingDamage(kind: .notCopied, time: time, detail: detail))
            }
        }
        if let refusal = changedFormat(packet, &state) {
            return state.damage.append(DecodingDamage(kind: .notCopied, time: time, detail: refusal))
        }
        if sourceInventory != nil { state.offered.add(packet) }
        unsafe rescale(av, to: stream.pointee.time_base)
        if startsAtOnce { unsafe moveToStart(av) }
        unsafe compensateCodecDelay(av, stream)
        unsafe av.pointee.time_base = stream.pointee.time_base
        unsafe av.pointee.stream_index = Int32(place)
        unsafe av.pointee.pos = -1
        let before = state.lastDecodingTimes[place]
        unsafe keepOrder(av, last: &state.lastDecodingTimes[place])
        let timeBase = unsafe Rational(stream.pointee.time_base)
        if place == videoPlace { unsafe state.hidden.add(video: av) }
        if let now = state.lastDecodingTimes[place] {
            if let before { state.leap.record(from: before, to: now, timeBase) }
            let end = now.addingReportingOverflow(unsafe av.pointee.duration).partialValue
            for other in [end, unsafe av.pointee.pts] where other != cffmpeg_no_pts {
                state.leap.record(from: now, to: other, timeBase)
            }
        }
        if place == videoPlace, container.countsFrames, let time {
            let ticks = unsafe packet.presentationTime == nil ? av.pointee.dts : av.pointee.pts
            let number = container == .avi ? ticks : Int64(state.encodedCount)
            state.displacement.record(time.seconds, shown: Double(number) * timeBase.value)
        }
        watch.begin()
        let status = unsafe av_interleaved_write_frame(context, av)
        ProgressHeartbeat.record()
        if place == videoPlace { state.encodedCount += 1 }
        if status < 0 {
            let name = unsafe String(cString: avcodec_get_name(stream.pointee.codecpar.pointee.codec_id))
            try exclude(status, place == videoPlace ? "other" : name, time, &state)
        }
    }

    private func flush(_ state: inout State) throws(MediaError) {
        guard isCopying else { return }
        while true {
            watch.begin()
            // Each failure removes the packet that failed.
            let status = unsafe av_interleaved_write_frame(context, nil)
            if status >= 0 { break }
            try exclude(status, "other", nil, &state)
        }
        if let refusal = state.refusal, writtenCount < state.encodedCount {
            throw failed(refusal, state, isSinkSound: isSinkSound)
        }
    }

    /// True if frames of the source are copied.
    var copiesVideo: Bool { lock.withLock { $0.copiesVideo } }
}

/// Encodes frames and writes the packets.
///
/// The first frame opens the encoder and begins the file. Used by one thread at a time.
package struct VideoWriter: Sendable {
    package let encoder: VideoEncoder
    package let muxer: Muxer

    package init(encoder: VideoEncoder, muxer: Muxer) {
        self.encoder = encoder
        self.muxer = muxer
    }

    /// Encodes a frame, and writes the packets that are ready.
    package func write(_ frame: consuming VideoFrame) throws(MediaError) {
        try send(frame)
        try drain()
    }

    /// Writes the remaining packets of the encoder.
    package func finish() throws(MediaError) {
        try encoder.finish()
        try drain()
    }

    private func send(_ frame: consuming VideoFrame) throws(MediaError) {
        try encoder.send(frame)
        if !muxer.hasBegun { try muxer.begin(encoder.header()) }
    }

    private func drain() throws(MediaError) {
        while let packet = try encoder.receive() { try muxer.write(packet) }
    }
}
