internal import CFFmpeg

/// Decides which packets that the source's edit list hides are copied, so that the output does not show them either.
///
/// The edit list that libavformat writes hides only packets before the beginning. Hidden packets elsewhere are dropped,
/// except for pictures at the end to which shown pictures refer: ``MP4EditList`` hides such pictures.
struct HiddenPackets: Sendable {
    /// The start and end of the video, and the end of its shown part, in ticks of the output.
    private var video: (start: Int64, shownEnd: Int64, end: Int64)?
    private var streams: [Int: StreamState] = [:]
    /// The longest silence that encoders insert before the sound, in seconds: three packets of AAC, or 80 ms of Opus.
    static let longestDelay = 0.1

    private struct StreamState {
        var hasBegun = false
        /// True if the hidden sound before the beginning is longer than an encoder's delay; nil before the first hidden
        /// packet.
        var isCut: Bool?
        /// True if packets are dropped until the next key packet.
        var awaitsKey = false
    }

    enum Decision {
        case kept, hidden
        /// The packet is shown in the source, but cannot be decoded without hidden packets.
        case undecodable
    }

    /// Decides about the next packet of a copied stream other than the video.
    ///
    /// - Parameter hidesBeginning: Whether the output hides packets before its beginning.
    mutating func classify(_ packet: borrowing Packet, isSound: Bool, hidesBeginning: Bool) -> Decision {
        var state = streams[packet.streamIndex] ?? StreamState()
        defer { streams[packet.streamIndex] = state }
        if packet.isHidden {
            if state.hasBegun {
                state.awaitsKey = true
                return .hidden
            }
            guard isSound, let time = packet.presentationTime else { return .kept }
            let duration = packet.duration?.seconds ?? 0
            // libavformat's edit list hides packets before 0, not packets before the first shown one.
            if hidesBeginning, time.seconds + duration <= packet.timeBase.value { return .kept }
            let isCut = state.isCut ?? (time.seconds < -Self.longestDelay)
            state.isCut = isCut
            if time.seconds >= 0 { return .hidden }
            // After a cut, a sound decoder needs the last hidden packet, which overlaps the first shown packet.
            return isCut && time.seconds + duration < -packet.timeBase.value ? .hidden : .kept
        }
        if state.awaitsKey, !packet.isKeyFrame { return .undecodable }
        state.hasBegun = true
        state.awaitsKey = false
        return .kept
    }

    /// Records a packet of the video as it is written.
    mutating func add(video packet: borrowing Packet) {
        guard let start = packet.presentationTime?.value else { return }
        let end = start &+ (packet.duration?.value ?? 0)
        var known = video ?? (start, .min, .min)
        known.start = min(known.start, start)
        known.end = max(known.end, end)
        if !packet.isHidden { known.shownEnd = max(known.shownEnd, end) }
        video = known
    }

    /// Returns the video's track in an MP4 file if there are hidden pictures at its end.
    func trackWithHiddenEnd(id: UInt32, timeBase: TimeBase) -> MP4EditList.Track? {
        guard let video, video.shownEnd > .min, video.shownEnd < video.end else { return nil }
        return MP4EditList.Track(
            id: id, timeBase: timeBase, start: video.start, shownEnd: video.shownEnd, end: video.end)
    }
}
