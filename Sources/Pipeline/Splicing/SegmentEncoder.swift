import MediaIO
import Platform
import RateControl
import Reactions
import Synchronization

/// Decodes, draws and encodes one segment of a recording on two threads. ``SegmentEncoderPool`` creates it on the
/// reading thread.
///
/// The result depends only on the segment's packets. Several segments may be encoded in parallel, and their number does
/// not change the result.
final class SegmentEncoder: Sendable {
    /// The result of encoding a segment.
    struct Result: Sendable {
        /// The encoded packets, in coding order.
        var packets: [QueuedPacket] = []
        /// The events of the segment's frames, in order.
        var events: [ReactionEvent] = []
        /// The source's frames next to the segment, and the segment's first frames, each with the checksum of the
        /// picture to which it must decode in the output.
        var boundaryFrames: [SpliceCheck.BoundaryFrame] = []
        /// The reason why the segment cannot be encoded to fit the recording; `nil` if it can.
        var unavailable: SmartRenderUnavailable?
        var failure: FlourishError?
    }

    /// The input for encoding a segment.
    struct Job: Sendable {
        var span: SpliceSpan
        /// The presentation times of the segment's frames, in ticks, sorted.
        var times: [Int64]
        /// The time at which the segment's last frame is no longer shown, in seconds; `nil` if it is unknown.
        var endTime: Double?
        /// The number of the recording's frames before the segment.
        var firstFrame: Int
        /// The presentation times of the copied frames next to the segment, in ticks.
        var neighbours: [Int64]
        /// The ending that fits the segment to a recovery point, if it ends before one.
        var ending: SegmentEnding?
        var requests: [ScheduledRequest]
        /// The identifier of the segment's first effect.
        var effectID: Int
        /// The number of bytes of the entry picture at which decoding begins.
        var entrySize: Int
        /// The number of bytes of all packets that are decoded.
        var size: Int
        /// The sizes and times of the source's packets before the segment, with which the encoder's rate control
        /// starts.
        var before: [EncodedFrame]
    }

    let job: Job
    private let factory: SegmentEncoderFactory
    private let decoder: VideoDecoder
    private let input: Channel<Packet>
    private let drawn = Channel<PipelineFrame>(capacity: SpanQuality.minimumFrames)
    /// Passes the encoder's constant quality to the encoding thread, as soon as the drawing thread has decoded enough
    /// of the source; `nil` if it cannot be determined.
    private let quality = Channel<Double?>(capacity: 1)
    private let coded: Channel<OutputItem>
    /// Carries captions and other messages of the source's pictures over to the encoded pictures; `nil` if the codec
    /// has none.
    private let messages: CarriedMessages?
    private let finished = Channel<Result>(capacity: 1)
    private let done = Atomic(false)
    private let cancelled = Atomic(false)
    private let result = Mutex(Result())

    /// - Parameter decoder: A decoder of the source that only this encoder uses.
    init(_ job: Job, factory: SegmentEncoderFactory, decoder: VideoDecoder) {
        self.job = job
        self.factory = factory
        self.decoder = decoder
        messages = factory.makeMessages()
        input = Channel(capacity: Self.inputCapacity(count: job.span.decoded.count, size: job.size))
        // The channel is not read before everything is encoded, so it has room for the header and a packet for each
        // frame.
        coded = Channel(capacity: job.times.count + 2)
    }

    /// The maximum number of bytes of packets that wait to be decoded.
    private static let maximumWaiting = 64 << 20
    /// The number of packets that may wait in any case.
    private static let minimumWaiting = 100

    /// Returns the number of packets that may wait to be decoded. If the limit is reached, the thread that reads the
    /// recording waits: this cannot last, because the segment's threads need nothing else from that thread.
    static func inputCapacity(count: Int, size: Int) -> Int {
        let mean = max(size / max(count, 1), 1)
        return max(min(count, max(maximumWaiting / mean, minimumWaiting)), 1)
    }

    /// True if ``wait()`` would return immediately.
    var isDone: Bool { done.load(ordering: .acquiring) }

