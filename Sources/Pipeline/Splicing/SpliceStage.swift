import MediaIO
import Platform
import RateControl
import Reactions

/// Reads a recording and sends its packets to the muxer. In the segments with effects, it sends the encoders' packets
/// instead.
///
/// Each segment receives the packets that it needs during reading, so the file is read once, from the beginning to the
/// end.
///
/// Sink: packets of all streams, in the order of the file.
struct SpliceStage: Stage, ~Copyable {
    private var reader: VerifiedPacketReader
    private let packetIndex: PacketIndex
    private let entryHeaders: EntryHeaders
    private let timing: SpliceTiming
    private let jobs: [SegmentEncoder.Job]
    private let sink: Channel<OutputItem>
    private let merger: EventMerger
    private var pool: SegmentEncoderPool
    private var queue = SpliceQueue()
    private var results: [Int: SpanResult] = [:]
    private var outcome = Outcome()

    /// The result of splicing the recording.
    struct Outcome: Sendable {
        /// The number of copied pictures. Pictures that the source's edit list hides are not counted, although other
        /// pictures may refer to them.
        var copied = 0
        var encoded = 0
        var wasInterrupted = false
        /// The boundary frames of the segments in the output, by the segments' numbers. Segments that were encoded, but
        /// are after the end of a stopped run, are not included.
        var boundaryFrames: [Int: [SpliceCheck.BoundaryFrame]] = [:]
        /// The presentation times of the emitted packets, in ticks.
        var times: [Int64] = []
        /// Descriptions of the recording's missing parts, which are at its end or where the container is damaged.
        var faults: [String] = []
        /// See ``Demuxer/clockRepairs``.
        var clockRepairs: [String] = []
    }

    /// The rest of a finished segment that was not emitted yet.
    private struct SpanResult {
        var packets: [QueuedPacket]
        var times: [Int64]
        var boundaryFrames: [SpliceCheck.BoundaryFrame]
        /// The index of the next packet to send.
        var place = 0
    }

    /// The maximum number of bytes in the queue while a segment that has all its packets is being encoded. Above this
    /// limit, reading waits for the segment.
    private static let maximumWaiting = 64 << 20

    init(
        _ layout: SpliceLayout, into sink: Channel<OutputItem>, merger: EventMerger, interrupt: InterruptFlag
    ) {
        reader = VerifiedPacketReader(layout.demuxer, packetIndex: layout.packetIndex, interrupt: interrupt)
        packetIndex = layout.packetIndex
        entryHeaders = layout.entryHeaders
        timing = layout.timing
        jobs = layout.jobs
        self.sink = sink
        self.merger = merger
        pool = SegmentEncoderPool(layout.jobs, factory: layout.factory, interrupt: interrupt)
    }

    /// Reads to the end, or until the run is stopped. In that case, the output ends before the first segment that is
    /// not finished soon.
    ///
    /// - Throws: `MediaError`, ``FlourishError``; `SmartRenderUnavailable` if the recording does not match its
    ///   index.
    consuming func run() throws -> Outcome {
        let sink = sink
        defer { sink.finish() }
        do { try readAll() } catch {
            pool.cancel()
            guard error is SegmentEncoderPool.GivenUp else { throw error }
            outcome.wasInterrupted = true
        }
        pool.cancel()
        return outcome
    }

    /// Reads all packets, passes them to the segments and into the queue, and sends what is ready.
    private mutating func readAll() throws {
        while let packet = try reader.read() {
            guard packet.streamIndex == reader.demuxer.video.index else {
                queue.append(packet)
                guard try passOn(all: false) else { return }
                continue
            }
            try give(packet, reader.number)
            guard try passOn(all: false) else { return }
        }
        outcome.wasInterrupted = reader.wasInterrupted
        outcome.faults = reader.demuxer.faults.map(\.description)
        outcome.clockRepairs = reader.demuxer.clockRepairs
        // A segment that lacks packets cannot be finished, so the output ends before it.
        pool.cut(after: reader.count)
        _ = try passOn(all: true)
    }

    /// Passes a packet of the video to the segments that decode it, and puts the packet or its place into the queue.
    private mutating func give(_ original: consuming Packet, _ number: Int) throws {
        let packet = try entryHeaders.completed(original, number: number)
        var isReplaced = false
        for index in try pool.give(packet, number) {
            let span = jobs[index].span
            guard span.replaces(number) else { continue }
            isReplaced = true
            // Replaced leading pictures of a CRA picture get no place: they are encoded with the segment, whose packets
            // precede that picture.
            if span.places.contains(number) {
                queue.appendPlace(
                    of: index, decodingTime: timing.decodingTime(of: number),
                    isLast: number == span.places.upperBound - 1)
            }
        }
        if isReplaced || packetIndex.pictures[number].isCutAway { return }
        let followsOpenly =
            packetIndex.codec == .hevc
            && jobs.contains { $0.span.end == .openEntry && $0.span.packets.upperBound == number }
        let copy = followsOpenly ? try BrokenLink.marked(packet, of: reader.demuxer) : packet
        copy.time(decoding: timing.decodingTime(of: number))
        queue.append(copy)
    }

    /// Waits for a segment's result, and assigns decoding times to its packets.
    private mutating func finish(_ index: Int) throws {
        guard results[index] == nil else { return }
        let result = try pool.result(of: index)
        let coded = result.packets.map { $0.packet?.presentationTime?.value ?? 0 }
        guard let times = timing.decodingTimes(of: coded, replacing: jobs[index].span) else {
            throw SmartRenderUnavailable("the time stamps of its packets leave no room for encoded packets")
        }
        results[index] = SpanResult(
            packets: result.packets, times: times, boundaryFrames: result.boundaryFrames)
        merger.note(result, of: index)
    }

