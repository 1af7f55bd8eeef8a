internal import CFFmpeg

/// A part of a recording, in seconds from its first picture.
package struct RecordingStretch: Sendable, Hashable {
    package var start: Double
    /// The recording's if nil.
    package var end: Double?
    /// So many seconds before it reading begins, or earlier: at a picture that all after it can be decoded from.
    package var preroll = 2.0
    /// When the picture is shown, on the stretch's own clock, that is on the screen as it begins, where that is known: see
    /// ``Demuxer/opening(of:settings:interrupt:)``. Then packets tell what belongs to the stretch: this picture is shown at
    /// 0, and those that lie outside are hidden.
    package var opening: MediaTime?

    package init(start: Double, end: Double?) {
        self.start = start
        self.end = end
    }

    /// How long it is; nil where that is up to the recording.
    var length: MediaTime? { end.map { MediaTime(seconds: $0 - start) } }

    /// Whether a picture at a time on the stretch's own clock is shown in it.
    package func contains(_ time: Double) -> Bool {
        guard time >= -Self.rounding || start == 0 else { return false }
        return end.map { time < $0 - start - Self.rounding } ?? true
    }

    /// Time stamps may be whole milliseconds.
    package static let rounding = 0.0005
}

/// What of a recording's packets belongs to a stretch of it, on whose clock they are already.
struct StretchCutter {
    let length: MediaTime?
    private let stretch: RecordingStretch
    let video: Int
    /// Cover art and the like, which stands for the whole.
    let attached: Set<Int>
    let subtitles: Set<Int>
    private var isVideoComplete = false
    /// Of each stream but the video whether its last packet with a time was kept. Those without one go with it.
    private var isKept: [Int: Bool] = [:]

    /// What becomes of a packet.
    enum Verdict {
        case kept, dropped
        /// Nothing that follows belongs to the stretch.
        case last
    }

    /// How far other streams may lag behind the pictures, in seconds.
    private static let lag = 1.0

    init(_ stretch: RecordingStretch, streams: [StreamInfo], video: Int) {
        length = stretch.length
        self.stretch = stretch
        self.video = video
        attached = Set(streams.filter(\.isAttachedPicture).map(\.index))
        subtitles = Set(streams.filter { $0.kind == .subtitle }.map(\.index))
    }

    /// - Parameter packet: may get another time, and duration.
    mutating func judge(_ packet: borrowing Packet) -> Verdict {
        if attached.contains(packet.streamIndex) {
            unsafe (packet.av.pointee.pts, packet.av.pointee.dts) = (0, 0)
            return .kept
        }
        if packet.streamIndex == video {
            hideOutside(packet)
            // What is shown before may be needed by what is shown later, and the other way round.
            guard let length, let time = packet.decodingTime ?? packet.presentationTime, time >= length else {
                return .kept
            }
            isVideoComplete = true
            return time.seconds >= length.seconds + Self.lag ? .last : .dropped
        }
        guard let time = packet.presentationTime ?? packet.decodingTime else {
            return isKept[packet.streamIndex] ?? true ? .kept : .dropped
        }
        let verdict = judge(packet, at: time)
        isKept[packet.streamIndex] = verdict == .kept
        return verdict
    }

    /// What becomes of a packet of another stream than the video.
    private func judge(_ packet: borrowing Packet, at time: MediaTime) -> Verdict {
        if let length, time >= length {
            return isVideoComplete && time.seconds >= length.seconds + Self.lag ? .last : .dropped
        }
        guard subtitles.contains(packet.streamIndex), let duration = packet.duration else {
            return time >= .zero ? .kept : .dropped
        }
        // A line that is being read when the stretch begins, or ends: MP4 tells of pauses between lines as of lines.
        let end = [time + duration, length].compactMap(\.self).min()!
        guard end > .zero || time >= .zero else { return .dropped }
        let first = max(time, .zero)
        if first != time { unsafe (packet.av.pointee.pts, packet.av.pointee.dts) = (0, 0) }
        if end != time + duration || first != time {
            unsafe packet.av.pointee.duration = (end - first).rescaled(to: packet.timeBase).value
        }
        return .kept
    }
}

extension StretchCutter {
    /// Has the opening picture shown at 0, and no picture that lies outside.
    private func hideOutside(_ packet: borrowing Packet) {
        guard let opening = stretch.opening, let time = packet.presentationTime else { return }
        if time == opening, stretch.start > 0 {
            unsafe packet.av.pointee.pts = 0
        } else if time < opening && stretch.start > 0 || !stretch.contains(time.seconds) {
            unsafe packet.av.pointee.flags |= AV_PKT_FLAG_DISCARD
        }
    }
}

extension Demuxer {
    /// Reads up to a stretch of a recording.
    ///
    /// - Returns: When the picture is shown that is on the screen as it begins, on the stretch's own clock; nil where
    ///   there is none, and where the file does not say when pictures are shown.
    /// - throws: what opening and reading a ``Demuxer`` throws.
    package static func opening(
        of path: String, settings: InputSettings, interrupt: InterruptFlag? = nil
    ) throws(MediaError) -> MediaTime? {
        let demuxer = try Demuxer(path: path, settings: settings, interrupt: interrupt)
        var opening: MediaTime?
        while let packet = try demuxer.readPacket() {
            guard packet.streamIndex == demuxer.video.index, let time = packet.presentationTime else { continue }
            // What is decoded later is shown later, too.
            let decoding = packet.decodingTime?.seconds ?? time.seconds - mostReordering
            if decoding > RecordingStretch.rounding { break }
            guard time.seconds <= RecordingStretch.rounding, !packet.isHidden else { continue }
            opening = opening.map { max($0, time) } ?? time
        }
        return opening
    }

