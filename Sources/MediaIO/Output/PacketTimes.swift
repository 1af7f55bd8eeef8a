internal import CFFmpeg

/// The conversion of a packet's times for a stream of an output.
extension OutputLayout {
    /// Converts a packet for a stream of the output.
    ///
    /// - Parameter last: The decoding time of the stream's last packet, which becomes this one's.
    func move(_ packet: borrowing Packet, to place: Int, after last: inout Int64?) {
        let stream = context.stream(place)
        packet.rescale(to: stream.time_base, roundsDown: target.options.roundsTimesDown)
        // Live outputs without times below 0. In other runs, libavformat moves all streams by the earliest time.
        if target.options.isLive, [.nut, .flv].contains(container) { packet.moveToStart() }
        if container == .matroska || container == .webm { packet.move(by: codecDelay(of: stream)) }
        packet.av.time_base = stream.time_base
        packet.av.stream_index = Int32(place)
        packet.av.pos = -1
        packet.keepOrder(after: &last)
    }

    /// Returns a codec's delay in ticks. Matroska's times count from before the delay. libavformat 59 writes the delay
    /// into the header without moving the packets, so each copy would shift Opus 6.5 ms earlier.
    private func codecDelay(of stream: StreamHandle) -> Int64 {
        let (samples, rate) = (stream.parameters.initial_padding, stream.parameters.sample_rate)
        guard avformat_version() >> 16 < 60, samples > 0, rate > 0 else { return 0 }
        return av_rescale_q(Int64(samples), AVRational(num: 1, den: rate), stream.time_base)
    }
}

extension Packet {
    /// Converts the times to another time base.
    ///
    /// - Parameter roundsDown: Whether the times are rounded down, rather than to the nearest.
    fileprivate borrowing func rescale(to base: AVRational, roundsDown: Bool) {
        let from = av.time_base
        guard roundsDown else { return unsafe av_packet_rescale_ts(av.pointer, from, base) }
        let rounding = AVRounding(AV_ROUND_DOWN.rawValue | AV_ROUND_PASS_MINMAX.rawValue)
        av.pts = av_rescale_q_rnd(av.pts, from, base, rounding)
        av.dts = av_rescale_q_rnd(av.dts, from, base, rounding)
        av.duration = av_rescale_q(av.duration, from, base)
    }

    /// Moves a packet of a codec's delay, before time 0, to the start. Only the first packet or two of sound have such
    /// times, and decode to silence.
    fileprivate borrowing func moveToStart() {
        if av.pts != cffmpeg_no_pts { av.pts = max(0, av.pts) }
        if av.dts != cffmpeg_no_pts { av.dts = max(0, av.dts) }
    }

    /// Makes decoding times strictly increasing, as containers require. Rounding or a damaged source may repeat a time.
    fileprivate borrowing func keepOrder(after last: inout Int64?) {
        guard av.dts != cffmpeg_no_pts else {
            // To a packet without a time, libavformat assigns the end of the previous packet, plus one tick at most.
            // The source's next time is too early if the previous packet's time was moved.
            if let time = last { last = time &+ av.duration &+ 1 }
            return
        }
        if let last, av.dts <= last { av.dts = last &+ 1 }
        // libavformat rejects packets whose decoding time is after the presentation time. The decoding time becomes the
        // presentation time, or the reverse if that would break the order.
        if av.pts != cffmpeg_no_pts, av.pts < av.dts {
            if av.pts > last ?? .min { av.dts = av.pts } else { av.pts = av.dts }
        }
        last = av.dts
    }
}

/// The maximum step between consecutive packets of a stream. Some containers store steps in few bits.
struct TimestampGap: Sendable {
    private var ticks: Int64 = 0
    private var seconds = 0.0
    /// The start of the step, in seconds.
    private var start = 0.0

    /// Records the distances that a container stores for a packet: from the previous packet's decoding time, and to the
    /// end and the presentation time of the packet.
    mutating func record(_ packet: borrowing Packet, after last: Int64?, at time: Int64) {
        if let last { record(from: last, to: time, packet.timeBase) }
        record(from: time, to: time &+ packet.av.duration, packet.timeBase)
        record(from: time, to: packet.av.pts, packet.timeBase)
    }

    private mutating func record(from first: Int64, to second: Int64, _ timeBase: TimeBase) {
        guard second != cffmpeg_no_pts else { return }
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

    /// True if the container only numbers frames: AVI, which can skip numbers, and Y4M, which cannot.
    var countsFrames: Bool { self == .avi || self == .yuv4mpegpipe }
}

/// The formats of the sound of transport streams, whose packets state it.
///
/// A stream of a transport stream may become another codec midway. FFmpeg reports it under the first codec.
struct SoundFormats: Sendable {
    /// The header of the first packet of each stream.
    private var first: [Int: SoundHeader] = [:]
    /// The streams some of whose packets had other headers.
    private var changed: Set<Int> = []

    /// Returns the reason why a sound packet cannot follow the first one of its stream; nil if it can.
    ///
    /// - Parameter family: The family of the stream's codec.
    mutating func refusal(
        of packet: borrowing Packet, _ family: SoundHeader.Family, in container: ContainerFormat
    ) -> String? {
        let index = packet.streamIndex
        let header = SoundHeader(of: packet)
        guard let first = first[index] else {
            if let header, header.family == family { self.first[index] = header }
            return nil
        }
        // Bytes of another codec may look like a header.
        let keepsHeaders = (container == .mpegts || family != .aac) && !changed.contains(index)
        if let header, header.fits(first, keepsHeaders: keepsHeaders) { return nil }
        changed.insert(index)
        return "stream \(index) is \(header?.words ?? "other data") there instead of \(first.words), and was dropped"
    }
}
