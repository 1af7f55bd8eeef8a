internal import CFFmpeg

/// The conversion of a packet's times for the container.
extension Muxer {
    /// Converts a packet's times to another time base.
    @unsafe
    func rescale(_ packet: UnsafeMutablePointer<AVPacket>, to timeBase: AVRational) {
        let from = unsafe packet.pointee.time_base
        guard roundsTimesDown else { return unsafe av_packet_rescale_ts(packet, from, timeBase) }
        let rounding = AVRounding(AV_ROUND_DOWN.rawValue | AV_ROUND_PASS_MINMAX.rawValue)
        unsafe packet.pointee.pts = av_rescale_q_rnd(packet.pointee.pts, from, timeBase, rounding)
        unsafe packet.pointee.dts = av_rescale_q_rnd(packet.pointee.dts, from, timeBase, rounding)
        unsafe packet.pointee.duration = av_rescale_q(packet.pointee.duration, from, timeBase)
    }

    /// Moves a packet of a codec's delay, before time 0, to the start. Only the first packet or two of sound have such
    /// times, and decode to silence.
    @unsafe
    func moveToStart(_ packet: UnsafeMutablePointer<AVPacket>) {
        if unsafe packet.pointee.pts != cffmpeg_no_pts { unsafe packet.pointee.pts = max(0, packet.pointee.pts) }
        if unsafe packet.pointee.dts != cffmpeg_no_pts { unsafe packet.pointee.dts = max(0, packet.pointee.dts) }
    }

    /// Adds a codec's delay to the times. Matroska's times count from before the delay. libavformat 59 writes the delay
    /// into the header without moving the packets, so each copy would shift Opus 6.5 ms earlier.
    @unsafe
    func compensateCodecDelay(_ packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>) {
        guard container == .matroska || container == .webm, avformat_version() >> 16 < 60 else { return }
        let parameters = unsafe stream.pointee.codecpar!
        let (samples, rate) = unsafe (parameters.pointee.initial_padding, parameters.pointee.sample_rate)
        guard samples > 0, rate > 0 else { return }
        let delay = unsafe av_rescale_q(Int64(samples), AVRational(num: 1, den: rate), stream.pointee.time_base)
        if unsafe packet.pointee.pts != cffmpeg_no_pts { unsafe packet.pointee.pts &+= delay }
        if unsafe packet.pointee.dts != cffmpeg_no_pts { unsafe packet.pointee.dts &+= delay }
    }

    /// Makes decoding times strictly increasing, as containers require. Rounding or a damaged source may repeat a time.
    @unsafe
    func keepOrder(_ packet: UnsafeMutablePointer<AVPacket>, last: inout Int64?) {
        guard unsafe packet.pointee.dts != cffmpeg_no_pts else {
            // To a packet without a time, libavformat assigns the end of the previous packet, plus one tick at most.
            // The source's next time is too early if the previous packet's time was moved.
            if let time = last { last = unsafe time &+ packet.pointee.duration &+ 1 }
            return
        }
        if let last, unsafe packet.pointee.dts <= last {
            unsafe packet.pointee.dts = last &+ 1
        }
        unsafe repairDecodingTime(packet, after: last)
        last = unsafe packet.pointee.dts
    }

    /// Moves a decoding time that is after the presentation time to the presentation time, because libavformat rejects
    /// such packets. If that breaks the order, the presentation time is moved instead.
    @unsafe
    private func repairDecodingTime(_ packet: UnsafeMutablePointer<AVPacket>, after last: Int64?) {
        let (decoding, presentation) = unsafe (packet.pointee.dts, packet.pointee.pts)
        guard presentation != cffmpeg_no_pts, presentation < decoding else { return }
        if presentation > last ?? .min {
            unsafe packet.pointee.dts = presentation
        } else {
            unsafe packet.pointee.pts = decoding
        }
    }
}

/// Packets that libavformat rejects because of their content, or writes although players cannot use them.
extension Muxer {
    /// Returns the reason why a sound packet cannot follow the first one of its stream; nil if it can.
    ///
    /// A stream of a transport stream may become another codec midway. FFmpeg reports it under the first codec.
    func changedFormat(_ packet: borrowing Packet, _ state: inout State) -> String? {
        let index = packet.streamIndex
        guard let family = sourceInventory?.streams[index].soundHeaders else { return nil }
        let header = SoundHeader(of: packet)
        guard let first = state.soundHeaders[index] else {
            if let header, header.family == family { state.soundHeaders[index] = header }
            return nil
        }
        // Bytes of another codec may look like a header.
        let keepsHeaders =
            (container == .mpegts || family != .aac) && !state.changedSound.contains(index)
        if let header, header.fits(first, keepsHeaders: keepsHeaders) { return nil }
        state.changedSound.insert(index)
        return "stream \(index) is \(header?.words ?? "other data") there instead of \(first.words), and was dropped"
    }

