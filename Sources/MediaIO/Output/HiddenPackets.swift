internal import CFFmpeg

/// Keeps what an edit list of the source hides from being heard or seen in the output.
///
/// The edit list that libavformat writes hides what lies before the beginning. Hidden packets elsewhere are left out, but for
/// pictures at the end that shown ones refer to: ``MP4EditList`` hides those.
struct HiddenPackets: Sendable {
    /// When the video begins and ends, and when its shown part ends, in ticks of the output.
    private var video: (start: Int64, shownEnd: Int64, end: Int64)?
    private var streams: [Int: StreamState] = [:]
    /// Encoders put silence of this length at most before the sound, in seconds: three packets of AAC, or 80 ms of Opus.
    private static let longestDelay = 0.1

    private struct StreamState {
        var hasBegun = false
        /// A Boolean value that indicates whether more lies before the beginning than the delay of an encoder.
        var isCut: Bool?
        /// A Boolean value that indicates whether packets are left out until the next key packet.
        var awaitsKey = false
    }

    enum Verdict {
        case kept, hidden
        /// Shown in the source, but of no use without what is hidden.
        case undecodable
    }

    /// Decides about the next packet of a copied stream other than the video.
    ///
    /// - Parameter hidesBeginning: whether the output hides what lies before its beginning.
    mutating func judge(_ packet: borrowing Packet, isSound: Bool, hidesBeginning: Bool) -> Verdict {
        var state = streams[packet.streamIndex] ?? StreamState()
        defer { streams[packet.streamIndex] = state }
        if packet.isHidden {
            if state.hasBegun {
                state.awaitsKey = true
                return .hidden
            }
            guard isSound, let time = packet.presentationTime else { return .kept }
            let duration = packet.duration?.seconds ?? 0
            // libavformat's edit list hides what lies before 0, not what lies before the first shown packet.
            if hidesBeginning, time.seconds + duration <= packet.timeBase.value { return .kept }
            let isCut = state.isCut ?? (time.seconds < -Self.longestDelay)
            state.isCut = isCut
            if time.seconds >= 0 { return .hidden }
            // Of sound that was cut, a decoder needs the last packet, which overlaps with the first one that is shown.
            return isCut && time.seconds + duration < -packet.timeBase.value ? .hidden : .kept
        }
        if state.awaitsKey, !packet.isKeyFrame { return .undecodable }
        state.hasBegun = true
        state.awaitsKey = false
        return .kept
    }

    /// Records a packet of the video as it is written.
    @unsafe
    mutating func add(video packet: UnsafeMutablePointer<AVPacket>) {
        guard unsafe packet.pointee.pts != cffmpeg_no_pts else { return }
        let (start, isShown) = unsafe (packet.pointee.pts, packet.pointee.flags & AV_PKT_FLAG_DISCARD == 0)
        let end = unsafe start &+ packet.pointee.duration
        var known = video ?? (start, .min, .min)
        known.start = min(known.start, start)
        known.end = max(known.end, end)
        if isShown { known.shownEnd = max(known.shownEnd, end) }
        video = known
    }

    /// The video's track in an MP4 file if hidden pictures lie at its end.
    func trackWithHiddenEnd(id: UInt32, timeBase: TimeBase) -> MP4EditList.Track? {
        guard let video, video.shownEnd > .min, video.shownEnd < video.end else { return nil }
        return MP4EditList.Track(
            id: id, timeBase: timeBase, start: video.start, shownEnd: video.shownEnd, end: video.end)
    }
}
