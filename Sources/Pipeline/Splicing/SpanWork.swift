import MediaIO
import Platform
import RateControl
import Reactions
import Synchronization

/// One span of a recording on its way: decoded, drawn and coded again, on two threads of its own.
///
/// It depends on nothing but its packets, so that several may be under way beside each other, and the result is the
/// same however many are.
final class SpanWork: Sendable {
    /// What became of a span.
    struct Result: Sendable {
        /// In the order of coding, with their places in the stream.
        var packets: [QueuedPacket] = []
        /// What happened in its frames, in order.
        var events: [ReactionEvent] = []
        /// The frames of the source next to it, and its own first frames, with what they must decode to in the output.
        var witnesses: [SpliceCheck.Witness] = []
        var obstacle: SpliceObstacle?
        var failure: FlourishError?
    }

    /// What a span is made of.
    struct Order: Sendable {
        var span: SpliceSpan
        /// The presentation times of its frames, in ticks, sorted.
        var times: [Int64]
        /// How many frames come before it.
        var firstFrame: Int
        /// The frames of the source before and after it that are copied, in ticks.
        var neighbours: [Int64]
        var requests: [ScheduledRequest]
        /// What tells its first effect apart.
        var effectID: Int
        /// The bytes of the entry with which decoding begins.
        var entrySize: Int
        /// The packets before it, as the source coded them.
        var before: [EncodedFrame]
    }

    let order: Order
    private let workshop: SpanWorkshop
    private let decoder: VideoDecoder
    private let input: Channel<Packet>
    private let drawn = Channel<PipelineFrame>(capacity: SpanQuality.leastFrames)
    /// The encoder's constant quality, if anything is known of it, once enough of the source was seen.
    private let quality = Channel<Double?>(capacity: 1)
    private let coded: Channel<OutputItem>
    /// What the source's pictures say of themselves.
    private let messages: CarriedMessages?
    private let finished = Channel<Result>(capacity: 1)
    private let done = Atomic(false)
    private let cancelled = Atomic(false)
    private let result = Mutex(Result())

    /// - Parameter decoder: of the source, which nobody else uses.
    init(_ order: Order, workshop: SpanWorkshop, decoder: VideoDecoder) {
        self.order = order
        self.workshop = workshop
        self.decoder = decoder
        messages = workshop.makeMessages()
        input = Channel(capacity: order.span.decoded.count)
        // Nobody takes anything before all is coded: the header and a packet for each frame.
        coded = Channel(capacity: order.times.count + 2)
    }

    /// Whether ``wait()`` would not wait.
    var isDone: Bool { done.load(ordering: .acquiring) }

    /// Begins on threads of its own.
    func start() {
        StageThread { [self] in
            let drawing = StageThread { [self] in
                watch { try draw() }
                drawn.finish()
            }
            watch { try encode() }
            // Whoever draws must not wait for an encoder that failed.
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

    /// Whether it was given up, or failed.
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
                if let obstacle = error as? SpliceObstacle {
                    result.obstacle = result.obstacle ?? obstacle
                } else {
                    result.failure = result.failure ?? FlourishError(describing: error)
                }
            }
            cancel()
        }
    }
}

// MARK: - Decoding and drawing

