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

    /// The drawn frames of one form. Each part has an encoder, since an encoder's pictures have one form.
    private struct Part: Sendable {
        let form: FrameForm
        /// The presentation time of the first frame, in ticks.
        let time: Int64
        let frames = Channel<PipelineFrame>(capacity: SpanQuality.minimumFrames)
    }

    let job: Job
    private let factory: SegmentEncoderFactory
    private let decoder: VideoDecoder
    private let input: Channel<Packet>
    private let parts = Channel<Part>(capacity: 1)
    /// The part whose frames are being drawn.
    private let currentPart = Mutex<Part?>(nil)
    /// Passes the encoder's constant quality to the encoding thread, as soon as the drawing thread has decoded enough
    /// of the source; `nil` if it cannot be determined.
    private let quality = Channel<Double?>(capacity: 1)
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
                begin(nil)
                parts.finish()
            }
            watch { try encode() }
            // The drawing thread must not wait for an encoder that has failed.
            stopDrawing()
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
        quality.cancel()
        stopDrawing()
    }

    private func stopDrawing() {
        parts.cancel()
        currentPart.withLock { $0?.frames.cancel() }
    }

    /// Ends the current part, and begins another, if there is one.
    ///
    /// - Returns: Whether the encoding thread accepts it.
    @discardableResult
    private func begin(_ part: Part?) -> Bool {
        currentPart.withLock { current in
            current?.frames.finish()
            current = part
        }
        return part.map { parts.send($0) } ?? false
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
        func decide() {
            if !isDecided { _ = quality.send(seen.crf) }
            isDecided = true
        }
        var damage = DamageReport()
        var count = 0
        var part: Part?
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
            let form = FrameForm(item.frame)
            if part?.form != form {
                try factory.check(item.frame)
                // The encoding thread waits for the quality before it accepts a second part.
                if part != nil { decide() }
                let next = Part(form: form, time: ticks)
                guard begin(next) else { return }
                part = next
            }
            guard part?.frames.send(item) == true else { return }
            if seen.isSettled || count == job.times.count { decide() }
        }
        // The last frames may have been left out.
        decide()
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
    /// The work of the encoding thread: encodes the drawn frames.
    private func encode() throws {
        guard let quality = quality.receive() else { return }
        let emitted = Slot<[ReactionEvent]>([])
        let outlet = EventEmitter(expectsFeedback: false) { event in emitted.value.append(event) }
        var packets: [QueuedPacket] = []
        while let part = parts.receive() {
            packets += try encode(part, quality, outlet, isFirst: packets.isEmpty)
        }
        if let ending = job.ending {
            guard packets.count == job.times.count else {
                throw SmartRenderUnavailable("frames were left out before a recovery point")
            }
            packets = ending.sorted(packets)
        }
        result.withLock { result in
            result.packets = packets
            result.events = emitted.value + result.events
        }
    }

    /// Encodes a part, and checks that its packets fit the recording.
    private func encode(
        _ part: Part, _ quality: Double?, _ outlet: EventEmitter, isFirst: Bool
    ) throws -> [QueuedPacket] {
        let encoder = factory.makeEncoder(of: part.form, at: part.time, quality: quality)
        var steering = EncoderSteering(factory.options, encoder: encoder.encoder)
        if isFirst { for frame in job.before { steering?.observe(frame) } }
        // The channel is not read before everything is encoded, so it has room for the header and a packet for each
        // frame.
        let coded = Channel<OutputItem>(capacity: job.times.count + 2)
        let stage = EncodeStage(
            part.frames, into: coded, encoder: encoder.encoder, steering: steering, outlet: outlet,
            numbering: factory.numbering)
        try stage.run()
        // Without a frame the encoder has no header.
        if isCancelled { return [] }
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
        let expected = try opening.finish().map { frame in
            var frame = frame
            frame.beginsPart = frame.time == part.time
            return frame
        }
        result.withLock { $0.boundaryFrames += expected }
        return packets
    }
}
