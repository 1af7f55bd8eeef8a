internal import CFFmpeg
import Platform

/// Reads a media file packet by packet.
///
/// A demuxer is used by one thread at a time; it may move between threads. The file is closed when the demuxer is
/// released.
///
/// `AVFormatContext`
@safe
package final class Demuxer: @unchecked Sendable {
    /// The path as the caller passed it.
    package let path: String
    /// The file, if the input is a regular one.
    let file: OpenFile?
    package let streams: [StreamInfo]
    /// The video stream to decode, or the only picture of an image file.
    package internal(set) var video: VideoStreamInfo
    /// FFmpeg's short name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`.
    package let formatName: String
    package let metadata: [String: String]
    package let chapters: [Chapter]
    /// The file's start time, if it is known. Live inputs begin at 0.
    package private(set) var startTime: MediaTime?
    package private(set) var duration: MediaTime?
    /// The reason why reading stopped before the end of the recording, once ``readPacket()`` has returned nil; nil for
    /// a complete recording.
    package private(set) var endedEarly: MediaError?
    /// All faults of the container so far.
    package var faults: [MediaError] { [passedOver, formatChange, endedEarly].compactMap(\.self) }
    /// The changes of the format of copied streams so far, as one error; nil if there are none.
    package var formatChange: MediaError? {
        formats.error(path, offset: (shift ?? .zero) - (startTime ?? .zero))
    }
    private var formats = FormatChanges()
    /// Not private, since ``seek(to:)`` resets it.
    var indexedSound = IndexedSoundClock()
    /// The warning about a frame rate that neither the file nor the caller states; nil if one does.
    private(set) var assumedRate: String?
    private var checksRate = false
    /// The number of the pictures so far that precede the start of ``video``. They usually refer to pictures before the
    /// recording, and exist in copies only.
    package private(set) var leadingCount = 0
    /// The packets that were read so far.
    private(set) var tallies = StreamTallies()
    /// The damaged parts of the container that FFmpeg has skipped so far, as one error; nil if there are none.
    package var passedOver: MediaError? { warnings.error(path) }
    let warnings: DemuxerWarnings
    /// The reasons why streams cannot be copied although packets of them are read, by stream.
    let misreadStreams: [Int: String]

    /// The end of the last packet's content, in seconds of the file's own clock.
    private var lastEnd = 0.0
    /// The end of the last packet in the file, in bytes.
    private var lastByte: Int64 = 0
    private var hasRead = false

    private(set) var context: UnsafeMutablePointer<AVFormatContext>
    /// The video in ``context``. Other threads may read its header, but not the list of streams: FFmpeg reallocates that
    /// while packets are read, if a new stream appears.
    private(set) var videoStream: UnsafeMutablePointer<AVStream>
    /// See ``InputSettings/maxPixels``.
    package let maxPixels: Int
    let maxCodedPixels: Int
    let watch: IOWatch
    private let source: StreamSource?
    /// Repairs time stamps of inputs whose clock may be set back midway. Not private, since ``seek(to:)`` resets it.
    var timestampRepair: TimestampRepair?
    /// Detects forward leaps of the clock in files. Not private, since ``seek(to:)`` resets it.
    var leaps: ForwardLeaps?
    /// The time that the next packet is to have; nil once a packet has determined ``shift``.
    private var continuation: MediaTime?
    /// The offset of the times of each stream, in its ticks, after the input was cut and FFmpeg's demuxer restarted.
    /// See ``FragmentClock``.
    private var offsets: [Int64] = []
    /// Detects joined segments of transport streams, whose restarting counters FFmpeg reports as damage.
    private var joints: TransportJoints?
    /// The position that the NUT demuxer sees in an input without seeking; nil for other inputs.
    private var streamPlace: StreamPlace?
    /// The packets that were read while the input was opened. Not private, since ``seek(to:)`` drops them.
    var early: ArraySlice<QueuedPacket>
    /// True if reading ended during the search for the first picture.
    var hasFailedEarly = false
    /// The only stream that is read; all if nil.
    var onlyStream: Int?
    /// True if the clock leaps forward midway; nil before all packets were read once.
    var knownLeaps: Bool?
    /// The clocks of sound whose parameters were unknown when the input was opened, by stream index.
    private var soundClocks: [Int: SoundClock]
    /// Joins hidden frames that have packets of their own. Not private, since ``seek(to:)`` resets it: the shown frame
    /// of waiting hidden frames is not read after a seek.
    var joiner: HiddenFrameJoiner?
    /// The duration that is added to the times of all packets; nil for none.
    private(set) var shift: MediaTime?
    /// The trim range; nil for the whole input. Packets' times count from its start.
    package let trim: TrimRange?
    private var cutter: TrimFilter?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: A ``MediaAddress``. Only the addressed file or URL is opened, with its protocol and the protocols
    ///     below it: see ``NetworkProtocol/whitelist``.
    ///   - interrupt: A flag that ends blocking calls.
    /// - throws: ``MediaError`` of the codes `notFound`, `unreadable`, `isDirectory`, `empty`, `notMedia`, `damaged`,
    ///   `noVideo`, `tooLarge`, `invalidSettings`, `interrupted`, `timedOut`, `io`.
    package init(
        path: String, settings: InputSettings = InputSettings(), interrupt: InterruptFlag? = nil
    ) throws(MediaError) {
        MediaLog.prepare()
        try MediaLibraries.check(path)
        let address = MediaAddress(path)
        let watch = IOWatch(interrupt: interrupt, timeout: settings.timeout, stall: settings.stall)
        let file = try Self.openFile(address, path, settings)
        var source = try StreamSource.reading(address, path, watch)
        if let file, try Self.isReadAlone(file, path, settings) { source = try StreamSource(file, path, watch) }
        let warnings = DemuxerWarnings()
        let opened = unsafe try Self.open(path, file, settings, watch, from: &source, warnings)
        let index: Int
        do throws(MediaError) {
            soundClocks = unsafe Self.soundClocks(opened)
            early = file != nil ? [] : unsafe try Self.awaitSound(opened, soundClocks, watch)[...]
            index = unsafe try Self.chooseVideo(in: opened, settings.videoStream, path: path)
            unsafe try Self.checkSize(
                of: opened.pointee.streams[index]!, path: path, maxPixels: settings.maxPixels)
        } catch {
            var closing: UnsafeMutablePointer<AVFormatContext>? = unsafe opened
            unsafe avformat_close_input(&closing)
            // FFmpeg calls these objects until the file is closed.
            withExtendedLifetime((watch, source, warnings)) {}
            throw error
        }
        warnings.collect(before: nil)
        self.warnings = warnings
        self.path = path
        self.file = file
        maxPixels = settings.maxPixels
        maxCodedPixels = settings.maxCodedPixels
        self.watch = watch
        self.source = source
        unsafe context = unsafe opened
        unsafe videoStream = unsafe opened.pointee.streams[index]!
        streams = unsafe Self.describeStreams(opened, unread: warnings.unread)
        misreadStreams = unsafe Self.misreadSound(
            opened, streams, file: file)
        var video = unsafe Self.describeVideo(opened, index)
        formatName = unsafe String(cString: opened.pointee.iformat.pointee.name)
        let canGoBack = unsafe opened.pointee.pb.map { unsafe $0.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0 } ?? true
        streamPlace = formatName == "nut" && !canGoBack ? StreamPlace() : nil
        // The clocks of these inputs may be set back: a restarted publisher begins at 0 again.
        let mayStartAnew =
            unsafe opened.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
            || formatName == "flv" || address.isJoined
        // Decoding times of transport streams never decrease, so half a second back is a new clock. In other formats,
        // they are partly guesses, so it is one second.
        let leap = MediaTime(value: formatName == "mpegts" ? 1 : 2, timeBase: Rational(1, 2))
        timestampRepair = mayStartAnew ? TimestampRepair(leap: leap) : nil
        metadata = unsafe Self.dictionary(opened.pointee.metadata)
        chapters = unsafe Self.describeChapters(opened)
        let start = unsafe Self.microseconds(opened.pointee.start_time)
        if address.isJoined || formatName == "hls" {
            // A camera's clock may have run for days; the output would begin with a gap of that length.
            startTime = .zero
            if let start { shift = .zero - start } else { continuation = .zero }
            video.startTime = video.startTime.map { $0 - (start ?? $0) }
        } else if let start, start < .zero, unsafe opened.pointee.streams[index]!.pointee.pts_wrap_bits == 33 {
            // If MPEG's clock wraps around within the first minute, FFmpeg gives earlier packets negative times. In
            // other formats, content at negative times is cut off.
            startTime = .zero
            shift = .zero - start
            video.startTime = video.startTime.map { $0 - start }
        } else {
            startTime = start
        }
        // For fragments through a pipe, FFmpeg reports the first fragment's duration as the duration of the whole
        // input.
        let isEndless = source?.isFragmented == true
        duration = isEndless ? nil : unsafe Self.microseconds(opened.pointee.duration)
        if isEndless { video.duration = nil }
        trim = settings.trim
        checksRate = settings.frameRate == nil && RawFrameRate.isRaw(formatName)
        self.video = video
        joiner = HiddenFrameJoiner(codec: video.codec)
        // Gaps are closed in files only, where they mean that the recorder lost its signal. The pause of a live camera
        // is real.
        if file != nil, ["mpegts", "mpeg", "hls"].contains(formatName) {
            leaps = ForwardLeaps(streams, video: video.index)
        }
        if formatName == "mpegts", let file {
            joints = TransportJoints(file: file)
        } else if formatName == "mpegts", let source, source.recent != nil {
            joints = TransportJoints(stream: source)
        } else {
            source?.forgetRecent()
        }
        if file != nil || trim != nil && !address.isJoined { try findOrigin() }
        if let trim {
            if address.isJoined {
                throw MediaError(
                    .invalidSettings, file: path,
                    "\(path): only recordings can be trimmed; remove start and end")
            }
            try cut(trim)
        }
    }

    /// Restricts all further reading to a part of the recording.
    private func cut(_ trim: TrimRange) throws(MediaError) {
        let begin = (video.startTime ?? startTime ?? .zero) + MediaTime(seconds: trim.start)
        // Only a file's duration is compared, since a pipe may state only the duration of its first part.
        if file != nil, let duration, trim.start > 0, trim.start >= duration.seconds {
            throw MediaError(
                .invalidSettings, file: path,
                "\(path): the start, \(Self.text(trim.start)) s, is after the end of the video, \(Self.text(duration.seconds)) s"
            )
        }
        if trim.start > 0, file != nil {
            let target = begin - (shift ?? .zero)
            if unsafe Self.seek(context, stream: video.index, to: target, preroll: trim.preroll) {
                (early, hasFailedEarly) = ([], false)
            }
        }
        shift = (shift ?? .zero) - begin
        cutter = TrimFilter(trim, streams: streams, video: video.index)
        startTime = .zero
        video.startTime = .zero
        let rest = duration.map { $0 - MediaTime(seconds: trim.start) }.flatMap { $0 > .zero ? $0 : nil }
        duration = [trim.length, rest].compactMap(\.self).min()
        video.duration = duration
    }

    deinit {
        var closing: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&closing)
    }

    /// Returns the next packet of any stream in the file's order; nil at the end.
    ///
    /// Truncated files end without an error, like others; ``endedEarly`` then states the reason.
    /// - throws: ``MediaError`` of the codes `interrupted` and `timedOut`, and `damaged` if there is no memory for the
    ///   packet.
    ///
    /// `av_read_frame`
    package func readPacket() throws(MediaError) -> Packet? {
        while let packet = try readMoved() {
            if let onlyStream, packet.streamIndex != onlyStream { continue }
            switch cutter?.classify(packet) {
            case .kept, nil:
                tallies.add(packet)
                if isLeading(packet) { leadingCount += 1 }
                return packet
            case .dropped: continue
            case .last: return nil
            }
        }
        return nil
    }

    /// Returns the next packet with its final times.
    private func readMoved() throws(MediaError) -> Packet? {
        guard let packet = try readSteady() else { return nil }
        hasRead = true
        // For some codecs, AVI has only decoding times.
        if let time = packet.presentationTime ?? packet.decodingTime {
            lastEnd = max(lastEnd, time.seconds + (packet.duration?.seconds ?? 0))
        }
        repair(packet)
        move(packet)
        warnings.collect(before: (packet.presentationTime ?? packet.decodingTime)?.seconds)
        return packet
    }

    /// Returns the next packet with the file's own times, once it is known whether the clock leaps forward before it.
    private func readSteady() throws(MediaError) -> Packet? {
        guard leaps != nil else { return try readJoined() }
        while true {
            if let packet = leaps?.next() { return packet }
            if let packet = try readJoined() {
                if let packet = leaps?.add(packet) { return packet }
            } else if leaps?.finish() != true {
                return nil
            }
        }
    }

    /// Returns the next packet with the file's own times; each packet of the video shows one picture.
    private func readJoined() throws(MediaError) -> Packet? {
        while let packet = try readQueuedOrNext() {
            guard joiner != nil, packet.streamIndex == video.index else { return packet }
            if let joined = try joiner?.add(packet) { return joined }
        }
        return nil
    }

    /// Returns the next queued packet, or the next one of the file.
    private func readQueuedOrNext() throws(MediaError) -> Packet? {
        if let queued = early.popFirst() { return queued.packet.take() }
        return hasFailedEarly ? nil : try readNext()
    }

    /// Returns the next packet as it is in the file, of those that can be decoded or copied.
    func readNext() throws(MediaError) -> Packet? {
        while let packet = try readAny() {
            if packet.isEncrypted { throw .encrypted(path) }
            if isTorn(packet) {
                hasRead = true
                endedEarly = MediaError(
                    .damaged, file: path, "\(path): breaks off within a frame, at \(Self.text(lastEnd)) s")
                return nil
            }
            let stream = unsafe context.pointee.streams[packet.streamIndex]!
            if checksRate {
                checksRate = false
                if unsafe !RawFrameRate.isStated(in: packet, codec: stream.pointee.codecpar.pointee.codec_id) {
                    let rate = Self.text(video.averageFrameRate.value)
                    assumedRate = "\(path): states no frame rate; \(rate) frames a second are assumed (set --framerate)"
                }
            }
            if unsafe formats.accept(packet, of: stream, recordsEnd: joints != nil) { return packet }
        }
        return nil
    }

    /// Returns whether the end of the file cuts a packet off. FFmpeg returns such a packet with the bytes that exist.
    private func isTorn(_ packet: borrowing Packet) -> Bool {
        guard packet.isCorrupt, formatName.hasPrefix("mov"), let io = unsafe context.pointee.pb else { return false }
        return unsafe io.pointee.eof_reached != 0
    }

    private func readAny() throws(MediaError) -> Packet? {
        try watch.check(path)
        watch.begin()
        let packet = try PacketHandle(file: path)
        var status: Int32 = 0
        repeat {
            status = unsafe av_read_frame(context, packet.pointer)
            if status == cffmpeg_error_eof, let source, source.isCut { status = restart(with: source) }
        } while status == cffmpeg_error_eagain && !watch.mustEnd
        // For NUT, FFmpeg returns the beginning of a packet within which reading was interrupted as a whole one.
        try watch.check(path)
        if status < 0 {
            // A lack of memory is not the end of the recording.
            if status == cffmpeg_error_exit || status == cffmpeg_error_enomem { throw .reading(path, status: status) }
            if status == cffmpeg_error_eof, let joints { unsafe formats.finish(joints, context) }
            let isSound = unsafe context.pointee.pb.map { unsafe $0.pointee.error >= 0 } ?? false
            endedEarly =
                status == cffmpeg_error_eof || endsAfterBoundary(status)
                ? missingEnd() : .reading(path, status: status, isSound: isSound)
            return nil
        }
        let place = Int(packet.stream_index)
        packet.time_base = unsafe context.pointee.streams[place]!.pointee.time_base
        lastByte = packet.pos + Int64(packet.size)
        let owned = Packet(packet)
        if !soundClocks.isEmpty { soundClocks[place]?.add(owned) }
        if formatName == "avi", place != video.index { indexedSound.correct(owned) }
        if place < offsets.count, offsets[place] != 0 { owned.move(by: offsets[place]) }
        if streamPlace != nil { forgetPlace(owned) }
        if let joints, owned.isCorrupt, place == video.index {
            let position = owned.av.pos
            if position >= 0, joints.isJoint(at: position) { owned.av.flags &= ~AV_PKT_FLAG_CORRUPT }
        }
        return owned
    }

    /// Continues with a context that has no state from earlier packets: see ``FragmentCut``.
    ///
    /// - Returns: FFmpeg's code: `EAGAIN` if there is more, or an error.
    private func restart(with source: StreamSource) -> Int32 {
        source.restart()
        guard let fresh = unsafe Self.openAgain(like: context, from: source, watch) else {
            return cffmpeg_error_invalid_data
        }
        var closing: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe context = unsafe fresh
        unsafe videoStream = unsafe fresh.pointee.streams[video.index]!
        unsafe warnings.attach(to: fresh)
        unsafe avformat_close_input(&closing)
        // The sound clocks refer to the streams of the old context.
        soundClocks = [:]
        offsets = unsafe (0..<Int(fresh.pointee.nb_streams)).map { index in
            source.offset(ofTrack: unsafe fresh.pointee.streams[index]!.pointee.id)
        }
        return cffmpeg_error_eagain
    }

    /// Sets the position that FFmpeg assumes in the input: see ``StreamPlace``.
    private func forgetPlace(_ packet: borrowing Packet) {
        guard let io = unsafe context.pointee.pb else { return }
        let ahead = unsafe Int64(io.pointee.buf_end - io.pointee.buf_ptr)
        let place = unsafe streamPlace?.behind(
            io.pointee.pos - ahead, stream: packet.streamIndex, isKey: packet.isKeyFrame)
        if let place { unsafe io.pointee.pos = place + ahead }
    }

    /// Returns whether an error is only the end of a stream of separate JPEG pictures. FFmpeg's demuxer expects a
    /// header after each picture, and reports the missing header at the end as invalid data.
    ///
    /// `mpjpeg_read_packet`
    private func endsAfterBoundary(_ status: Int32) -> Bool {
        guard status == cffmpeg_error_invalid_data, formatName == "mpjpeg", let io = unsafe context.pointee.pb else {
            return false
        }
        return unsafe io.pointee.eof_reached != 0 && io.pointee.error >= 0
    }

    /// Returns the error for a file that ends before the duration in its header, or within a frame; nil if it is
    /// complete.
    ///
    /// FFmpeg reports no error if a file of Matroska or another format is truncated between two packets.
    private func missingEnd() -> MediaError? {
        if hasRead, formatName == "yuv4mpegpipe", let pb = unsafe context.pointee.pb, unsafe avio_tell(pb) > lastByte {
            return MediaError(.damaged, file: path, "\(path): is truncated within a frame, at \(Self.text(lastEnd)) s")
        }
        guard unsafe context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM,
            unsafe context.pointee.duration > 0
        else { return nil }
        // Text and data may pause after their last packet, so pictures and sound count where their durations are known.
        let dense = streams.filter { $0.kind == .video && !$0.isAttachedPicture || $0.kind == .audio }
            .compactMap { $0.duration?.seconds }
        let announced = unsafe dense.max() ?? Double(context.pointee.duration) / Double(AV_TIME_BASE)
        guard lastEnd < announced - Self.tolerance else { return nil }
        return MediaError(
            .damaged, file: path, "\(path): is truncated at \(Self.text(lastEnd)) s of \(Self.text(announced)) s")
    }

    /// The assumptions and changes about the times of the input so far, in words.
    package var clockRepairs: [String] { [assumedRate].compactMap(\.self) + closedGaps }

    /// The forward leaps of the clock that were closed so far, in words.
    package var closedGaps: [String] {
        (timestampRepair?.gaps ?? []).compactMap { gap in
            let time = gap.time + (shift ?? .zero) - (startTime ?? .zero)
            // The leap is before the beginning of the trim range.
            if time < .zero { return nil }
            return "\(path): a gap of \(Self.text(gap.length.seconds)) s in the time stamps at "
                + "\(Self.text(time.seconds)) s was closed"
        }
    }

    /// The tolerance for durations in headers, in seconds.
    private static let tolerance = 0.5

    /// Returns seconds with one decimal place.
    static func text(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }

    /// True if the end of the data is the end of the recording, rather than the end of a connection.
    package var endsProperly: Bool {
        switch MediaAddress(path) {
        case .network(let scheme, _): endedEarly == nil && (scheme == .http || scheme == .https)
        default: true
        }
    }

    /// True if no picture was read because the index of an MP4 or QuickTime file is at the end. The input cannot seek
    /// back from the index to the pictures.
    package var hasIndexTooLate: Bool {
        guard formatName.hasPrefix("mov"), !hasRead, endedEarly != nil, let io = unsafe context.pointee.pb,
            unsafe io.pointee.seekable & AVIO_SEEKABLE_NORMAL == 0,
            let first = unsafe avformat_index_get_entry(videoStream, 0)
        else { return false }
        return unsafe first.pointee.pos < io.pointee.bytes_read
    }

    /// Continues the times of an earlier connection. The next packet gets this decoding time, and later packets keep
    /// their distance from it. Times are unchanged if it is nil.
    package func resume(at time: MediaTime?) { continuation = time }

    private func move(_ packet: borrowing Packet) {
        if let start = continuation, let time = packet.decodingTime ?? packet.presentationTime {
            shift = start - time
            continuation = nil
        }
        guard let shift else { return }
        packet.move(by: shift.rescaled(to: packet.timeBase).value)
    }

    private func repair(_ packet: borrowing Packet) {
        if let limit = leaps?.consumeLimit() { timestampRepair?.expectLeap(after: MediaTime(seconds: limit)) }
        guard let time = packet.decodingTime,
            let offset = timestampRepair?.offset(stream: packet.streamIndex, time: time, duration: packet.duration),
            offset.value != 0
        else { return }
        packet.move(by: offset.rescaled(to: packet.timeBase).value)
    }
}
