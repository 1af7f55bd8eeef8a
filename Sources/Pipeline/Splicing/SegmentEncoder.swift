import MediaIO
import Platform
import RateControl
import Reactions
import Synchronization

/// Decodes, draws and encodes one span of a recording on two threads.
///
/// The result depends only on the span's packets. Several spans may be encoded in parallel, and their number does not
/// change the result.
final class SegmentEncoder: Sendable {
    /// The result of encoding a span.
    struct Result: Sendable {
        /// In the order of coding, with their places in the stream.
        var packets: [QueuedPacket] = []
        /// The events of its frames, in order.
        var events: [ReactionEvent] = []
        /// The source's frames next to the span, and the span's first frames, each with the picture to which it must
        /// decode in the output.
        var boundaryFrames: [SpliceCheck.BoundaryFrame] = []
        var unavailable: SmartRenderUnavailable?
        var failure: FlourishError?
    }

    /// The input for encoding a span.
    struct Job: Sendable {
        var span: SpliceSpan
        /// The presentation times of its frames, in ticks, sorted.
        var times: [Int64]
        /// The number of frames before it.
        var firstFrame: Int
        /// The frames of the source before and after it that are copied, in ticks.
        var neighbours: [Int64]
        var requests: [ScheduledRequest]
        /// The identifier of its first effect.
        var effectID: Int
        /// The bytes of the entry with which decoding begins.
        var entrySize: Int
        /// The packets before it, as the source coded them.
        var before: [EncodedFrame]
    }

    let job: Job
    private let factory: SegmentEncoderFactory
    private let decoder: VideoDecoder
    private let input: Channel<Packet>
    private let drawn = Channel<PipelineFrame>(capacity: SpanQuality.minimumFrames)
    /// The encoder's constant quality, if anything is known of it, once enough of the source was seen.
    private let quality = Channel<Double?>(capacity: 1)
    private let coded: Channel<OutputItem>
    /// The messages that the source's pictures carry.
    private let messages: CarriedMessages?
    private let finished = Channel<Result>(capacity: 1)
    private let done = Atomic(false)
    private let cancelled = Atomic(false)
    private let result = Mutex(Result())

    /// - Parameter decoder: A decoder of the source, used by this encoder alone.
    init(_ job: Job, factory: SegmentEncoderFactory, decoder: VideoDecoder) {
        self.job = job
        self.factory = factory
        self.decoder = decoder
        messages = factory.makeMessages()
        input = Channel(capacity: job.span.decoded.count)
        // The sink reads nothing before all is coded, so the channel holds the header and a packet for each frame.
        coded = Channel(capacity: job.times.count + 2)
    }

    /// A Boolean value that indicates whether ``wait()`` would return at once.
    var isDone: Bool { done.load(ordering: .acquiring) }

    /// Starts the two threads.
    func start() {
        StageThread { [self] in
            let drawing = StageThread { [self] in
                watch { try draw() }
                drawn.finish()
            }
            watch { try encode() }
            // The drawing thread must not wait for an encoder that failed.
            drawn.cancel()
            drawing.join()
            _ = finished.send(result.withLock { $0 })
            done.store(true, ordering: .releasing)
        }.detach()
    }

    /// Gives it the next of the packets that it decodes.
    func take(_ packet: consuming Packet) { _ = input.send(packet) }

    /// Says that it has all packets.
    func finishInput() { input.finish() }

    /// A Boolean value that indicates whether the encoder was cancelled, or failed.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Gives it up.
    func cancel() {
        cancelled.store(true, ordering: .releasing)
        input.cancel()
        drawn.cancel()
        quality.cancel()
        coded.cancel()
    }

    /// Waits until it is done. Called once.
    func wait() -> Result { finished.receive() ?? Result() }

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
    private func draw() throws {
        let engine = factory.makeEngine(job)
        let (switches, noRequests) = (factory.switches, factory.noRequests)
        var loop = DecodingLoop(decoder)
        var seen = SpanQuality()
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
            let warnings = factory.inputFaults.warnings(damage.add(faults, isClean: !frame.isDamaged))
            let time = frame.time.seconds
            var item = PipelineFrame(
                frame: frame, id: job.firstFrame + count, time: time, warnings: warnings)
            count += 1
            guard try engine.process(&item, switches, requests: { noRequests }) else { continue }
            // Protected faces take precedence.
            item.frame.regions += SeamQuality.regions(
                ofFrame: count - 1, of: job.times.count, width: item.frame.width, height: item.frame.height)
            factory.control.meter.noteFrame(decodedAt: item.arrival)
            guard drawn.send(item) else { return }
            if !isDecided, seen.isSettled || count == job.times.count {
                isDecided = true
                _ = quality.send(seen.crf)
            }
        }
        guard count == job.times.count else {
            throw SmartRenderUnavailable("not all its frames can be decoded")
        }
        let outcome = engine.finish()
        let trailing = factory.inputFaults.warnings(
            damage.add(loop.decoder.dequeueDamage(), isClean: true))
        result.withLock { result in
            result.events += outcome.events(trailing: trailing)
        }
    }
}

extension SegmentEncoder {
    /// Waits for the next packet, and records its quality.
    private func nextPacket(_ seen: inout SpanQuality) -> Packet? {
        guard let packet = input.receive() else { return nil }
        messages?.record(packet)
        if factory.codec == .vp8 { seen.add(vp8: packet) }
        return packet
    }
}

// MARK: - Encoding

extension SegmentEncoder {
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
            // The output uses the source's header.
            guard case .packet(let packet) = consume item else { continue }
            guard encoder.fits(packet) else {
                throw SmartRenderUnavailable("its encoder changes the sequence header midway")
            }
            try opening.add(packet)
            packets.append(QueuedPacket(try encoder.finished(packet, carrying: messages)))
        }
        let expected = try opening.finish()
        result.withLock { result in
            result.packets = packets
            result.boundaryFrames += expected
            result.events = emitted.value + result.events
        }
    }
}

/// Decodes the first packets of a span as they leave the encoder, by the encoder's own header.
///
/// The finished file must decode to the same frames, although its packets refer to parameter sets next to the source's,
/// and use another framing.
struct OpeningDecoder {
    private let loop: DecodingLoop
    private let timeBase: TimeBase
    private var count = 0
    private var frames: [SpliceCheck.BoundaryFrame] = []

    init(_ decoder: VideoDecoder, timeBase: TimeBase) {
        loop = DecodingLoop(decoder)
        self.timeBase = timeBase
    }

    /// Decodes the next packet; packets after the first ``SpliceCheck/openingPackets`` are ignored.
    mutating func add(_ packet: borrowing Packet) throws {
        guard count < SpliceCheck.openingPackets else { return }
        count += 1
        try loop.push(packet) { collect($0) }
    }

    /// Returns the frames that the file must decode to.
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