    /// Starts the two threads.
    func start() {
        StageThread { [self] in
            let drawing = StageThread { [self] in
                watch { try draw() }
                drawn.finish()
            }
            watch { try encode() }
            // The drawing thread must not wait for an encoder that has failed.
            drawn.cancel()
            drawing.join()
            _ = finished.send(result.withLock { $0 })
            done.store(true, ordering: .releasing)
        }.detach()
    }

    /// Adds the next packet that the segment decodes.
    func take(_ packet: consuming Packet) { _ = input.send(packet) }

    /// Signals that all packets were added.
    func finishInput() { input.finish() }

    /// True if the encoder was cancelled, or failed.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Cancels the encoding.
    func cancel() {
        cancelled.store(true, ordering: .releasing)
        input.cancel()
        drawn.cancel()
        quality.cancel()
        coded.cancel()
    }

    /// Waits until the encoding is complete. It is called once.
    func wait() -> Result { finished.receive() ?? Result() }

    /// Runs the work of a thread. If it throws, the error is stored in the result, and both threads are cancelled.
    private func watch(_ step: () throws -> Void) {
        do { try step() } catch {
            result.withLock { result in
                if let unavailable = error as? SmartRenderUnavailable {
                    result.unavailable = result.unavailable ?? unavailable
                } else {
                    result.failure = result.failure ?? FlourishError(describing: error)
                }
            }
            cancel()
        }
    }
}

// MARK: - Decoding and drawing

extension SegmentEncoder {
    /// The work of the drawing thread: decodes the segment's packets, and draws effects on the segment's frames.
    private func draw() throws {
        let engine = factory.makeEngine(job)
        let (switches, noRequests) = (factory.switches, factory.noRequests)
        var loop = DecodingLoop(decoder)
        var seen = SpanQuality(factory.codec)
        var isDecided = false
        var damage = DamageReport()
        var count = 0
        while let frame = try loop.next({ nextPacket(&seen) }) {
            let ticks = frame.time.rescaled(to: factory.timeBase).value
            if seen.isEmpty { seen.matched = try factory.quality(matching: job.entrySize, of: frame) }
            seen.note(frame)
            if job.neighbours.contains(ticks) {
                let boundary = SpliceCheck.BoundaryFrame(time: ticks, checksum: frame.checksum)
                result.withLock { $0.boundaryFrames.append(boundary) }
            }
            let faults = loop.decoder.dequeueDamage()
            guard ticks >= job.times[0], count < job.times.count else { continue }
            if frame.isInterlaced { throw SmartRenderUnavailable("it is interlaced") }
            guard ticks == job.times[count] else {
                throw SmartRenderUnavailable("its frames do not have the time stamps that its file states")
            }
            let found = damage.add(faults, isClean: !frame.isDamaged)
            let warnings = factory.reportsInputFaults ? found : []
            let time = frame.time.seconds
            var item = PipelineFrame(
                frame: frame, id: job.firstFrame + count, time: time, warnings: warnings)
            count += 1
            item.shownUntil =
                count < job.times.count
                ? MediaTime(value: job.times[count], timeBase: factory.timeBase).seconds : job.endTime
            item.frame.requestedType = job.ending?.requestedType(of: ticks)
            guard try engine.process(&item, switches, requests: { noRequests }) else { continue }
            // The regions of protected faces are earlier in the list, so they take precedence.
            item.frame.regions += SeamQuality.regions(
                ofFrame: count - 1, of: job.times.count, width: item.frame.width, height: item.frame.height)
            factory.control.meter.noteFrame(decodedAt: item.arrival)
            guard drawn.send(item) else { return }
            if !isDecided, seen.isSettled || count == job.times.count {
                isDecided = true
                _ = quality.send(seen.crf)
            }
        }
        // The last frames may have been left out.
        if !isDecided { _ = quality.send(seen.crf) }
        guard count == job.times.count else {
            throw SmartRenderUnavailable("not all its frames can be decoded")
        }
        let outcome = engine.finish()
        let found = damage.add(loop.decoder.dequeueDamage(), isClean: true)
        let trailing = factory.reportsInputFaults ? found : []
        result.withLock { result in
            result.events += outcome.events(trailing: trailing)
        }
    }
}

