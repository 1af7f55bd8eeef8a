/// Joins the pieces of a recording whose clock was set back, as in concatenated transport streams, and in streams of a
/// publisher that was restarted (FLV, and inputs that are joined while they run).
///
/// Each piece begins at the end of the previous piece. Times within a piece keep their distances, so that its streams
/// stay in sync. Forward gaps are kept, except for the gaps that ``ForwardLeaps`` finds.
final class TimestampRepair: PacketFilter {
    /// The smallest backward step that counts as a clock set back rather than as disorder.
    private let leap: MediaTime
    /// The smallest such step once another stream's clock was set back. Within a piece, decoding times of a stream
    /// increase.
    private let step: MediaTime
    /// Finds the leaps to close; nil if gaps are kept.
    private let leaps: ForwardLeaps?

    private struct Track {
        /// The number of the piece to which the stream's last packet belongs.
        var piece = 0
        /// The times of the stream's last two packets in the file. Two are kept because a single packet's time may be
        /// wrong, and too late.
        var last: MediaTime
        var secondLast: MediaTime
        /// The end of its last packet.
        var end: MediaTime
    }

    /// The offset of the times of each piece.
    private var offsets = [TimestampRepair.noOffset]
    private static let noOffset = MediaTime(value: 0, timeBase: Rational(1, 90000))
    private var tracks: [Int: Track] = [:]
    /// The start times of pieces that begin with a forward leap, by the piece's number. Packets with later times belong
    /// to the piece.
    private var limits: [Int: MediaTime] = [:]

    /// A forward leap that was closed.
    struct Gap {
        /// The place of the leap, on the clock without gaps.
        var time: MediaTime
        var length: MediaTime
    }

    private(set) var gaps: [Gap] = []

    init(leap: MediaTime, leaps: ForwardLeaps? = nil) {
        self.leap = leap
        self.leaps = leaps
        step = MediaTime(value: leap.value, timeBase: Rational(leap.timeBase.numerator, leap.timeBase.denominator * 4))
    }

    /// Starts again with a piece that keeps the file's times.
    func reset() { (offsets, tracks, limits, gaps) = ([Self.noOffset], [:], [:], []) }

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        // The first packet after a leap begins another piece.
        if let limit = leaps?.consumeLimit() { limits[offsets.count] = MediaTime(seconds: limit) }
        if let time = packet.decodingTime {
            let offset = offset(stream: packet.streamIndex, time: time, duration: packet.duration)
            if offset.value != 0 { packet.move(by: offset.rescaled(to: packet.timeBase).value) }
        }
        return packet
    }

    /// Returns the offset of a packet's times.
    ///
    /// - Parameters:
    ///   - time: The packet's decoding time in the file.
    ///   - duration: Its duration, if known.
    func offset(stream: Int, time: MediaTime, duration: MediaTime?) -> MediaTime {
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
