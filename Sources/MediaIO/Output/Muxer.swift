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
package final class Muxer: @unchecked Sendable {
    /// The choices for an output.
    package struct Options: Sendable {
        /// True if a file that has the final name at the end is replaced.
        package var overwrite: Bool
        /// The container; nil for the path's or the protocol's.
        package var format: ContainerFormat?
        /// The longest time that a write to the network may take, in seconds; unlimited if nil.
        package var timeout: Double?
        /// True if packets are sent at once, even if another stream has no packet yet.
        package var isLive = false
        /// True if times are rounded down to the container's ticks rather than to the nearest. No picture is then later
        /// than the picture that it overlays.
        package var roundsTimesDown = false
        /// True if the header of a streamed MP4 waits for the first group of pictures and states their times. Without
        /// these times, browsers read one second of the video before they play it.
        package var opensWithPictures = false
        /// True if ``Muxer/add(_:)`` may add chapters at the end of the file. The source's chapters wait for it.
        package var addsChapters = false

        package init(overwrite: Bool = false, format: ContainerFormat? = nil) {
            (self.overwrite, self.format) = (overwrite, format)
        }
    }

    let target: OutputTarget
    package var path: String { target.path }
    package var container: ContainerFormat { target.container }
    /// See ``Options/addsChapters``.
    package var addsChapters: Bool { target.options.addsChapters }
    /// True if chapters can be added after the last packet.
    package var holdsAddedChapters: Bool { target.holdsAddedChapters }
    /// The streams that the container cannot hold.
    package let skippedStreams: [SkippedStream]

    var layout: OutputLayout
    /// The sound whose first packet must arrive before the header is written.
    let late: [LateSound]
    /// The output without late sound, in case no packet of that sound arrives; nil if there is no late sound.
    var substitute: OutputLayout?
    /// The limits with which the output is read again: the source's.
    let limits: InputSettings
    private let memory: RefusedMemory
    let lock = Mutex(State())

    /// True if all streams except the video are copied from another file. Damage in these streams is then no error of
    /// this file.
    private var isCopying: Bool { layout.inventory != nil }

    /// The muxer's mutable state.
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
        var sound = SoundFormats()
        /// The copied packets of the source, without those that are left out intentionally or reported as damage.
        var offered = StreamTallies()
        /// The packets of streams that appeared after the output was laid out.
        var unplanned: [Int: StreamTally] = [:]
        /// The dropped packets, until the caller dequeues them.
        var damage: [DecodingDamage] = []
        /// FFmpeg's code for the first dropped packet.
        var refusal: Int32?

        mutating func drop(at time: MediaTime?, _ detail: String) {
            damage.append(DecodingDamage(kind: .notCopied, time: time, detail: detail))
        }
    }

    /// Creates the temporary file, or opens the pipe, device or connection.
    ///
    /// - Parameters:
    ///   - path: A ``MediaAddress``.
    ///   - source: The demuxer whose other streams, chapters and metadata are copied; nil for none.
    ///   - audio: The encoder of a sound track, if there is no source.
    ///   - memory: Detects whether memory was refused since the object was created; by default since this call.
    ///   - interrupt: Ends the wait for a connection, or for a named pipe's reader; later calls ignore it.
    /// - throws: ``MediaError`` of the codes `unknownOutputFormat`, `unwritable`, `diskFull`, `timedOut`,
    ///   `interrupted`, `internal`.
    package init(
        path: String, _ options: Options = Options(), copying source: Demuxer? = nil, audio: AudioEncoder? = nil,
        memory: RefusedMemory = RefusedMemory(), interrupt: InterruptFlag? = nil
    ) throws(MediaError) {
        MediaLog.prepare()
        let target = try OutputTarget(path, options, copying: source, interrupt: interrupt)
        do throws(MediaError) {
            layout = try OutputLayout(target, copying: source, audio: audio)
            target.watch.begin()
            let status = target.sink.openFile(of: layout.context, target.watch)
            if status < 0 { throw target.unopened(status) }
            target.watch.ignoreInterrupt()
        } catch {
            target.sink.discard()
            throw error
        }
        self.target = target
        self.memory = memory
        limits = source?.limits ?? InputSettings()
        skippedStreams = layout.skipped
        late = source.map(layout.lateSound) ?? []
        if let source, !late.isEmpty { substitute = try OutputLayout(target, copying: source, omitting: late) }
    }

    deinit {
        layout.context.closeFile()
        if lock.withLock({ $0.publishedPath == nil }) { target.sink.discard() }
    }

    /// The index of the video in the output.
    package var videoPlace: Int { layout.videoPlace }

    /// Returns whether the output has a stream of the source.
    package func copies(stream index: Int) -> Bool { layout.places[index] != nil }

    /// True if ``begin(_:)`` was called.
    package var hasBegun: Bool { lock.withLock { $0.isDescribed } }

    /// Writes the header of a file whose video is encoded.
    /// - throws: ``MediaError`` of the codes `unsupportedInContainer`, `diskFull`, `io`.
    ///
    /// `avformat_write_header`
    package func begin(_ header: VideoHeader) throws(MediaError) {
        try begin(copiesVideo: false) { layout throws(MediaError) in try layout.describeVideo(header) }
    }

    /// Writes the header for copied video, either the whole or the parts outside encoded segments.
    ///
    /// - Parameter encoder: The encoder of the segments, after its first frame; nil if there are none.
    /// - throws: ``MediaError`` of the codes `unsupportedInContainer`, `diskFull`, `io`.
    package func begin(copying source: Demuxer, with encoder: SpliceEncoder?) throws(MediaError) {
        try begin(copiesVideo: true) { layout throws(MediaError) in
            try layout.describeVideo(copiedFrom: source, with: encoder)
        }
    }

    private func begin(
        copiesVideo: Bool, _ describeVideo: (OutputLayout) throws(MediaError) -> Void
    ) throws(MediaError) {
        try lock.withLock { state throws(MediaError) in
            precondition(!state.isDescribed, "a muxer begins once")
            try describeVideo(layout)
            if let substitute { try describeVideo(substitute) }
            (state.isDescribed, state.copiesVideo) = (true, copiesVideo)
            try open(&state)
        }
    }

    /// When all parameters are known, writes the header and the packets that waited for it.
    ///
    /// - Parameter isLast: Whether no more packets follow.
    private func open(_ state: inout State, isLast: Bool = false) throws(MediaError) {
        guard try describeSound(&state, mayWait: !isLast && mayWait(state)) else { return }
        try layout.writeHeader()
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

    private func write(_ packet: consuming Packet, _ state: inout State) throws(MediaError) {
        let index = packet.streamIndex
        guard let place = layout.places[index] else {
            if let known = layout.inventory?.streams.count, index >= known {
                state.unplanned[index, default: StreamTally()].add(packet)
            }
            return
        }
        let parameters = layout.context.stream(place).parameters
        let isVideo = place == layout.videoPlace
        let time = packet.presentationTime ?? packet.decodingTime
        if !isVideo {
            let isSound = parameters.codec_type == AVMEDIA_TYPE_AUDIO
            switch state.hidden.classify(packet, isSound: isSound, hidesBeginning: container.hidesPictures) {
            case .kept: break
            case .hidden: return
            case .undecodable: return state.drop(at: time, "packets that depend on data before the cut were dropped")
            }
        }
        if let family = layout.inventory?.streams[index].soundHeaders,
            let refusal = state.sound.refusal(of: packet, family, in: container)
        {
            return state.drop(at: time, refusal)
        }
        if isCopying { state.offered.add(packet) }
        let last = state.lastDecodingTimes[place]
        layout.move(packet, to: place, after: &state.lastDecodingTimes[place])
        if isVideo { state.hidden.add(video: packet) }
        if let now = state.lastDecodingTimes[place] { state.leap.record(packet, after: last, at: now) }
        if isVideo, container.countsFrames, let time {
            let ticks = packet.presentationTime?.value ?? packet.av.dts
            let number = container == .avi ? ticks : Int64(state.encodedCount)
            state.displacement.record(time.seconds, shown: Double(number) * packet.timeBase.value)
        }
        target.watch.begin()
        let status = layout.context.write(packet.av)
        ProgressHeartbeat.record()
        if isVideo { state.encodedCount += 1 }
        if status < 0 { try exclude(status, isVideo ? "other" : parameters.codecName, time, &state) }
    }

    /// Writes the packets that wait for packets of other streams, because no more packets follow.
    /// - throws: ``MediaError`` of the codes `diskFull`, `io`.
    package func flush() throws(MediaError) {
        try lock.withLock { state throws(MediaError) in
            if state.isDescribed, !state.hasBegun { try open(&state, isLast: true) }
            if state.hasBegun, !state.isComplete { try flush(&state) }
        }
    }

    private func flush(_ state: inout State) throws(MediaError) {
        guard isCopying else { return }
        while true {
            target.watch.begin()
            // Each failure removes the packet that failed.
            let status = layout.context.writeWaiting()
            if status >= 0 { break }
            try exclude(status, "other", nil, &state)
        }
        if let refusal = state.refusal, writtenCount < state.encodedCount {
            throw failed(refusal, state, isSinkSound: isSinkSound)
        }
    }

    /// Drops a packet that libavformat rejects as damaged; throws other errors.
    ///
    /// The rejected packet is not necessarily the last one passed to libavformat, which interleaves packets. So it is
    /// known only at the end whether all of the encoder's packets were written. The error is thrown earlier if none of
    /// the first ``unwrittenLimit`` packets was.
    private func exclude(
        _ status: Int32, _ name: String, _ time: MediaTime?, _ state: inout State
    ) throws(MediaError) {
        guard isCopying, layout.places.count > 1, Self.refusals.contains(status), isSinkSound,
            state.encodedCount < Self.unwrittenLimit || writtenCount > 0
        else { throw failed(status, state, isSinkSound: isSinkSound) }
        state.refusal = state.refusal ?? status
        state.drop(at: time, "\(name) data that could not be copied was dropped")
    }

    /// The codes for damaged packets. Such packets may be reported as unsupported features, invalid times or invalid
    /// settings.
    private static let refusals = [cffmpeg_error_invalid_data, cffmpeg_error_patch_welcome, cffmpeg_averror(EINVAL)]
    /// The number of the encoder's packets after which at least one must have been written.
    private static let unwrittenLimit = 1000

    /// Returns the error for a failed write, which may be caused by the packets.
    private func failed(_ status: Int32, _ state: State, isSinkSound: Bool) -> MediaError {
        guard Self.refusals.contains(status) else { return target.failed(status) }
        if let tooFar = state.leap.fault(in: container, path) { return tooFar }
        guard isSinkSound else { return target.failed(status) }
        if state.copiesVideo { return target.refused(status) }
        return status == cffmpeg_error_invalid_data ? target.unfit(status) : target.failed(status)
    }

    /// True if the disk or the network has reported no error, which the context stores.
    private var isSinkSound: Bool { unsafe layout.context.pb.map { unsafe $0.pointee.error >= 0 } ?? false }

    /// The number of the video's packets that were written.
    private var writtenCount: Int { Int(layout.video.nb_frames) }

    /// The maximum difference between frames' times and the times at which they are shown, in seconds, for containers
    /// that only number frames; nil if there is none.
    package var displacement: Double? {
        lock.withLock { state in
            state.hasBegun ? state.displacement.seconds(ofFrames: Rational(layout.video.time_base).value) : nil
        }
    }

    /// Returns the dropped packets of copied streams since the last call.
    package func dequeueDamage() -> [DecodingDamage] {
        lock.withLock { state in
            defer { state.damage = [] }
            return state.damage
        }
    }

    /// Adds chapters to those of the source, in the order of their starts. In MP4 and QuickTime, a chapter at 0 precedes
    /// them if none begins there. Must be called after ``begin(_:)`` and before
    /// ``complete()``, of a muxer that was created for added chapters.
    ///
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    package func add(_ chapters: [Chapter]) throws(MediaError) {
        guard holdsAddedChapters, !chapters.isEmpty else { return }
        precondition(addsChapters, "the source's chapters are already written")
        try lock.withLock { _ throws(MediaError) in try layout.add(chapters) }
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
            if let published = state.publishedPath { return published }
            let published = try target.sink.publish(as: path, isPart: isPart, overwrite: target.options.overwrite)
            state.publishedPath = published
            return published
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
        let temporary = target.sink.temporaryFile
        try lock.withLock { state throws(MediaError) in
            guard state.isDescribed else {
                throw MediaError(
                    .damaged, file: path, "\(path): nothing was written, since the video has no frames")
            }
            guard !state.isComplete else { return }
            if !state.hasBegun { try open(&state, isLast: true) }
            try flush(&state)
            target.watch.begin()
            var status = layout.context.writeTrailer()
            let isSound = isSinkSound
            let closing = layout.context.closeFile()
            if status >= 0 { status = closing }
            if status < 0 { throw failed(status, state, isSinkSound: isSound) }
            if let temporary {
                if state.copiesVideo { try hideEnd(state.hidden, in: temporary) } else { try checkIndex(of: temporary) }
            }
            state.isComplete = true
        }
        return temporary
    }

    /// Hides pictures at the end that were copied as references only.
    private func hideEnd(_ hidden: HiddenPackets, in file: String) throws(MediaError) {
        let (id, timeBase) = (UInt32(layout.videoPlace + 1), Rational(layout.video.time_base))
        guard container.hidesPictures, let track = hidden.trackWithHiddenEnd(id: id, timeBase: timeBase) else { return }
        guard try MP4EditList.hideEnd(of: track, in: file) else { throw target.unfit(cffmpeg_error_invalid_data) }
    }

    /// Checks that the index of an MP4 or QuickTime file describes everything that was written.
    ///
    /// - throws: ``MediaError`` of the code `internal`.
    private func checkIndex(of file: String) throws(MediaError) {
        guard target.isMP4, !MP4IndexCheck(of: layout).passes(file) else { return }
        throw MediaError(
            .internal, file: path, "\(path): the output cannot be read back; memory may have run out; try again")
    }
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
        try encoder.send(frame)
        if !muxer.hasBegun { try muxer.begin(encoder.header()) }
        try drain()
    }

    /// Writes the remaining packets of the encoder.
    package func finish() throws(MediaError) {
        try encoder.finish()
        try drain()
    }

    private func drain() throws(MediaError) {
        while let packet = try encoder.receive() { try muxer.write(packet) }
    }
}
