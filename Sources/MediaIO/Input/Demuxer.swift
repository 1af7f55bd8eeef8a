internal import CFFmpeg
import Platform

/// Reads a media file packet by packet.
///
/// A demuxer is used by one thread at a time; it may move between threads. The file is closed when the demuxer is
/// released.
///
/// Packets pass two lists of filters, between which the packets wait that are read before the first one is needed.
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
    package internal(set) var startTime: MediaTime?
    package internal(set) var duration: MediaTime?
    /// The trim range; nil for the whole input. Packets' times count from its start.
    package let trim: TrimRange?
    /// See ``InputSettings/maxPixels``.
    package let maxPixels: Int
    let maxCodedPixels: Int

    /// The reason why reading stopped before the end of the recording, once ``readPacket()`` has returned nil; nil for
    /// a complete recording.
    package private(set) var endedEarly: MediaError?
    /// The number of the pictures so far that precede the start of ``video``. They usually refer to pictures before the
    /// recording, and exist in copies only.
    package private(set) var leadingCount = 0
    /// The packets that were read so far.
    private(set) var tallies = StreamTallies()
    /// The reasons why streams cannot be copied although packets of them are read, by stream.
    let misreadStreams: [Int: String]
    let warnings: DemuxerWarnings

    private(set) var input: InputContext
    /// The video in ``input``. Other threads may read its header, but not the list of streams: FFmpeg reallocates that
    /// while packets are read, if a new stream appears.
    private(set) var videoTrack: StreamHandle
    let watch: IOWatch
    private let source: StreamSource?

    /// The filters of packets as they are read.
    private let firstFilters: PacketFilters
    /// The filters of packets as they are needed.
    private var lastFilters: PacketFilters
    let progress = ReadingProgress()
    let formats: FormatChanges
    let rawFrameRate: RawFrameRate?
    let timestampRepair: TimestampRepair?
    /// Detects forward leaps of the clock in files.
    private(set) var leaps: ForwardLeaps?
    /// True if the clock leaps forward midway; nil before all packets were read once.
    var knownLeaps: Bool?

    /// The end of the last packet in the file, in bytes.
    private(set) var lastByte: Int64 = 0
    /// The packets that were read, but not needed yet.
    var early: ArraySlice<QueuedPacket>
    /// True if reading ended during the search for the first picture.
    var hasFailedEarly = false
    /// The only stream that is read; all if nil.
    private var onlyStream: Int?
    /// The time that the next packet is to have; nil once a packet has determined ``shift``.
    private var continuation: MediaTime?
    /// The duration that is added to the times of all packets; nil for none.
    var shift: MediaTime?
    var trimFilter: TrimFilter?

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
        var opener = try InputOpener(path, settings, interrupt)
        let input = try opener.open()
        let unprobedSound = UnprobedSound(input)
        early = opener.file != nil ? [] : (try unprobedSound?.awaitParameters(in: input, opener.watch) ?? [])[...]
        let index = try opener.chooseVideo(in: input)
        opener.warnings.collect(before: nil)

        self.path = path
        self.input = input
        (file, watch, source, warnings) = (opener.file, opener.watch, opener.source, opener.warnings)
        (maxPixels, maxCodedPixels, trim) = (settings.maxPixels, settings.maxCodedPixels, settings.trim)
        videoTrack = input.stream(index)
        formatName = input.formatName
        metadata = unsafe [String: String](input.pointer.pointee.metadata)
        chapters = Self.describeChapters(input)
        streams = Self.describeStreams(input, unread: warnings.unread)
        video = Self.describeVideo(input, index)
        misreadStreams = MisreadSound.reasons(input, streams, file: file)

        let joints = Self.joints(of: formatName, file, source, video: index)
        if joints == nil { source?.forgetRecent() }
        formats = FormatChanges(joints)
        rawFrameRate =
            settings.frameRate == nil
            ? RawFrameRate(path, format: formatName, assumed: video.averageFrameRate) : nil
        // Gaps are closed in files only, where they mean that the recorder lost its signal. The pause of a live camera
        // is real.
        let closesGaps = file != nil && ["mpegts", "mpeg", "hls"].contains(formatName)
        leaps = closesGaps ? ForwardLeaps(streams, video: index) : nil
        // The clocks of these inputs may be set back: a restarted publisher begins at 0 again.
        let mayStartAnew =
            input.hasFlag(AVFMT_TS_DISCONT) || formatName == "flv" || opener.address.isJoined
        // Decoding times of transport streams never decrease, so half a second back is a new clock. In other formats,
        // they are partly guesses, so it is one second.
        let leap = MediaTime(value: formatName == "mpegts" ? 1 : 2, timeBase: Rational(1, 2))
        timestampRepair = mayStartAnew ? TimestampRepair(leap: leap, leaps: leaps) : nil

        let isNUTStream = formatName == "nut" && !input.canSeek
        firstFilters = PacketFilters([
            unprobedSound, formatName == "avi" ? IndexedSoundClock(video: index) : nil, source.map(FragmentTimes.init),
            isNUTStream ? NUTPositions() : nil, joints, rawFrameRate, formats,
        ])
        lastFilters = PacketFilters([HiddenFrameJoiner(video), leaps, progress, timestampRepair])
        setOrigin(isJoined: opener.address.isJoined)
        if file != nil || trim != nil && !opener.address.isJoined { try findOrigin() }
        if let trim {
            if opener.address.isJoined {
                throw MediaError(
                    .invalidSettings, file: path,
                    "\(path): only recordings can be trimmed; remove start and end")
            }
            try cut(trim)
        }
    }

    private static func joints(
        of format: String, _ file: OpenFile?, _ source: StreamSource?, video: Int
    ) -> TransportJoints? {
        guard format == "mpegts" else { return nil }
        if let file { return TransportJoints(file: file, video: video) }
        return source?.recent != nil ? source.map { TransportJoints(stream: $0, video: video) } : nil
    }

    /// Sets the origin of the times, according to the headers.
    private func setOrigin(isJoined: Bool) {
        let start = Self.microseconds(input.start_time)
        if isJoined || formatName == "hls" {
            // A camera's clock may have run for days; the output would begin with a gap of that length.
            startTime = .zero
            if let start { shift = .zero - start } else { continuation = .zero }
            video.startTime = video.startTime.map { $0 - (start ?? $0) }
        } else if let start, start < .zero, videoTrack.pts_wrap_bits == 33 {
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
        if source?.isFragmented == true {
            video.duration = nil
        } else {
            duration = Self.microseconds(input.duration)
        }
    }

    /// Returns the next packet of any stream in the file's order; nil at the end.
    ///
    /// Truncated files end without an error, like others; ``endedEarly`` then states the reason.
    /// - throws: ``MediaError`` of the codes `interrupted` and `timedOut`, and `damaged` if there is no memory for the
    ///   packet.
    ///
    /// `av_read_frame`
    package func readPacket() throws(MediaError) -> Packet? {
        while let packet = try lastFilters.read(readQueued, of: { input }) {
            move(packet)
            warnings.collect(before: (packet.presentationTime ?? packet.decodingTime)?.seconds)
            if let onlyStream, packet.streamIndex != onlyStream { continue }
            switch trimFilter?.classify(packet) {
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

    /// Returns the next queued packet, or the next one of the file.
    private func readQueued() throws(MediaError) -> Packet? {
        if let queued = early.popFirst() { return queued.packet.take() }
        return hasFailedEarly ? nil : try readNext()
    }

    /// Returns the next packet of the file, of those that can be decoded or copied.
    func readNext() throws(MediaError) -> Packet? { try firstFilters.read(readUnfiltered, of: { input }) }

    /// Returns the next packet as it is in the file.
    private func readUnfiltered() throws(MediaError) -> Packet? {
        try watch.check(path)
        watch.begin()
        let handle = try PacketHandle(file: path)
        var status: Int32 = 0
        repeat {
            status = input.read(handle)
            if status == cffmpeg_error_eof, let source, source.isCut { status = restart(with: source) }
        } while status == cffmpeg_error_eagain && !watch.mustEnd
        // For NUT, FFmpeg returns the beginning of a packet within which reading was interrupted as a whole one.
        try watch.check(path)
        if status < 0 {
            // A lack of memory is not the end of the recording.
            if status == cffmpeg_error_exit || status == cffmpeg_error_enomem { throw .reading(path, status: status) }
            if status == cffmpeg_error_eof { formats.findHiddenChanges(in: input) }
            endedEarly = earlyEnd(status)
            return nil
        }
        let packet = Packet(handle)
        lastByte = packet.av.pos + Int64(packet.size)
        if packet.isEncrypted { throw .encrypted(path) }
        // The end of the file cuts the packet off. FFmpeg returns it with the bytes that exist.
        if packet.isCorrupt, formatName.hasPrefix("mov"), input.hasReachedEnd {
            progress.hasRead = true
            endedEarly = MediaError(
                .damaged, file: path, "\(path): breaks off within a frame, at \(Self.text(progress.end)) s")
            return nil
        }
        return packet
    }

    /// Continues with a context that has no state from earlier packets: see ``FragmentCut``.
    ///
    /// - Returns: FFmpeg's code: `EAGAIN` if there is more, or an error.
    private func restart(with source: StreamSource) -> Int32 {
        source.restart()
        guard let fresh = InputOpener.openAgain(like: input, from: source, watch, warnings) else {
            return cffmpeg_error_invalid_data
        }
        input = fresh
        videoTrack = fresh.stream(video.index)
        return cffmpeg_error_eagain
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

    /// Skips the packets of all other streams. From some containers, these packets are then not even read.
    ///
    /// - Parameter index: The stream's index in the file.
    package func readOnly(stream index: Int) {
        onlyStream = index
        // All streams are needed to detect leaps of the clock.
        if hasForwardLeaps { return }
        lastFilters.removeLeaps()
        leaps = nil
        for other in streams.map(\.index) where other != index { input.stream(other).discard = AVDISCARD_ALL }
        early = early.filter { $0.streamIndex == index }[...]
    }

    /// Seeks to the last picture from which decoding can begin at or before a time.
    ///
    /// - Parameter time: The time on the file's clock, as in packets.
    /// - Returns: False if the container cannot seek; reading then continues at the same place. Recordings whose clock
    ///   leaps forward midway cannot seek, because FFmpeg seeks by the file's clock, which still has the gaps.
    ///
    /// `av_seek_frame`
    package func seek(to time: MediaTime) -> Bool { !hasForwardLeaps && seekInput(to: time - (shift ?? .zero)) }

    /// Seeks by the file's own clock.
    func seekInput(to time: MediaTime) -> Bool {
        let ticks = time.rescaled(to: Rational(videoTrack.time_base)).value
        guard input.seek(video.index, to: ticks) else { return false }
        (early, hasFailedEarly) = ([], false)
        for filters in [firstFilters, lastFilters] { filters.reset() }
        return true
    }
}
