internal import CFFmpeg

/// A part of a recording, in seconds from its first picture.
package struct RecordingStretch: Sendable, Hashable {
    package var start: Double
    /// The recording's if nil.
    package var end: Double?
    /// So many seconds before it reading begins, or earlier: at a picture that all after it can be decoded from.
    package var preroll = 2.0

    package init(start: Double, end: Double?) {
        self.start = start
        self.end = end
    }

    /// How long it is; nil where that is up to the recording.
    var length: MediaTime? { end.map { MediaTime(seconds: $0 - start) } }
}

/// What of a recording's packets belongs to a stretch of it, on whose clock they are already.
struct StretchCutter {
    let length: MediaTime?
    let video: Int
    /// Cover art and the like, which stands for the whole.
    let attached: Set<Int>
    let subtitles: Set<Int>
    private var isVideoComplete = false

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
            // What is shown before may be needed by what is shown later, and the other way round.
            guard let length, let time = packet.decodingTime ?? packet.presentationTime, time >= length else {
                return .kept
            }
            isVideoComplete = true
            return time.seconds >= length.seconds + Self.lag ? .last : .dropped
        }
        guard let time = packet.presentationTime ?? packet.decodingTime else { return .kept }
        if let length, time >= length {
            return isVideoComplete && time.seconds >= length.seconds + Self.lag ? .last : .dropped
        }
        if time >= .zero { return .kept }
        // A line that is being read when the stretch begins.
        guard subtitles.contains(packet.streamIndex), let duration = packet.duration, time + duration > .zero else {
            return .dropped
        }
        let rest = (time + duration).rescaled(to: packet.timeBase).value
        unsafe (packet.av.pointee.pts, packet.av.pointee.dts, packet.av.pointee.duration) = (0, 0, rest)
        return .kept
    }
}

extension Demuxer {
    /// Goes to a key frame so many seconds before a time on the file's clock, or earlier, where the container has an index that says where they are.
    @unsafe
    static func seek(
        _ context: UnsafeMutablePointer<AVFormatContext>, stream: Int, to time: MediaTime, preroll: Double
    ) {
        let name = unsafe String(cString: context.pointee.iformat.pointee.name)
        guard name.hasPrefix("mov") || name.hasPrefix("matroska") else { return }
        let base = unsafe Rational(context.pointee.streams[stream]!.pointee.time_base)
        let target = (time - MediaTime(seconds: preroll)).rescaled(to: base).value
        // Where it cannot, all is read.
        _ = unsafe av_seek_frame(context, Int32(stream), target, AVSEEK_FLAG_BACKWARD)
    }
}
