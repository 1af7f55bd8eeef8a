internal import CFFmpeg

/// A part of a recording, in seconds from its first picture.
package struct TrimRange: Sendable, Hashable {
    package var start: Double
    /// The end; the end of the recording if nil.
    package var end: Double?
    /// The minimum number of seconds before the start at which reading begins. Reading begins at a picture from which
    /// all later pictures can be decoded.
    package var preroll = 2.0
    /// The presentation time of the picture on screen at the range's start, counted from that start; nil if unknown.
    /// See ``Demuxer/readOpening()``. If known, packets are marked so that this picture is shown at
    /// 0, and pictures outside the range are hidden.
    package var opening: MediaTime?

    package init(start: Double, end: Double?) {
        self.start = start
        self.end = end
    }

    /// The length; nil if the range ends with the recording.
    var length: MediaTime? { end.map { MediaTime(seconds: $0 - start) } }

    /// Returns whether a picture at a time, counted in seconds from the part's start, is shown in the part.
    package func contains(_ time: Double) -> Bool {
        guard time >= -Self.rounding || start == 0 else { return false }
        return end.map { time < $0 - start - Self.rounding } ?? true
    }

    /// The tolerance for time stamps in whole milliseconds, in seconds.
    package static let rounding = 0.0005
}

/// Selects the packets of a part of a recording. The packets' times already count from the part's start.
struct TrimFilter {
    let length: MediaTime?
    private let trim: TrimRange
    let video: Int
    /// The streams of cover art and similar content, which belong to the whole recording.
    let attached: Set<Int>
    let subtitles: Set<Int>
    private var isVideoComplete = false
    /// The sound streams that have had no packet after the end yet. Broadcasts send pictures up to some seconds before
    /// their sound, and fragments have all their pictures before their sound.
    private var incompleteSound: Set<Int>
    /// For each stream except the video, whether its last packet with a time was kept. Packets without a time are
    /// treated like that packet.
    private var isKept: [Int: Bool] = [:]

    /// The decision about a packet.
    enum Decision {
        case kept, dropped
        /// No later packet belongs to the part.
        case last
    }

    /// The maximum lag of other streams behind the pictures, in seconds: of streams with few packets, such as subtitles,
    /// and of sound.
    private static let lag = 1.0, soundLag = 10.0

    init(_ trim: TrimRange, streams: [StreamInfo], video: Int) {
        length = trim.length
        self.trim = trim
        self.video = video
        attached = Set(streams.filter(\.isAttachedPicture).map(\.index))
        subtitles = Set(streams.filter { $0.kind == .subtitle }.map(\.index))
        incompleteSound = Set(streams.filter { $0.kind == .audio }.map(\.index))
    }

    /// Returns whether all streams have passed the end, according to the time of a packet behind it.
    private func isComplete(_ time: MediaTime, _ length: MediaTime) -> Bool {
        let lag = incompleteSound.isEmpty ? Self.lag : Self.soundLag
        return isVideoComplete && time.seconds >= length.seconds + lag
    }

    /// - Parameter packet: The packet, whose time and duration may be changed.
    mutating func classify(_ packet: borrowing Packet) -> Decision {
        if attached.contains(packet.streamIndex) {
            (packet.av.pts, packet.av.dts) = (0, 0)
            return .kept
        }
        if packet.streamIndex == video {
            hideOutside(packet)
            // Packets before the end are kept, since pictures inside the part may refer to pictures outside.
            guard let length, let time = packet.decodingTime ?? packet.presentationTime, time >= length else {
                return .kept
            }
            isVideoComplete = true
            return isComplete(time, length) ? .last : .dropped
        }
        guard let time = packet.presentationTime ?? packet.decodingTime else {
            return isKept[packet.streamIndex] ?? true ? .kept : .dropped
        }
        if let length, time >= length { incompleteSound.remove(packet.streamIndex) }
        let decision = classify(packet, at: time)
        isKept[packet.streamIndex] = decision == .kept
        return decision
    }

    /// Decides about a packet of a stream other than the video.
    private func classify(_ packet: borrowing Packet, at time: MediaTime) -> Decision {
        if let length, time >= length {
            return isComplete(time, length) ? .last : .dropped
        }
        guard subtitles.contains(packet.streamIndex), let duration = packet.duration else {
            return time >= .zero ? .kept : .dropped
        }
        // Subtitles may begin before the part, or end after it. MP4 stores pauses between lines as packets, too.
        let end = [time + duration, length].compactMap(\.self).min()!
        guard end > .zero || time >= .zero else { return .dropped }
        let first = max(time, .zero)
        if first != time { (packet.av.pts, packet.av.dts) = (0, 0) }
        if end != time + duration || first != time {
            packet.av.duration = (end - first).rescaled(to: packet.timeBase).value
        }
        return .kept
    }
}

extension TrimFilter {
    /// Shows the opening picture at 0, and hides pictures outside of the part.
    private func hideOutside(_ packet: borrowing Packet) {
        guard let opening = trim.opening, let time = packet.presentationTime else { return }
        if time == opening, trim.start > 0 {
            packet.av.pts = 0
        } else if time < opening && trim.start > 0 || !trim.contains(time.seconds) {
            packet.av.flags |= AV_PKT_FLAG_DISCARD
        }
    }
}

