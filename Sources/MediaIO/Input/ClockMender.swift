/// Joins the pieces of a recording whose clock was set back, as in transport
/// streams that were cut together.
///
/// Each piece begins where the one before it ended; within a piece no time
/// changes, so that its streams stay in step. Gaps forward are kept, but for those that ``ForwardLeaps`` finds.
struct ClockMender {
    /// How far a clock must go back to count as set back rather than as disorder.
    private let leap: MediaTime
    /// The same where another stream's was: within a piece, a stream's decoding times rise.
    private let step: MediaTime

    private struct Track {
        /// The number of the piece that the stream is in.
        var piece = 0
        /// The times of its last two packets, as the file has them: one that is too late alone is wrong.
        var last: MediaTime
        var secondLast: MediaTime
        /// The end of its last packet.
        var end: MediaTime
    }

    /// What is added in each piece.
    private var offsets = [MediaTime(value: 0, timeBase: Rational(1, 90000))]
    private var tracks: [Int: Track] = [:]
    /// For pieces that begin with a leap forward, by their numbers: packets after this time belong to them.
    private var limits: [Int: MediaTime] = [:]

    /// A leap forward that was closed.
    struct Gap {
        /// Its place, on the clock without gaps.
        var time: MediaTime
        var length: MediaTime
    }

    private(set) var gaps: [Gap] = []

    init(leap: MediaTime) {
        self.leap = leap
        step = MediaTime(value: leap.value, timeBase: Rational(leap.timeBase.numerator, leap.timeBase.denominator * 4))
    }

    /// Takes what follows for a piece whose times are the file's.
    mutating func forget() { self = ClockMender(leap: leap) }

    /// Begins another piece with the first packet after a time.
    mutating func expectLeap(after time: MediaTime) { limits[offsets.count] = time }

    /// What must be added to a packet's times.
    ///
    /// - Parameters:
    ///   - time: The packet's decoding time in the file.
    ///   - duration: Its duration, where known.
    mutating func offset(stream: Int, time: MediaTime, duration: MediaTime?) -> MediaTime {
        var track = tracks[stream] ?? Track(piece: offsets.count - 1, last: time, secondLast: time, end: time)
        while let limit = limits[track.piece + 1], time > limit {
            if track.piece + 1 == offsets.count {
                let end = track.end + offsets[track.piece]
                gaps.append(Gap(time: end, length: time - track.end))
                offsets.append(end - time)
            }
            track.piece += 1
            (track.last, track.secondLast) = (time, time)
        }
        let isBehind = track.piece < offsets.count - 1
        if time + (isBehind ? step : leap) < min(track.last, track.secondLast) {
            let resumed = track.end + offsets[track.piece] - time
            track.piece += 1
            if track.piece == offsets.count { offsets.append(resumed) }
            track.last = time
        }
        (track.secondLast, track.last) = (track.last, time)
        track.end = duration.map { time + $0 } ?? time
        tracks[stream] = track
        return offsets[track.piece]
    }
}