    /// A picture is shown so many seconds after those that are decoded later, at most.
    private static let mostReordering = 2.0

    /// Goes to a key frame so many seconds before a time on the file's clock, or earlier, where the container has an index
    /// that says where they are.
    ///
    /// - Returns: false if it cannot go there; all is read then.
    @unsafe
    static func seek(
        _ context: UnsafeMutablePointer<AVFormatContext>, stream: Int, to time: MediaTime, preroll: Double
    ) -> Bool {
        let name = unsafe String(cString: context.pointee.iformat.pointee.name)
        guard name.hasPrefix("mov") || name.hasPrefix("matroska") else { return false }
        let base = unsafe Rational(context.pointee.streams[stream]!.pointee.time_base)
        let target = (time - MediaTime(seconds: preroll)).rescaled(to: base).value
        return unsafe av_seek_frame(context, Int32(stream), target, AVSEEK_FLAG_BACKWARD) >= 0
    }
}

extension Demuxer {
    /// Goes to the last picture of the video at or before a time from which decoding can begin.
    ///
    /// - Parameter time: On the file's clock, as packets' times are.
    /// - Returns: False where the container cannot be gone about in; then reading goes on where it was. So it is where the
    ///   clock leaps forward midway, since a seek goes by the clock with gaps.
    ///
    /// `av_seek_frame`
    package func seek(to time: MediaTime) -> Bool {
        if hasForwardLeaps { return false }
        let base = unsafe Rational(context.pointee.streams[video.index]!.pointee.time_base)
        let target = (time - (shift ?? .zero)).rescaled(to: base).value
        guard unsafe av_seek_frame(context, Int32(video.index), target, AVSEEK_FLAG_BACKWARD) >= 0 else { return false }
        early = []
        hasFailedEarly = false
        mender?.forget()
        joiner?.reset()
        leaps?.reset()
        return true
    }

    /// Has the packets of all other streams left out, which some containers then need not read.
    ///
    /// - Parameter index: A stream's place in the file.
    package func readOnly(stream index: Int) {
        onlyStream = index
        // All streams together tell whether the clock leaps.
        if hasForwardLeaps { return }
        leaps = nil
        for other in streams.map(\.index) where other != index {
            unsafe context.pointee.streams[other]!.pointee.discard = AVDISCARD_ALL
        }
        early = early.filter { $0.streamIndex == index }[...]
    }

    /// A Boolean value that indicates whether the clock of the recording leaps forward midway, for which all packets are read
    /// once.
    private var hasForwardLeaps: Bool {
        guard leaps != nil else { return false }
        if let known = knownLeaps { return known }
        let whole = try? Demuxer(path: path)
        while !watch.mustEnd, let packet = try? whole?.readPacket() { _ = packet.size }
        let found = whole?.closedGaps.isEmpty == false
        knownLeaps = found
        return found
    }
}

/// The origin of a recording's times: the time at which its first picture is shown.
///
/// FFmpeg states when the first packet is shown. A capture that begins within a group of pictures begins later, with the first
/// picture that can be decoded; so does one whose packets do not state when their pictures are shown. Photographs, parts,
/// plans and events all count from ``video``'s start.
extension Demuxer {
    /// The most bytes that are read in search of the first picture, and kept until they are asked for.
    private static let mostBytes = 64 << 20
    /// The most packets that are kept, whatever their size.
    private static let mostPackets = 20_000

    /// Has the video start with the first picture that is shown. What is read for that is kept.
    ///
    /// - throws: ``MediaError``, as ``readPacket()`` does.
    func findOrigin() throws(MediaError) {
        guard !isStillImage else { return }
        var decoder: VideoDecoder?
        var bytes = 0
        // The packets that were read while the sound was awaited come first.
        var kept = early
        early = []
        defer { early += kept }
        while bytes < Self.mostBytes, early.count < Self.mostPackets {
            let next = kept.isEmpty ? try readOn() : kept.removeFirst().packet.take()
            guard let packet = next else {
                hasFailedEarly = true
                break
            }
            bytes += packet.size
            let isVideo = packet.streamIndex == video.index
            if isVideo {
                if decoder == nil {
                    if beginsVideo(packet) {
                        early.append(QueuedPacket(packet))
                        return
                    }
                    // An encoder's or container's fault is met again by the caller, who reports it.
                    decoder = try? VideoDecoder(self, threads: 1)
                }
                try decoder?.send(packet)
            }
            early.append(QueuedPacket(packet))
            if isVideo {
                guard let decoder, try !start(decoder) else { return }
            }
        }
        guard let decoder, hasFailedEarly else { return }
        try decoder.finish()
        _ = try start(decoder)
    }

    /// Whether the video's first packet is a picture that is shown when the video starts, or one that an edit list hides: then
    /// that states the start.
    private func beginsVideo(_ packet: borrowing Packet) -> Bool {
        if packet.isHidden { return true }
        guard packet.isKeyFrame, let time = packet.presentationTime, let start = video.startTime else { return false }
        return time + (shift ?? .zero) == start
    }

    /// Has the video start with a decoder's first picture.
    ///
    /// - Returns: true if there is one.
    private func start(_ decoder: VideoDecoder) throws(MediaError) -> Bool {
        guard let frame = try decoder.receive() else { return false }
        video.startTime = frame.time + (shift ?? .zero)
        return true
    }
}
