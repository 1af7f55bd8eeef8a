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
    private let length: MediaTime?
    private let trim: TrimRange
    private let video: Int
    /// The streams of cover art and similar content, which belong to the whole recording.
    private let attached: Set<Int>
    private let subtitles: Set<Int>
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
