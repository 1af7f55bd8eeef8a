internal import CFFmpeg

/// Reads a media file packet by packet.
///
/// A demuxer is used by one thread at a time; it may move between threads. The
/// file is closed when it is released.
///
/// `AVFormatContext`
@safe
package final class Demuxer: @unchecked Sendable {
    /// The path as it was given.
    package let path: String
    package let streams: [StreamInfo]
    /// The moving picture (or, for an image file, the only one) that is to be decoded.
    package internal(set) var video: VideoStreamInfo
    /// FFmpeg's short name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`.
    package let formatName: String
    package let metadata: [String: String]
    package let chapters: [Chapter]
    /// The file's, where it is known. What is joined while it runs begins at 0.
    package private(set) var startTime: MediaTime?
    package private(set) var duration: MediaTime?
    /// Why reading stopped before the proper end, once ``readPacket()`` gave nil.
    package private(set) var endedEarly: MediaError?
    /// All that was wrong with the container so far.
    package var faults: [MediaError] { [passedOver, endedEarly].compactMap(\.self) }
    /// What stands in the container and was passed over so far.
    package var passedOver: MediaError? { complaints.error(path) }
    private let complaints: DemuxerComplaints

    /// When the last packet's content ends, in seconds, on the file's own clock.
    private var lastEnd = 0.0
    /// Where the last packet ends in the file, in bytes.
    private var lastByte: Int64 = 0
    private var hasRead = false

    private(set) var context: UnsafeMutablePointer<AVFormatContext>
    /// See ``InputSettings/maxPixels``.
    package let maxPixels: Int
    let maxCodedPixels: Int
    let watch: IOWatch
    private let source: StreamSource?
    /// For inputs whose clock may be set back midway.
    /// Internal for seeking, which sets no clock back.
    var mender: ClockMender?
    /// For files whose clock may leap forward midway.
    var leaps: ForwardLeaps?
    /// Where the content goes on, until the first packet tells by how much times must be moved.
    private var continuation: MediaTime?
    /// What is added to the times of each stream, in its ticks, where a stream was cut: see ``FragmentClock``.
    private var offsets: [Int64] = []
    /// For transport streams of joined segments, in which FFmpeg takes restarting counters for damage.
    private var joints: TransportJoints?
    /// Of NUT in which there is no going back.
    private var streamPlace: StreamPlace?
    /// The packets that were read while it was opened. Internal for seeking, which drops them.
    var early: ArraySlice<QueuedPacket>
    /// A Boolean value that indicates whether reading ended during the search for the first picture.
    var hasFailedEarly = false
    /// The only stream that is read; all if nil.
    var onlyStream: Int?
    /// A Boolean value that indicates whether the clock leaps forward midway; nil before all packets were read once.
    var knownLeaps: Bool?
    /// Of sound of which nothing was known when the input was opened, by the streams' places.
    private var soundClocks: [Int: SoundClock]
    /// For video whose hidden frames may come in packets of their own.
    /// Internal for seeking, after which they lack the frame that they belong to.
    var joiner: HiddenFrameJoiner?
    /// What is added to all times.
    private(set) var shift: MediaTime?
    /// The part of the recording that is read, which is on a clock of its own: it begins at 0.
    package let stretch: RecordingStretch?
    private var cutter: StretchCutter?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: A ``MediaAddress``. Only what it names itself is ever opened, and the protocols
    ///     that this stands on: see ``NetworkProtocol/whitelist``.
    ///   - interrupt: Ends whatever blocks.
    /// - throws: ``MediaError`` of the codes `notFound`, `unreadable`, `isDirectory`,
    ///   `empty`, `notMedia`, `damaged`, `noVideo`, `tooLarge`, `invalidSettings`, `interrupted`, `timedOut`, `io`.
    package init(
        path: String, settings: InputSettings = InputSettings(), interrupt: InterruptFlag? = nil
    ) throws(MediaError) {
        MediaLog.prepare()
        try MediaLibraries.check(path)
        let address = MediaAddress(path)
        let watch = IOWatch(interrupt: interrupt, timeout: settings.timeout, stall: settings.stall)
        try Self.check(address, path)
        var source = try StreamSource.reading(address, path, watch)
        let complaints = DemuxerComplaints()
        let opened = unsafe try Self.open(path, settings, watch, from: &source, complaints)
        let index: Int
        do throws(MediaError) {
            soundClocks = unsafe Self.soundClocks(opened)
            early = address.isRegularFile ? [] : unsafe try Self.awaitSound(opened, soundClocks, watch)[...]
            index = unsafe try Self.chooseVideo(in: opened, path: path)
            unsafe try Self.checkSize(
                of: opened.pointee.streams[index]!, path: path, maxPixels: settings.maxPixels)
        } catch {
            var closing: UnsafeMutablePointer<AVFormatContext>? = unsafe opened
            unsafe avformat_close_input(&closing)
            // FFmpeg asks it until the file is closed.
            withExtendedLifetime((watch, source, complaints)) {}
            throw error
        }
        complaints.note(before: nil)
        self.complaints = complaints
        self.path = path
        maxPixels = settings.maxPixels
        maxCodedPixels = settings.maxCodedPixels
        self.watch = watch
        self.source = source
        unsafe context = unsafe opened
        streams = unsafe Self.describeStreams(opened)
        var video = unsafe Self.describeVideo(opened, index)
        formatName = unsafe String(cString: opened.pointee.iformat.pointee.name)
        let canGoBack = unsafe opened.pointee.pb.map { unsafe $0.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0 } ?? true
        streamPlace = formatName == "nut" && !canGoBack ? StreamPlace() : nil
        // A publisher that starts anew begins at 0 again.
        let mayStartAnew =
            unsafe opened.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
            || formatName == "flv" || address.isJoined
        // A transport stream's decoding times do not go back by themselves; others' are guesses in part.
        let leap = MediaTime(value: formatName == "mpegts" ? 1 : 2, timeBase: Rational(1, 2))
        mender = mayStartAnew ? ClockMender(leap: leap) : nil
        metadata = unsafe Self.dictionary(opened.pointee.metadata)
        chapters = unsafe Self.describeChapters(opened)
        let start = unsafe Self.microseconds(opened.pointee.start_time)
        if address.isJoined || formatName == "hls" {
            // A camera's clock may have run for days: a file would begin with as long a gap.
            startTime = .zero
            if let start { shift = .zero - start } else { continuation = .zero }
            video.startTime = video.startTime.map { $0 - (start ?? $0) }
        } else if let start, start < .zero, unsafe opened.pointee.streams[index]!.pointee.pts_wrap_bits == 33 {
            // Where MPEG's clock runs over within a minute, FFmpeg counts what comes before from below zero:
            // elsewhere that is what was cut off.
            startTime = .zero
            shift = .zero - start
            video.startTime = video.startTime.map { $0 - start }
        } else {
            startTime = start
        }
        // Of fragments through a pipe FFmpeg takes the first one's for the whole.
        let isEndless = source?.isFragmented == true
        duration = isEndless ? nil : unsafe Self.microseconds(opened.pointee.duration)
        if isEndless { video.duration = nil }
        stretch = settings.stretch
        self.video = video
        joiner = HiddenFrameJoiner(codec: video.codec)
        // A camera that paused was silent in fact; of a file, a recorder lost its signal.
        if address.isRegularFile, ["mpegts", "mpeg", "hls"].contains(formatName) {
            leaps = ForwardLeaps(streams, video: video.index)
        }
        if formatName == "mpegts", address.isRegularFile {
            joints = address.filePath.flatMap(TransportJoints.init(file:))
        } else if formatName == "mpegts", let source, source.recent != nil {
            joints = TransportJoints(stream: source)
        } else {
            source?.forgetRecent()
        }
        if address.isRegularFile || stretch != nil && !address.isJoined { try findOrigin() }
        if let stretch {
            if address.isJoined {
                throw MediaError(
                    .invalidSettings, file: path,
                    "\(path): a part can be taken of recordings alone; leave out its start and end")
            }
            try cut(stretch)
        }
    }

    /// Has all that follows be a part of the recording.
    private func cut(_ stretch: RecordingStretch) throws(MediaError) {
        let begin = (video.startTime ?? startTime ?? .zero) + MediaTime(seconds: stretch.start)
        let isRegular = MediaAddress(path).isRegularFile
        // What comes through a pipe may tell how long its first part is.
        if isRegular, let duration, stretch.start > 0, stretch.start >= duration.seconds {
            throw MediaError(
                .invalidSettings, file: path,
                "\(path): lasts \(Self.text(duration.seconds)) s, and there is nothing from \(Self.text(stretch.start)) s on"
            )
        }
        if stretch.start > 0, isRegular {
            let target = begin - (shift ?? .zero)
            if unsafe Self.seek(context, stream: video.index, to: target, preroll: stretch.preroll) { early = [] }
        }
        shift = (shift ?? .zero) - begin
        cutter = StretchCutter(stretch, streams: streams, video: video.index)
        startTime = .zero
        video.startTime = .zero
        let rest = duration.map { $0 - MediaTime(seconds: stretch.start) }.flatMap { $0 > .zero ? $0 : nil }
        duration = [stretch.length, rest].compactMap(\.self).min()
        video.duration = duration
    }

    deinit {
        var closing: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&closing)
    }

    /// The next packet of any stream in the file's order; nil at the end.
    ///
    /// A file that breaks off ends like any other, and ``endedEarly`` then says why.
    /// - throws: ``MediaError`` of the codes `interrupted` and `timedOut`, and `damaged` where there is no memory for it.
    ///
    /// `av_read_frame`
    package func readPacket() throws(MediaError) -> Packet? {
        while let packet = try readMoved() {
            if let onlyStream, packet.streamIndex != onlyStream { continue }
            switch cutter?.judge(packet) {
            case .kept, nil: return packet
            case .dropped: continue
            case .last: return nil
            }
        }
        return nil
    }

    /// The next packet on the clock that is told.
    private func readMoved() throws(MediaError) -> Packet? {
        guard let packet = try readSteady() else { return nil }
        hasRead = true
        // AVI has no other time for some codecs.
        if let time = packet.presentationTime ?? packet.decodingTime {
            lastEnd = max(lastEnd, time.seconds + (packet.duration?.seconds ?? 0))
        }
        mend(packet)
        move(packet)
        complaints.note(before: (packet.presentationTime ?? packet.decodingTime)?.seconds)
        return packet
    }

    /// The next packet on the file's clock, once it is known whether that leaps.
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

    /// The next packet on the file's clock, which shows one picture if it is of the video.
    private func readJoined() throws(MediaError) -> Packet? {
        while let packet = try readEarlyOrOn() {
            guard joiner != nil, packet.streamIndex == video.index else { return packet }
            if let joined = try joiner?.add(packet) { return joined }
        }
        return nil
    }

    /// The next of the packets that were read early, or of the file.
    private func readEarlyOrOn() throws(MediaError) -> Packet? {
        if let queued = early.popFirst() { return queued.packet.take() }
        return hasFailedEarly ? nil : try readOn()
    }

    /// The next packet as the file has it.
    func readOn() throws(MediaError) -> Packet? {
        try watch.check(path)
        watch.begin()
        guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory(path) }
        let owned = unsafe Packet(owned: packet)
        var status: Int32 = 0
        repeat {
            status = unsafe av_read_frame(context, packet)
            if status == cffmpeg_error_eof, let source, source.isCut { status = goOn(with: source) }
        } while status == cffmpeg_error_eagain && !watch.mustEnd
        if status < 0 {
            try watch.check(path)
            // What there was no memory for is no end of the recording.
            if status == cffmpeg_error_exit || status == cffmpeg_error_enomem { throw .reading(path, status: status) }
            let isSound = unsafe context.pointee.pb.map { unsafe $0.pointee.error >= 0 } ?? false
            endedEarly =
                status == cffmpeg_error_eof || endsAfterBoundary(status)
                ? missingEnd() : .reading(path, status: status, isSound: isSound)
            return nil
        }
        let stream = unsafe context.pointee.streams[Int(packet.pointee.stream_index)]!
        unsafe packet.pointee.time_base = stream.pointee.time_base
        unsafe lastByte = packet.pointee.pos + Int64(packet.pointee.size)
        let place = unsafe Int(packet.pointee.stream_index)
        soundClocks[place]?.add(owned)
        if place < offsets.count, offsets[place] != 0 { owned.move(by: offsets[place]) }
        if streamPlace != nil { forgetPlace(owned) }
        if let joints, owned.isCorrupt, place == video.index {
            let position = unsafe packet.pointee.pos
            if position >= 0, joints.isJoint(at: position) { unsafe packet.pointee.flags &= ~AV_PKT_FLAG_CORRUPT }
        }
        return owned
    }

    /// Goes on with a context that knows nothing of what was read: see ``FragmentCut``.
    ///
    /// - Returns: FFmpeg's code: that there is more, or what is wrong.
    private func goOn(with source: StreamSource) -> Int32 {
        source.goOn()
        guard let fresh = unsafe Self.openAgain(like: context, from: source, watch) else {
            return cffmpeg_error_invalid_data
        }
        var closing: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe context = unsafe fresh
        unsafe complaints.listen(to: fresh)
        unsafe avformat_close_input(&closing)
        // They refer to the streams of the old context.
        soundClocks = [:]
        offsets = unsafe (0..<Int(fresh.pointee.nb_streams)).map { index in
            source.offset(ofTrack: unsafe fresh.pointee.streams[index]!.pointee.id)
        }
        return cffmpeg_error_eagain
    }

    /// Has FFmpeg forget where in a stream it stands: see ``StreamPlace``.
    private func forgetPlace(_ packet: borrowing Packet) {
        guard let io = unsafe context.pointee.pb else { return }
        let ahead = unsafe Int64(io.pointee.buf_end - io.pointee.buf_ptr)
        let place = unsafe streamPlace?.behind(
            io.pointee.pos - ahead, stream: packet.streamIndex, isKey: packet.isKeyFrame)
        if let place { unsafe io.pointee.pos = place + ahead }
    }

    /// Whether a stream of separate JPEG pictures ends after one of them: the demuxer expects a header after each boundary
    /// and reports its absence as invalid data.
    ///
    /// `mpjpeg_read_packet`
    private func endsAfterBoundary(_ status: Int32) -> Bool {
        guard status == cffmpeg_error_invalid_data, formatName == "mpjpeg", let io = unsafe context.pointee.pb else {
            return false
        }
        return unsafe io.pointee.eof_reached != 0 && io.pointee.error >= 0
    }

    /// What is missing of a file whose header announces more than there was.
    ///
    /// Matroska and others end like any file when they break off between two packets.
    private func missingEnd() -> MediaError? {
        if hasRead, formatName == "yuv4mpegpipe", let pb = unsafe context.pointee.pb, unsafe avio_tell(pb) > lastByte {
            return MediaError(.damaged, file: path, "\(path): breaks off within a frame, at \(Self.text(lastEnd)) s")
        }
        guard unsafe context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM,
            unsafe context.pointee.duration > 0
        else { return nil }
        let announced = unsafe Double(context.pointee.duration) / Double(AV_TIME_BASE)
        guard lastEnd < announced - Self.tolerance else { return nil }
        return MediaError(
            .damaged, file: path, "\(path): breaks off at \(Self.text(lastEnd)) s of \(Self.text(announced)) s")
    }

    /// The places so far at which the clock leaped forward and the gap was closed, in words.
    package var closedGaps: [String] {
        (mender?.gaps ?? []).compactMap { gap in
            let time = gap.time + (shift ?? .zero) - (startTime ?? .zero)
            // Of a part of the recording it lies before the beginning.
            if time < .zero { return nil }
            return "\(path): its time stamps jump forward by \(Self.text(gap.length.seconds)) s at "
                + "\(Self.text(time.seconds)) s, as where a recorder lost its signal; the gap was closed"
        }
    }

    /// By how much headers may be wrong, in seconds.
    private static let tolerance = 0.5

    /// Seconds with one decimal place.
    static func text(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }

    /// Whether the end of the data is the end of the recording, rather than of a connection.
    package var endsProperly: Bool {
        switch MediaAddress(path) {
        case .network(let scheme, _): endedEarly == nil && (scheme == .http || scheme == .https)
        default: true
        }
    }

    /// Whether an MP4 or QuickTime file has come whole, but cannot be gone back in from the index at its end to the
    /// pictures, none of which was read.
    package var hasIndexTooLate: Bool {
        guard formatName.hasPrefix("mov"), !hasRead, endedEarly != nil, let io = unsafe context.pointee.pb,
            unsafe io.pointee.seekable & AVIO_SEEKABLE_NORMAL == 0,
            let first = unsafe avformat_index_get_entry(context.pointee.streams[video.index]!, 0)
        else { return false }
        return unsafe first.pointee.pos < io.pointee.bytes_read
    }

    /// How the units of H.264 and HEVC video are told apart in packets.
    package var videoFraming: NALFraming {
        NALFraming(configuration: videoConfiguration, isHEVC: video.codec == "hevc")
    }

    /// What stands in the video's header of what decoders need, in the codec's own form ("extradata").
    var videoConfiguration: [UInt8] {
        let parameters = unsafe context.pointee.streams[video.index]!.pointee.codecpar!
        let size = unsafe Int(parameters.pointee.extradata_size)
        guard size > 0, let data = unsafe parameters.pointee.extradata else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: data, count: size))
    }

    /// Has the content follow what was read before from another connection: the first packet gets this
    /// decoding time, and the others keep their distance to it.
    package func resume(at time: MediaTime?) { continuation = time }

    private func move(_ packet: borrowing Packet) {
        if let start = continuation, let time = packet.decodingTime ?? packet.presentationTime {
            shift = start - time
            continuation = nil
        }
        guard let shift else { return }
        packet.move(by: shift.rescaled(to: packet.timeBase).value)
    }

    private func mend(_ packet: borrowing Packet) {
        if let limit = leaps?.takeLimit() { mender?.expectLeap(after: MediaTime(seconds: limit)) }
        guard let time = packet.decodingTime,
            let offset = mender?.offset(stream: packet.streamIndex, time: time, duration: packet.duration),
            offset.value != 0
        else { return }
        packet.move(by: offset.rescaled(to: packet.timeBase).value)
    }
}
