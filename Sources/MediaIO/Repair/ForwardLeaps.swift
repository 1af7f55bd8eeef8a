/// Finds the places at which the clock of a recording leaps forward, as after a recorder of MPEG-TS, MPEG-PS or HLS lost
/// its signal. ``TimestampRepair`` closes the gaps.
///
/// A gap in one stream, such as a muted microphone or a still picture, is not a leap, since the other streams continue.
/// The clock leaps if every running stream of pictures and sound continues much later. Packets of several streams are
/// not in the order of their times, so some are held until the decision is certain.
final class ForwardLeaps: PacketFilter {
    /// The step in seconds above which the clock may have leapt. Smaller steps are ordinary gaps. FFmpeg's programs use
    /// the same value (`-dts_delta_threshold`).
    static let threshold = 10.0
    /// A stream is running if it had a packet within this number of seconds before a leap.
    private static let running = 2.0
    /// The maximum lag of a stream's packets behind other streams' packets, in seconds.
    private static let disorder = 1.0
    /// The maximum number of held packets, and the longest time that they cover after the leap, in seconds.
    private static let maximumHeld = 1000, longestHeld = 3.0

    /// The maximum distance between packets of a stream, in seconds. Streams with longer distances, such as slide
    /// shows, have gaps of their own and do not indicate leaps.
    private static let longestStep = 1.0

    /// The streams of pictures and sound.
    private let streams: Set<Int>
    /// The last decoding time of each stream, in seconds.
    private var last: [Int: Double] = [:]
    /// The last distance between packets of each stream, in seconds.
    private var steps: [Int: Double] = [:]
    private var held: [QueuedPacket] = []
    private var released: ArraySlice<QueuedPacket> = []
    private var leap: Leap?
    /// The decoding time, in seconds, after which packets belong to the piece after the leap that was found last.
    private var limit: Double?

    /// A possible leap.
    private struct Leap {
        /// The latest decoding time of all streams before the leap, in seconds.
        let clock: Double
        /// The first decoding time after the leap, in seconds.
        let start: Double
        /// The number of packets of each stream after the leap.
        var counts: [Int: Int] = [:]
    }

    init(_ streams: [StreamInfo], video: Int) {
        let ofSound = streams.filter { $0.kind == .audio }.map(\.index)
        self.streams = Set(ofSound + [video])
    }

    func reset() {
        (last, steps, held, released, leap, limit) = ([:], [:], [], [], nil, nil)
    }

    func next() -> Packet? {
        guard let queued = released.popFirst() else { return nil }
        return queued.packet.take()
    }

    /// Dequeues the decoding time after which packets belong to the piece after a leap; `nil` if none was found since
    /// the last call.
    func consumeLimit() -> Double? {
        defer { limit = nil }
        return limit
    }

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        guard let time = packet.decodingTime?.seconds, streams.contains(packet.streamIndex) else {
            if leap == nil { return packet }
            held.append(QueuedPacket(packet))
            if held.count >= Self.maximumHeld { decide() }
            return nil
        }
        let stream = packet.streamIndex
        if leap == nil {
            guard let own = last[stream], let clock = last.values.max(),
                time > max(own, clock) + Self.threshold, steps[stream] ?? .infinity <= Self.longestStep
            else {
                record(time, stream)
                return packet
            }
            leap = Leap(clock: clock, start: time)
        }
        held.append(QueuedPacket(packet))
        checkLeap(time, stream)
        return nil
    }

    func finish() -> Bool {
        if leap != nil { decide() }
        return !released.isEmpty
    }

    private func record(_ time: Double, _ stream: Int) {
        // The clock was set back, so earlier times do not apply.
        if let own = last[stream], time < own - Self.disorder { (last, steps) = ([:], [:]) }
        if let own = last[stream] { steps[stream] = time - own }
        last[stream] = time
    }

    private func checkLeap(_ time: Double, _ stream: Int) {
        guard var leap else { return }
        if time <= leap.clock + Self.threshold {
            // There is no leap if the earlier clock has advanced, or if this stream had already leapt: that time was
            // wrong.
            let goesOn = leap.counts[stream] != nil || time > leap.clock + Self.disorder
            if goesOn || held.count >= Self.maximumHeld { release(isLeap: false) }
            return
        }
        leap.counts[stream, default: 0] += 1
        self.leap = leap
        let running = last.filter { $0.value >= leap.clock - Self.running }.keys
        let haveAll = running.allSatisfy { leap.counts[$0] != nil } && leap.counts.values.reduce(0, +) > 2
        if haveAll || time > leap.start + Self.longestHeld || held.count >= Self.maximumHeld { decide() }
    }

    /// Decides without waiting for more packets. One packet alone may have a wrong time.
    private func decide() {
        release(isLeap: (leap?.counts.values.reduce(0, +) ?? 0) > 1)
    }

    private func release(isLeap: Bool) {
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
