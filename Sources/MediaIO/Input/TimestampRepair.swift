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

/// Finds the places at which the clock of a recording leaps forward, as where a recorder lost its signal and came back.
///
/// A gap in one stream is no such place, since the others go on: a muted microphone, or a picture that stands still. The
/// clock leaps where every stream of pictures and sound that was running goes on much later. Packets of several streams
/// are not in the order of their times, so that some are held until this is certain.
struct ForwardLeaps {
    /// Steps up to this are gaps, in seconds: FFmpeg's programs have the same limit (`-dts_delta_threshold`).
    static let threshold = 10.0
    /// A stream runs if it had a packet so shortly before the leap, in seconds.
    private static let running = 2.0
    /// A stream's packets may come so long after those of others, in seconds.
    private static let disorder = 1.0
    /// The most packets that are held, and the most seconds of them after the leap.
    private static let mostHeld = 1000, longestHeld = 3.0

    /// A stream whose packets lie farther apart, in seconds, has gaps of its own, such as pictures of a slide show.
    private static let longestStep = 1.0

    /// The streams of pictures and sound.
    private let streams: Set<Int>
    /// The last decoding time of each, in seconds.
    private var last: [Int: Double] = [:]
    /// The last step of each from packet to packet, in seconds.
    private var steps: [Int: Double] = [:]
    private var held: [QueuedPacket] = []
    private var released: ArraySlice<QueuedPacket> = []
    private var leap: Leap?
    /// The decoding time, in seconds, after which packets belong to what follows a leap that was just found.
    private var limit: Double?

    /// A place that may be a leap.
    private struct Leap {
        /// The time that all streams had reached before it.
        let clock: Double
        /// The first time after it.
        let start: Double
        /// The number of packets of each stream after it.
        var counts: [Int: Int] = [:]
    }

    init(_ streams: [StreamInfo], video: Int) {
        let ofSound = streams.filter { $0.kind == .audio }.map(\.index)
        self.streams = Set(ofSound + [video])
    }

    /// Begins anew, after a seek.
    mutating func reset() {
        (last, steps, held, released, leap, limit) = ([:], [:], [], [], nil, nil)
    }

    /// The next packet that need not be held.
    mutating func next() -> Packet? {
        guard let queued = released.popFirst() else { return nil }
        return queued.packet.take()
    }

    /// The decoding time after which packets belong to what follows a leap; `nil` where none was found since the last call.
    mutating func takeLimit() -> Double? {
        defer { limit = nil }
        return limit
    }

    /// Adds a packet of any stream.
    ///
    /// - Returns: the packet where nothing is held.
    mutating func add(_ packet: consuming Packet) -> Packet? {
        guard let time = packet.decodingTime?.seconds, streams.contains(packet.streamIndex) else {
            if leap == nil { return packet }
            held.append(QueuedPacket(packet))
            if held.count >= Self.mostHeld { decide() }
            return nil
        }
        let stream = packet.streamIndex
        if leap == nil {
            guard let own = last[stream], let clock = last.values.max(),
                time > max(own, clock) + Self.threshold, steps[stream] ?? .infinity <= Self.longestStep
            else {
                note(time, stream)
                return packet
            }
            leap = Leap(clock: clock, start: time)
        }
        held.append(QueuedPacket(packet))
        judge(time, stream)
        return nil
    }

    /// Decides at the end of the recording.
    /// - Returns: whether packets were held.
    mutating func finish() -> Bool {
        if leap != nil { decide() }
        return !released.isEmpty
    }

    private mutating func note(_ time: Double, _ stream: Int) {
        // A clock that was set back is another one.
        if let own = last[stream], time < own - Self.disorder { (last, steps) = ([:], [:]) }
        if let own = last[stream] { steps[stream] = time - own }
        last[stream] = time
    }

    private mutating func judge(_ time: Double, _ stream: Int) {
        guard var leap else { return }
        if time <= leap.clock + Self.threshold {
            // The clock before goes on, or a time was wrong.
            let goesOn = leap.counts[stream] != nil || time > leap.clock + Self.disorder
            if goesOn || held.count >= Self.mostHeld { release(isLeap: false) }
            return
        }
        leap.counts[stream, default: 0] += 1
        self.leap = leap
        let running = last.filter { $0.value >= leap.clock - Self.running }.keys
        let haveAll = running.allSatisfy { leap.counts[$0] != nil } && leap.counts.values.reduce(0, +) > 2
        if haveAll || time > leap.start + Self.longestHeld || held.count >= Self.mostHeld { decide() }
    }

    /// Decides without waiting for more: one packet alone may have a wrong time.
    private mutating func decide() {
        release(isLeap: (leap?.counts.values.reduce(0, +) ?? 0) > 1)
    }

    private mutating func release(isLeap: Bool) {
        guard let leap else { return }
        if isLeap {
            limit = leap.clock + Self.threshold
            last = [:]
        }
        for queued in held {
            guard let packet = queued.packet.take() else { continue }
            if let time = packet.decodingTime?.seconds, streams.contains(packet.streamIndex),
                isLeap == (time > leap.clock + Self.threshold)
            {
                last[packet.streamIndex] = time
            }
            queued.packet = consume packet
        }
        released += held
        (held, self.leap) = ([], nil)
    }
}