    /// Drops a packet that libavformat rejects as damaged; throws other errors.
    ///
    /// The rejected packet is not necessarily the last one passed to libavformat, which interleaves packets. So it is
    /// known only at the end whether all of the encoder's packets were written. The error is thrown earlier if none of
    /// the first ``unwrittenLimit`` packets was.
    func exclude(
        _ status: Int32, _ name: String, _ time: MediaTime?, _ state: inout State
    ) throws(MediaError) {
        guard isCopying, places.count > 1, Self.refusals.contains(status), isSinkSound,
            state.encodedCount < Self.unwrittenLimit || writtenCount > 0
        else { throw failed(status, state, isSinkSound: isSinkSound) }
        state.refusal = state.refusal ?? status
        state.damage.append(
            DecodingDamage(kind: .notCopied, time: time, detail: "\(name) data that could not be copied was dropped"))
    }

    /// The codes for damaged packets. Such packets may be reported as unsupported features, invalid times or invalid
    /// settings.
    private static let refusals = [cffmpeg_error_invalid_data, cffmpeg_error_patch_welcome, cffmpeg_averror(EINVAL)]
    /// The number of the encoder's packets after which at least one must have been written.
    private static let unwrittenLimit = 1000

    /// Returns the error for a failed write, which may be caused by the packets.
    func failed(_ status: Int32, _ state: State, isSinkSound: Bool) -> MediaError {
        guard Self.refusals.contains(status) else { return failed(status) }
        if let tooFar = state.leap.fault(in: container, path) { return tooFar }
        guard isSinkSound else { return failed(status) }
        if state.copiesVideo { return refused(status) }
        return status == cffmpeg_error_invalid_data ? unfit(status) : failed(status)
    }

    /// True if the disk or the network has reported no error, which the context stores.
    var isSinkSound: Bool {
        guard let io = unsafe context.pointee.pb else { return false }
        return unsafe io.pointee.error >= 0
    }

    /// The number of the video's packets that were written.
    var writtenCount: Int { unsafe Int(context.pointee.streams[videoPlace]!.pointee.nb_frames) }
}

/// The maximum step between consecutive packets of a stream. Some containers store steps in few bits.
struct TimestampGap: Sendable {
    private var ticks: Int64 = 0
    private var seconds = 0.0
    /// The start of the step, in seconds.
    private var start = 0.0

    /// Records two times whose distance a container stores, in ticks. The first is a packet's decoding time. The second
    /// is the next packet's decoding time, or the end or presentation time of the same packet.
    mutating func record(from first: Int64, to second: Int64, _ timeBase: Rational) {
        let (step, overflows) = second.subtractingReportingOverflow(first)
        guard overflows || step > ticks else { return }
        ticks = overflows ? .max : step
        seconds = (Double(second) - Double(first)) * timeBase.value
        start = max(0, Double(first) * timeBase.value)
    }

    /// Returns the error for an output that cannot store the step; nil if it can.
    func fault(in container: ContainerFormat, _ path: String) -> MediaError? {
        guard ticks > container.longestStep else { return nil }
        let (from, length) = (Self.words(start), Self.words(seconds))
        return MediaError(
            .damaged, file: path,
            "\(path): the input's time stamps jump by \(length) s at \(from) s, which \(container.displayName) does not support; write .mkv, or repair the input's time stamps"
        )
    }

    private static func words(_ seconds: Double) -> String {
        seconds.magnitude < 1e15 ? String(Int(seconds.rounded())) : String(seconds)
    }
}

extension ContainerFormat {
    /// The maximum distance of two packets in ticks, as libavformat writes it.
    fileprivate var longestStep: Int64 {
        switch self {
        // Sample durations are 32 bits.
        case .mp4, .mov: Int64(Int32.max)
        // libavformat fills gaps with empty frames, up to this number (avienc.c).
        case .avi: 65_536
        default: .max
        }
    }
}

/// The maximum difference between the times of frames and the times at which they are shown, for containers that only
/// number frames.
struct FrameDisplacement: Sendable {
    private var first: Double?
    private var greatest = 0.0

    /// - Parameters:
    ///   - time: The frame's time, in seconds.
    ///   - shown: The time at which it is shown. The difference of the first frame is the video's start.
    mutating func record(_ time: Double, shown: Double) {
        let difference = shown - time
        greatest = max(greatest, abs(difference - (first ?? difference)))
        first = first ?? difference
    }

    /// Returns the difference in seconds; nil if no frame is shown more than a quarter of a frame from its time, which
    /// rounding can explain.
    func seconds(ofFrames duration: Double) -> Double? { greatest > duration / 4 ? greatest : nil }
}

extension ContainerFormat {
    /// True if the container only numbers frames: AVI, which can skip numbers, and Y4M, which cannot.
    var countsFrames: Bool { self == .avi || self == .yuv4mpegpipe }
}
