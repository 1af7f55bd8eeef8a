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