    /// Sends packets from the head of the queue, up to the first place whose segment is not finished.
    ///
    /// - Parameter all: Whether to wait for all segments.
    /// - Returns: Whether the sink accepts more.
    private mutating func passOn(all: Bool) throws -> Bool {
        while let entry = queue.first {
            switch entry {
            case .packet:
                guard let packet = queue.takeFirst() else { continue }
                if packet.streamIndex == reader.demuxer.video.index {
                    if !packet.isHidden { outcome.copied += 1 }
                    if let time = packet.presentationTime ?? packet.decodingTime { merger.emit(until: time.seconds) }
                }
                note(packet)
                guard sink.send(.packet(packet)) else { return false }
            case .replaced(let span, let time, let isLast):
                if results[span] == nil, !all, !pool.isDone(span), !mayWait(for: span) { return true }
                if all, outcome.wasInterrupted, pool.isLost(span) { return false }
                try finish(span)
                merger.emit(span: span)
                queue.removeFirst()
                guard try sendReplacement(of: span, until: isLast ? .max : time) else { return false }
                if isLast { results[span] = nil }
            }
        }
        return true
    }

    /// Returns whether reading may wait for a segment: many packets already wait behind the segment, and all packets
    /// that it decodes have been read.
    private func mayWait(for span: Int) -> Bool {
        queue.size >= Self.maximumWaiting && pool.hasAllPackets(span)
    }

    private mutating func note(_ packet: borrowing Packet) {
        guard packet.streamIndex == reader.demuxer.video.index, !packet.isHidden,
            let time = packet.presentationTime ?? packet.decodingTime
        else { return }
        outcome.times.append(time.value)
    }

    /// Sends a segment's packets up to a decoding time, in ticks. Returns `false` if the sink accepts no more.
    private mutating func sendReplacement(of span: Int, until time: Int64) throws -> Bool {
        guard var result = results.removeValue(forKey: span) else { return true }
        if outcome.boundaryFrames[span] == nil { outcome.boundaryFrames[span] = result.boundaryFrames }
        while result.place < result.packets.count, result.times[result.place] <= time {
            guard let packet = result.packets[result.place].packet.take() else { break }
            packet.time(decoding: result.times[result.place])
            result.place += 1
            outcome.encoded += 1
            note(packet)
            guard sink.send(.packet(packet)) else { return false }
        }
        results[span] = result
        return true
    }
}

/// A queue of packets in the order of the source's file. Packets wait in it while a segment before them is being
/// encoded.
struct SpliceQueue: ~Copyable {
    enum Entry {
        case packet(QueuedPacket)
        /// The place of a packet that an encoded segment replaces. The decoding time is in ticks; `isLast` marks the
        /// segment's last place.
        case replaced(span: Int, decodingTime: Int64, isLast: Bool)
    }

    private var entries: [Entry] = []
    private var head = 0
    /// The number of waiting bytes.
    private(set) var size = 0

    var first: Entry? { head < entries.count ? entries[head] : nil }

    mutating func append(_ packet: consuming Packet) {
        size += packet.size
        entries.append(.packet(QueuedPacket(packet)))
    }

    mutating func appendPlace(of span: Int, decodingTime: Int64, isLast: Bool) {
        entries.append(.replaced(span: span, decodingTime: decodingTime, isLast: isLast))
    }

    mutating func removeFirst() {
        head += 1
        if head > 1024, head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }

    /// Removes and returns the first packet of the queue.
    mutating func takeFirst() -> Packet? {
        guard case .packet(let queued)? = first, let packet = queued.packet.take() else { return nil }
        size -= packet.size
        removeFirst()
        return packet
    }
}

/// Reads an indexed recording again, and verifies that its packets have not changed.
struct VerifiedPacketReader: ~Copyable {
    let demuxer: Demuxer
    private let packetIndex: PacketIndex
    private let interrupt: InterruptFlag
    /// The number of the video's packets read.
    private(set) var count = 0
    /// True if the run was stopped before the end.
    private(set) var wasInterrupted = false

    init(_ demuxer: Demuxer, packetIndex: PacketIndex, interrupt: InterruptFlag) {
        self.demuxer = demuxer
        self.packetIndex = packetIndex
        self.interrupt = interrupt
    }

    /// The number of the video's packet that was read last.
    var number: Int { count - 1 }

    /// Returns the next packet of any stream; `nil` at the end, and if the run is stopped.
    ///
    /// - Throws: `MediaError`; `SmartRenderUnavailable` if the recording has changed.
    mutating func read() throws -> Packet? {
        guard let packet = try readAny() else {
            if !wasInterrupted, count < packetIndex.pictures.count { throw Self.changed }
            return nil
        }
        guard packet.streamIndex == demuxer.video.index else { return packet }
        guard count < packetIndex.pictures.count,
            (packet.presentationTime ?? packet.decodingTime)?.value == packetIndex.pictures[count].presentationTime,
            packet.size == Int(packetIndex.pictures[count].size)
        else { throw Self.changed }
        count += 1
        return packet
    }

    private static let changed = SmartRenderUnavailable("it changed while it was being read")

    private mutating func readAny() throws(MediaError) -> Packet? {
        do throws(MediaError) {
            if !interrupt.isRaised, let packet = try demuxer.readPacket() { return packet }
        } catch {
            guard error.code == .interrupted else { throw error }
        }
        wasInterrupted = interrupt.isRaised
        return nil
    }
}
