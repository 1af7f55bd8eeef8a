internal import CFFmpeg

/// What becomes of a packet's times on its way into the container.
extension Muxer {
    /// Brings a packet's times to another time base.
    @unsafe
    func rescale(_ packet: UnsafeMutablePointer<AVPacket>, to timeBase: AVRational) {
        let from = unsafe packet.pointee.time_base
        guard roundsTimesDown else { return unsafe av_packet_rescale_ts(packet, from, timeBase) }
        let rounding = AVRounding(AV_ROUND_DOWN.rawValue | AV_ROUND_PASS_MINMAX.rawValue)
        unsafe packet.pointee.pts = av_rescale_q_rnd(packet.pointee.pts, from, timeBase, rounding)
        unsafe packet.pointee.dts = av_rescale_q_rnd(packet.pointee.dts, from, timeBase, rounding)
        unsafe packet.pointee.duration = av_rescale_q(packet.pointee.duration, from, timeBase)
    }

    /// Matroska's times count from before a codec's delay, which libavformat 59 writes into the header
    /// without moving the packets by it (measured: each copy put Opus 6.5 ms early).
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

    /// Containers demand decoding times that rise; rounding or a broken source may repeat one.
    @unsafe
    func keepOrder(_ packet: UnsafeMutablePointer<AVPacket>, last: inout Int64?) {
        guard unsafe packet.pointee.dts != cffmpeg_no_pts else {
            // libavformat counts on from the one before, by the duration: a tick more at most. What the source says of the
            // next one is earlier where the one before had to become later.
            if let time = last { last = unsafe time &+ packet.pointee.duration &+ 1 }
            return
        }
        if let last, unsafe packet.pointee.dts <= last {
            unsafe packet.pointee.dts = last &+ 1
        }
        unsafe repairDecodingTime(packet, after: last)
        last = unsafe packet.pointee.dts
    }

    /// Moves a decoding time after the presentation time to it, or the presentation time where that breaks the order:
    /// libavformat refuses such a packet.
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

/// Packets that libavformat refuses for what is in them.
extension Muxer {
    /// Goes on without a packet that libavformat refuses, which says that it is damaged; throws what else failed.
    ///
    /// That packet need not be the one just given, since packets wait for their turn. So whether all of the
    /// encoder's were taken shows at the end, and before that only where none ever is.
    func leaveOut(
        _ status: Int32, _ name: String, _ time: MediaTime?, _ state: inout State
    ) throws(MediaError) {
        guard isCopying, places.count > 1, Self.refusals.contains(status), isSinkSound,
            state.encodedCount < Self.patience || writtenCount > 0
        else { throw failed(status, state, isSinkSound: isSinkSound) }
        state.refusal = state.refusal ?? status
        state.damage.append(
            DecodingDamage(kind: .notCopied, time: time, detail: "\(name) data that could not be copied was left out"))
    }

    /// Damage may look like what FFmpeg does not know yet, or like a time or a setting that cannot be.
    private static let refusals = [cffmpeg_error_invalid_data, cffmpeg_error_patch_welcome, cffmpeg_averror(EINVAL)]
    /// After how many of the encoder's packets some must have been written.
    private static let patience = 1000

    /// The error for a write that failed, of which the packets may be the cause.
    func failed(_ status: Int32, _ state: State, isSinkSound: Bool) -> MediaError {
        guard Self.refusals.contains(status) else { return failed(status) }
        if let tooFar = state.leap.fault(in: container, path) { return tooFar }
        guard isSinkSound else { return failed(status) }
        if state.copiesVideo { return refused(status) }
        return status == cffmpeg_error_invalid_data ? unfit(status) : failed(status)
    }

    /// A Boolean value that indicates whether the disk or the network has reported no error, which the context keeps.
    var isSinkSound: Bool {
        guard let io = unsafe context.pointee.pb else { return false }
        return unsafe io.pointee.error >= 0
    }

    /// The number of the video's packets that were written.
    var writtenCount: Int { unsafe Int(context.pointee.streams[videoPlace]!.pointee.nb_frames) }
}

/// The greatest step from one packet of a stream to the next. Some containers count steps in few bits.
struct PacketLeap: Sendable {
    private var ticks: Int64 = 0
    private var seconds = 0.0
    /// Where it begins, in seconds.
    private var start = 0.0

    /// Takes two times between which a container counts, in ticks: a packet's decoding time and the next one's, its end,
    /// or when it is shown.
    mutating func note(from first: Int64, to second: Int64, _ timeBase: Rational) {
        let (step, overflows) = second.subtractingReportingOverflow(first)
        guard overflows || step > ticks else { return }
        ticks = overflows ? .max : step
        seconds = (Double(second) - Double(first)) * timeBase.value
        start = max(0, Double(first) * timeBase.value)
    }

    /// What to say of an output in which the step has no room; nil where it has.
    func fault(in container: ContainerFormat, _ path: String) -> MediaError? {
        guard ticks > container.longestStep else { return nil }
        let (from, length) = (Self.words(start), Self.words(seconds))
        return MediaError(
            .damaged, file: path,
            "\(path): the input's times leap by \(length) s at \(from) s, for which \(container.displayName) has no room; write .mkv, or mend the input's times"
        )
    }

    private static func words(_ seconds: Double) -> String {
        seconds.magnitude < 1e15 ? String(Int(seconds.rounded())) : String(seconds)
    }
}

extension ContainerFormat {
    /// How many ticks two packets may lie apart, as libavformat writes it.
    fileprivate var longestStep: Int64 {
        switch self {
        // Sample durations are 32 bits.
        case .mp4, .mov: Int64(Int32.max)
        // It fills up what is missing with empty frames, but not with that many (avienc.c).
        case .avi: 65_536
        default: .max
        }
    }
}

/// How far frames are shown from their times in a container that knows them by their numbers only.
struct FrameDisplacement: Sendable {
    private var first: Double?
    private var greatest = 0.0

    /// - Parameters:
    ///   - time: when the frame is to be shown, in seconds.
    ///   - shown: when it is. What all frames have in common is where the video begins.
    mutating func note(_ time: Double, shown: Double) {
        let difference = shown - time
        greatest = max(greatest, abs(difference - (first ?? difference)))
        first = first ?? difference
    }

    /// Seconds; nil where no frame is shown more than a quarter of a frame from its time, as by rounding.
    func seconds(ofFrames duration: Double) -> Double? { greatest > duration / 4 ? greatest : nil }
}

extension ContainerFormat {
    /// Whether it knows frames by their numbers only: AVI, where numbers can be left out, and Y4M, where they cannot.
    var countsFrames: Bool { self == .avi || self == .yuv4mpegpipe }
}
