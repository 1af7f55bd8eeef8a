/// Joins the pieces of a recording whose clock was set back, as in transport
/// streams that were cut together.
///
/// Each piece begins where the one before it ended; within a piece no time
/// changes, so that its streams stay in step. Gaps forward are kept.
struct ClockMender {
    /// How far a clock must go back to count as set back rather than as disorder.
    private let threshold = MediaTime(value: 1, timeBase: Rational(1, 1))

    private struct Track {
        /// The number of the piece that the stream is in.
        var piece = 0
        /// The end of its last packet, as the file has it.
        var end: MediaTime
    }

    /// What is added in each piece.
    private var offsets = [MediaTime(value: 0, timeBase: Rational(1, 90000))]
    private var tracks: [Int: Track] = [:]

    /// What must be added to a packet's times.
    ///
    /// - Parameters:
    ///   - time: The packet's decoding time in the file.
    ///   - duration: Its duration, where known.
    mutating func offset(stream: Int, time: MediaTime, duration: MediaTime?) -> MediaTime {
        var track = tracks[stream] ?? Track(piece: offsets.count - 1, end: time)
        if time + threshold < track.end {
            let resumed = track.end + offsets[track.piece] - time
            track.piece += 1
            if track.piece == offsets.count { offsets.append(resumed) }
        }
        track.end = duration.map { time + $0 } ?? time
        tracks[stream] = track
        return offsets[track.piece]
    }
}