extension SpanWork {
    private func draw() throws {
        let engine = workshop.makeEngine(order)
        let (switches, noRequests) = (workshop.switches, workshop.noRequests)
        var loop = DecodingLoop(decoder)
        var seen = SpanQuality()
        var isDecided = false
        var damage = DamageReport()
        var count = 0
        while let frame = try loop.next({ nextPacket(&seen) }) {
            let ticks = frame.time.rescaled(to: workshop.timeBase).value
            if seen.isEmpty { seen.matched = try workshop.quality(matching: order.entrySize, of: frame) }
            seen.note(frame)
            if order.neighbours.contains(ticks) {
                let witness = SpliceCheck.Witness(time: ticks, checksum: frame.checksum)
                result.withLock { $0.witnesses.append(witness) }
            }
            let faults = loop.decoder.takeDamage()
            guard ticks >= order.times[0], count < order.times.count else { continue }
            if frame.isInterlaced { throw SpliceObstacle("it is interlaced") }
            guard ticks == order.times[count] else {
                throw SpliceObstacle("its pictures do not come at the times that its file says")
            }
            let warnings = workshop.reportsInputFaults ? damage.add(faults, isClean: !frame.isDamaged) : []
            let time = frame.time.seconds
            var item = PipelineFrame(
                frame: frame, id: order.firstFrame + count, time: time, warnings: warnings)
            count += 1
            guard try engine.process(&item, switches, requests: { noRequests }) else { continue }
            // A face that is protected comes first.
            item.frame.regions += SeamQuality.regions(
                ofFrame: count - 1, of: order.times.count, width: item.frame.width, height: item.frame.height)
            workshop.control.meter.noteFrame(decodedAt: item.arrival)
            guard drawn.send(item) else { return }
            if !isDecided, seen.isSettled || count == order.times.count {
                isDecided = true
                _ = quality.send(seen.crf)
            }
        }
        guard count == order.times.count else {
            throw SpliceObstacle("not all pictures of it can be decoded")
        }
        let outcome = engine.finish()
        let trailing = workshop.reportsInputFaults ? damage.add(loop.decoder.takeDamage(), isClean: true) : []
        result.withLock { result in
            result.events += outcome.events(trailing: trailing)
        }
    }
}

extension SpanWork {
    /// Waits for the next packet, and records what it carries.
    private func nextPacket(_ seen: inout SpanQuality) -> Packet? {
        guard let packet = input.receive() else { return nil }
        messages?.note(packet)
        if workshop.codec == .vp8 { seen.add(vp8: packet) }
        return packet
    }
}

// MARK: - Encoding

extension SpanWork {
    private func encode() throws {
        guard let quality = quality.receive() else { return }
        let encoder = workshop.makeEncoder(quality: quality)
        var steering = EncoderSteering(workshop.options, encoder: encoder.encoder)
        for frame in order.before { steering?.observe(frame) }
        let told = Slot<[ReactionEvent]>([])
        let outlet = EventOutlet(expectsFeedback: false) { event in told.value.append(event) }
        let stage = EncodeStage(
            drawn, into: coded, encoder: encoder.encoder, steering: steering, outlet: outlet, ledger: workshop.ledger)
        try stage.run()
        try workshop.check(encoder)
        var packets: [QueuedPacket] = []
        var opening = try workshop.makeOpeningDecoder(encoder)
        while let item = coded.receive() {
            // The header is that of the source.
            guard case .packet(let packet) = consume item else { continue }
            guard encoder.fits(packet) else { throw SpliceObstacle("its encoder changes the sequence header midway") }
            try opening.add(packet)
            packets.append(QueuedPacket(try encoder.finished(packet, carrying: messages)))
        }
        let expected = try opening.finish()
        result.withLock { result in
            result.packets = packets
            result.witnesses += expected
            result.events = told.value + result.events
        }
    }
}

/// Decodes the first packets of a span as they leave the encoder, by the encoder's own header.
///
/// The finished file must decode to the same frames: there the packets refer to parameter sets beside the source's, and
/// stand in another framing.
struct OpeningDecoder {
    private let loop: DecodingLoop
    private let timeBase: TimeBase
    private var count = 0
    private var frames: [SpliceCheck.Witness] = []

    init(_ decoder: VideoDecoder, timeBase: TimeBase) {
        loop = DecodingLoop(decoder)
        self.timeBase = timeBase
    }

    /// Decodes the next packet; those after the first ``SpliceCheck/openingPackets`` are ignored.
    mutating func add(_ packet: borrowing Packet) throws {
        guard count < SpliceCheck.openingPackets else { return }
        count += 1
        try loop.push(packet) { collect($0) }
    }

    /// Returns the frames that the file must decode to.
    ///
    /// - Throws: ``SpliceObstacle`` where the encoder's own packets do not decode cleanly.
    mutating func finish() throws -> [SpliceCheck.Witness] {
        try loop.finish { collect($0) }
        guard loop.decoder.takeDamage().isEmpty else { throw SpliceObstacle("its encoder's packets cannot be decoded") }
        return frames
    }

    private mutating func collect(_ frame: borrowing VideoFrame) {
        frames.append(.init(time: frame.time.rescaled(to: timeBase).value, checksum: frame.checksum))
    }
}