extension Demuxer {
    /// Reads up to the start of the trim range.
    ///
    /// - Returns: The presentation time of the picture on screen at the start, counted from the start. It is nil if
    ///   there is no picture, or if the file does not state presentation times.
    package func readOpening() throws(MediaError) -> MediaTime? {
        var opening: MediaTime?
        while let packet = try readPacket() {
            guard packet.streamIndex == video.index, let time = packet.presentationTime else { continue }
            // Pictures that are decoded after the start are also shown after the start.
            let decoding = packet.decodingTime?.seconds ?? time.seconds - Self.maximumReordering
            if decoding > TrimRange.rounding { break }
            guard time.seconds <= TrimRange.rounding, !packet.isHidden else { continue }
            opening = opening.map { max($0, time) } ?? time
        }
        return opening
    }

    /// The assumed difference in seconds between a picture's presentation and decoding times, if the file does not
    /// state the latter.
    private static let maximumReordering = 2.0

    /// Seeks to a key frame at least `preroll` seconds before a time on the file's clock, if the container has an index
    /// of key frames.
    ///
    /// - Returns: false if seeking is not possible; then everything is read.
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
    /// Seeks to the last picture from which decoding can begin at or before a time.
    ///
    /// - Parameter time: The time on the file's clock, as in packets.
    /// - Returns: False if the container cannot seek; reading then continues at the same place. Recordings whose clock
    ///   leaps forward midway cannot seek, because FFmpeg seeks by the file's clock, which still has the gaps.
    ///
    /// `av_seek_frame`
    package func seek(to time: MediaTime) -> Bool {
        if hasForwardLeaps { return false }
        let base = unsafe Rational(videoStream.pointee.time_base)
        let target = (time - (shift ?? .zero)).rescaled(to: base).value
        guard unsafe av_seek_frame(context, Int32(video.index), target, AVSEEK_FLAG_BACKWARD) >= 0 else { return false }
        early = []
        hasFailedEarly = false
        timestampRepair?.forget()
        joiner?.reset()
        indexedSound.reset()
        leaps?.reset()
        return true
    }

    /// Skips the packets of all other streams. From some containers, these packets are then not even read.
    ///
    /// - Parameter index: The stream's index in the file.
    package func readOnly(stream index: Int) {
        onlyStream = index
        // All streams are needed to detect leaps of the clock.
        if hasForwardLeaps { return }
        leaps = nil
        for other in streams.map(\.index) where other != index {
            unsafe context.pointee.streams[other]!.pointee.discard = AVDISCARD_ALL
        }
        early = early.filter { $0.streamIndex == index }[...]
    }

    /// True if the clock of the recording leaps forward midway. Determining it reads all packets once.
    private var hasForwardLeaps: Bool {
        guard leaps != nil else { return false }
        if let known = knownLeaps { return known }
        var settings = limits
        settings.file = file
        let whole = try? Demuxer(path: path, settings: settings)
        while !watch.mustEnd, let packet = try? whole?.readPacket() { _ = packet.size }
        let found = whole?.closedGaps.isEmpty == false
        knownLeaps = found
        return found
    }
}

/// The origin of a recording's times: the presentation time of its first picture.
///
/// FFmpeg reports the presentation time of the first packet. The first picture that can be decoded may be later: if a
/// capture begins within a group of pictures, or if its packets have no presentation times. Photographs, parts, plans
/// and events all count from the start of ``video``.
extension Demuxer {
    /// The maximum number of bytes that are read in search of the first picture, and queued.
    private static let maximumBytes = 64 << 20
    /// The maximum number of packets that are queued, regardless of their size.
    private static let maximumPackets = 20_000

    /// Sets the video's start to the first shown picture. Packets that are read to find it are queued.
    ///
    /// - throws: ``MediaError``, as ``readPacket()`` does.
    func findOrigin() throws(MediaError) {
        guard !isStillImage else { return }
        var decoder: VideoDecoder?
        var bytes = 0
        // The packets that were queued while waiting for sound come first.
        var kept = early
        early = []
        defer { early += kept }
        while bytes < Self.maximumBytes, early.count < Self.maximumPackets {
            let next = kept.isEmpty ? try readNext() : kept.removeFirst().packet.take()
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
                    // If the codec or the container has a fault, the caller meets it again and reports it.
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

    /// Returns whether the start of ``video`` is right according to the video's first packet: its picture is shown at
    /// that time, or an edit list hides it.
    private func beginsVideo(_ packet: borrowing Packet) -> Bool {
        if packet.isHidden { return true }
        guard packet.isKeyFrame, let time = packet.presentationTime, let start = video.startTime else { return false }
        return time + (shift ?? .zero) == start
    }

    /// Returns whether the picture of a packet precedes the start of ``video``.
    func isLeading(_ packet: borrowing Packet) -> Bool {
        guard packet.streamIndex == video.index, !packet.isHidden, packet.size > 0, trim?.start ?? 0 == 0,
            let time = packet.presentationTime, let start = video.startTime
        else { return false }
        return time < start
    }

    /// Sets the video's start to a decoder's first picture.
    ///
    /// - Returns: true if there is one.
    private func start(_ decoder: VideoDecoder) throws(MediaError) -> Bool {
        guard let frame = try decoder.receive() else { return false }
        video.startTime = frame.time + (shift ?? .zero)
        return true
    }
}