extension SegmentEncoder {
    /// Waits for the next packet, and records its messages and, for VP8, its quantiser.
    private func nextPacket(_ seen: inout SpanQuality) -> Packet? {
        guard let packet = input.receive() else { return nil }
        messages?.record(packet)
        job.ending?.record(packet)
        if factory.codec == .vp8 { seen.add(vp8: packet) }
        return packet
    }
}

// MARK: - Encoding

extension SegmentEncoder {
    /// The work of the encoding thread: encodes the drawn frames, and checks that the packets fit the recording.
    private func encode() throws {
        guard let quality = quality.receive() else { return }
        let encoder = factory.makeEncoder(quality: quality)
        var steering = EncoderSteering(factory.options, encoder: encoder.encoder)
        for frame in job.before { steering?.observe(frame) }
        let emitted = Slot<[ReactionEvent]>([])
        let outlet = EventEmitter(expectsFeedback: false) { event in emitted.value.append(event) }
        let stage = EncodeStage(
            drawn, into: coded, encoder: encoder.encoder, steering: steering, outlet: outlet,
            numbering: factory.numbering)
        try stage.run()
        try factory.check(encoder)
        var packets: [QueuedPacket] = []
        var opening = try factory.makeOpeningDecoder(encoder)
        while let item = coded.receive() {
            // The encoder's own header is discarded, because the output uses the source's.
            guard case .packet(let packet) = consume item else { continue }
            guard encoder.fits(packet) else {
                throw SmartRenderUnavailable("its encoder changes the sequence header midway")
            }
            try opening.add(
                packet, isNeeded: packet.presentationTime.map { job.ending?.contains($0.value) == true } ?? false)
            packets.append(QueuedPacket(try encoder.finished(packet, carrying: messages, ending: job.ending)))
        }
        if let ending = job.ending {
            guard packets.count == job.times.count else {
                throw SmartRenderUnavailable("frames were left out before a recovery point")
            }
            packets = ending.sorted(packets)
        }
        let expected = try opening.finish()
        result.withLock { result in
            result.packets = packets
            result.boundaryFrames += expected
            result.events = emitted.value + result.events
        }
    }
}

/// Decodes the first packets of a segment, and those of its ending, as they leave the encoder, with the encoder's own
/// header.
///
/// The finished file must decode to the same frames, although it also contains the source's parameter sets, and stores
/// packets with another framing.
struct OpeningDecoder {
    private let loop: DecodingLoop
    private let timeBase: TimeBase
    private var count = 0
    private var frames: [SpliceCheck.BoundaryFrame] = []

    init(_ decoder: VideoDecoder, timeBase: TimeBase) {
        loop = DecodingLoop(decoder)
        self.timeBase = timeBase
    }

    /// Decodes the next packet. Packets after the first ``SpliceCheck/openingPackets`` are ignored.
    ///
    /// - Parameter isNeeded: Whether the packet must be decoded in any case.
    mutating func add(_ packet: borrowing Packet, isNeeded: Bool) throws {
        guard count < SpliceCheck.openingPackets || isNeeded else { return }
        count += 1
        try loop.push(packet) { collect($0) }
    }

    /// Returns the frames to which the file must decode.
    ///
    /// - Throws: ``SmartRenderUnavailable`` if the encoder's own packets do not decode cleanly.
    mutating func finish() throws -> [SpliceCheck.BoundaryFrame] {
        try loop.finish { collect($0) }
        guard loop.decoder.dequeueDamage().isEmpty else {
            throw SmartRenderUnavailable("its encoder's packets cannot be decoded")
        }
        return frames
    }

    private mutating func collect(_ frame: borrowing VideoFrame) {
        frames.append(.init(time: frame.time.rescaled(to: timeBase).value, checksum: frame.checksum))
    }
}
