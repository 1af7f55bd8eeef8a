package import MediaIO
import Platform
import Reactions

/// A source of a run's frames, in display order.
package protocol FrameReading: AnyObject {
    /// Reads up to the next frame.
    ///
    /// - Parameter copy: receives the packets of other streams before that frame. It returns `false` to stop reading.
    /// - Returns: `nil` at the end of the input, when the run is stopped, and when `copy` has returned `false`.
    /// - Throws: `MediaError`.
    func nextFrame(copy: (consuming Packet) -> Bool) throws -> PipelineFrame?

    /// The result of reading.
    var outcome: ReadOutcome { get }
}

/// Reads packets and decodes the video. Packets of other streams are passed to the muxer without decoding, or dropped
/// if `copiesOtherStreams` is false.
///
/// Inputs: a demuxer and its decoder. Outputs: frames in the order in which they
/// are shown, and copied packets in the order of the file.
///
/// Used by one thread at a time.
package final class InputReader: FrameReading {
    private var source: FrameSource {
        didSet { speech = makeSpeechReader(source.demuxer) }
    }
    /// Creates the reader that detects speech in the sound of an input.
    private let makeSpeechReader: (Demuxer) -> SpeechReader?
    private var speech: SpeechReader?
    /// Reopens a lost input; `nil` if the end of the input ends the run.
    private let reconnection: Reconnection?
    /// The time at which the content read so far ends; `nil` if the input is never reopened.
    private var lastEnd: MediaTime?
    /// The time-out that ended the input's connection.
    private var loss: MediaError?
    private let interrupt: InterruptFlag
    /// True if the other streams are copied.
    private let copiesOtherStreams: Bool
    private let load: StageLoad?
    /// Records the positions at which the recording can be cut; `nil` if no index was requested.
    private let indexer: PacketIndexer?
    /// See ``TrimEntry/skipsUnreferencedFrames``.
    private let skipsUnreferencedFrames: Bool
    private var damage = DamageReport()
    /// The most recent warning about places that the demuxer skipped.
    private var reportedSkip: String?
    /// The number of reported gaps in the time stamps, which the demuxer has closed.
    private var reportedGaps = 0
    private var frameIndex = 0
    /// The number of frames before the start of the video.
    private var leadingFrames = 0
    /// The frame on screen at the start of the trim range.
    private var opening: VideoFrame?
    /// The frame after ``opening``.
    private var later: VideoFrame?
    /// True if each frame waits for the next one, which determines how long it is shown.
    private let looksAhead: Bool
    /// The frame that waits for the next one.
    private var waiting: PipelineFrame?
    /// The error after the frame that was returned last.
    private var failure: (any Error)?

    package init(
        _ source: FrameSource, copiesOtherStreams: Bool, load: StageLoad? = nil,
        reconnection: Reconnection? = nil, indexer: PacketIndexer? = nil, skipsUnreferencedFrames: Bool = false,
        looksAhead: Bool = false,
        makeSpeechReader: @escaping (Demuxer) -> SpeechReader? = { _ in nil }, interrupt: InterruptFlag
    ) {
        (self.makeSpeechReader, speech) = (makeSpeechReader, makeSpeechReader(source.demuxer))
        self.skipsUnreferencedFrames = skipsUnreferencedFrames
        self.looksAhead = looksAhead
        self.indexer = indexer
        self.load = load
        self.reconnection = reconnection
        self.source = source
        self.copiesOtherStreams = copiesOtherStreams
        self.interrupt = interrupt
    }

    private var demuxer: Demuxer { source.demuxer }
    private var decoder: VideoDecoder { source.decoder }
    /// True if the consumer of copied packets does not accept packets any more.
    private var copyIsRefused = false

    /// True if the run was stopped before the input ended.
    private(set) var wasInterrupted = false

    package func nextFrame(copy: (consuming Packet) -> Bool) throws -> PipelineFrame? {
        guard looksAhead else { return try readFrame(copy: copy) }
        if let failure { throw failure }
        if waiting == nil { waiting = try readFrame(copy: copy) }
        guard var frame = waiting.take() else { return nil }
        // A frame before an error is still shown.
        do { waiting = try readFrame(copy: copy) } catch { failure = error }
        if let next = waiting?.time {
            frame.shownUntil = next
        } else if let duration = frame.frame.duration, !wasInterrupted, failure == nil {
            frame.shownUntil = demuxer.clipped(frame.time + duration.seconds)
        }
        return frame
    }

    private func readFrame(copy: (consuming Packet) -> Bool) throws -> PipelineFrame? {
        while true {
            if let frame = later.take() { return makePipelineFrame(frame) }
            let decoded = try decodeNext(copy: copy)
            if copyIsRefused { return nil }
            if let frame = decoded {
                guard let shown = trimmed(frame) else { continue }
                return makePipelineFrame(shown)
            }
            if let first = opening.take() { return makePipelineFrame(first) }
            guard reconnect() else { return nil }
        }
    }

    /// Decodes up to the next frame, and measures only the time of decoding.
    private func decodeNext(copy: (consuming Packet) -> Bool) throws -> VideoFrame? {
        var start = MonotonicClock.now
        let frame = try source.next {
            load?.addDecoding(since: start)
            defer { start = MonotonicClock.now }
            return try nextVideoPacket(copy: copy)
        }
        load?.addDecoding(since: start)
        return frame
    }

    /// Continues reading up to the next packet of the video.
    ///
    /// - Returns: `nil` at the end, and when `copy` has returned `false`.
    private func nextVideoPacket(copy: (consuming Packet) -> Bool) throws -> Packet? {
        while let packet = try readPacket() {
            note(packet)
            indexer?.add(packet)
            speech?.add(packet)
            if packet.streamIndex == demuxer.video.index {
                if skipsUnreferencedFrames { dropUnseen(before: packet.presentationTime) }
                return packet
            }
            guard copiesOtherStreams else { continue }
            guard copy(packet) else {
                copyIsRefused = true
                return nil
            }
        }
        return nil
    }

    /// The maximum time, in seconds, for which the first frame of a trim range may already have been on screen.
    private static let opening = 0.25

    /// Drops frames that are never shown: frames before the trim range to which no other frame refers.
    private func dropUnseen(before time: MediaTime?) {
        decoder.leavesOutUnreferenced = time.map { $0.seconds < -Self.opening } ?? false
    }

    /// Shifts a frame to the clock of the trim range. The range begins at 0 with the frame on screen at that time,
    /// which is known when the next frame arrives.
    ///
    /// - Returns: `nil` if that frame is not yet known, and for frames after the range.
    private func trimmed(_ frame: consuming VideoFrame) -> VideoFrame? {
        guard let trim = demuxer.trim else { return frame }
        let time = frame.time.seconds
        if let end = trim.end, time >= end - trim.start - TrimRange.rounding { return nil }
        if frameIndex > 0 { return frame }
        if time <= TrimRange.rounding {
            _ = decoder.dequeueDamage()
            frame.time = MediaTime(value: 0, timeBase: frame.time.timeBase)
            opening = consume frame
            return nil
        }
        guard var first = opening.take() else { return frame }
        first.duration = frame.time
        later = consume frame
        return first
    }

    /// Records the end of the content, so that a reopened input can continue there.
    private func note(_ packet: borrowing Packet) {
        guard reconnection != nil, let time = packet.presentationTime ?? packet.decodingTime else { return }
        let end = packet.duration.map { time + $0 } ?? time
        lastEnd = lastEnd.map { max($0, end) } ?? end
    }

    /// Opens another connection, and continues after the last frame of the previous one.
    ///
    /// - Returns: `false` if the input has ended properly, cannot be reopened, or the run is stopped.
    private func reconnect() -> Bool {
        guard let reconnection, !wasInterrupted, loss != nil || !demuxer.endsProperly,
            let resumed = reconnection.resume(
                demuxer, at: lastEnd, because: loss ?? demuxer.endedEarly)
        else {
            wasInterrupted = interrupt.isRaised
            return false
        }
        readingWarnings(isLast: true).forEach(reconnection.emit)
        (reportedSkip, reportedGaps) = (nil, 0)
        source = resumed
        loss = nil
        return true
    }

    package var outcome: ReadOutcome {
        ReadOutcome(wasInterrupted: wasInterrupted, warnings: trailingWarnings(), indexedRecording: indexer?.finish())
    }

    /// Returns the warnings that occurred after the last frame.
    private func trailingWarnings() -> [PipelineWarning] {
        var warnings = damage.add(decoder.dequeueDamage(), isClean: true) + readingWarnings(isLast: true)
        let count = demuxer.leadingCount - leadingFrames
        if copiesOtherStreams, count > 0 {
            let message =
                count == 1
                ? "\(demuxer.path): begins with a picture that cannot be decoded, since it refers to earlier ones; it was omitted"
                : "\(demuxer.path): begins with \(count) pictures that cannot be decoded, since they refer to earlier ones; they were omitted"
            warnings.append(PipelineWarning(code: .damagedInput, message: message))
        }
        if let change = demuxer.formatChange {
            warnings.append(PipelineWarning(code: .damagedInput, message: change.description))
        }
        if let loss {
            warnings.append(PipelineWarning(code: .inputLost, message: loss.description))
        } else if let cut = demuxer.endedEarly {
            warnings.append(PipelineWarning(code: .damagedInput, message: cut.description))
        }
        if wasInterrupted {
            warnings.append(
                PipelineWarning(
                    code: .interrupted, message: "stopped before the end of \(demuxer.path)"))
        }
        return warnings
    }

    /// Returns new warnings about gaps that the demuxer closed, and about places that it skipped. Gaps are reported as
    /// they occur. The first skipped place is reported as it occurs, and the total number of them at the end.
    private func readingWarnings(isLast: Bool = false) -> [PipelineWarning] {
        let gaps = demuxer.clockRepairs.dropFirst(reportedGaps).map {
            PipelineWarning(code: .timestampGap, message: $0)
        }
        reportedGaps += gaps.count
        guard isLast || reportedSkip == nil, let fault = demuxer.passedOver?.description, fault != reportedSkip
        else { return gaps }
        reportedSkip = fault
        return gaps + [PipelineWarning(code: .damagedInput, message: fault)]
    }

    /// Returns the next packet of any stream; `nil` at the end, if the run is stopped, and if the connection is lost.
    private func readPacket() throws -> Packet? {
        do throws(MediaError) {
            if !interrupt.isRaised, let packet = try demuxer.readPacket() { return packet }
        } catch {
            // An interrupted or lost input ends as if it were complete.
            guard error.code == .interrupted || error.code == .timedOut else { throw error }
            if error.code == .timedOut { loss = error }
        }
        wasInterrupted = interrupt.isRaised
        return nil
    }

    /// Returns the next frame with the warnings before it.
    private func makePipelineFrame(_ frame: consuming VideoFrame) -> PipelineFrame {
        let warnings = damage.add(decoder.dequeueDamage(), isClean: !frame.isDamaged) + readingWarnings()
        defer { frameIndex += 1 }
        if let start = demuxer.video.startTime, frame.time < start { leadingFrames += 1 }
        let time = frame.time.seconds
        return PipelineFrame(frame: frame, id: frameIndex, time: time, warnings: warnings)
    }
}

extension Demuxer {
    /// Returns a time, or the end of the trim range if that is earlier. Both are in seconds.
    func clipped(_ time: Double?) -> Double? {
        guard let time, let trim, let end = trim.end else { return time }
        return min(time, end - trim.start)
    }
}

/// Joins the damage of neighbouring packets and frames into intervals, so that
/// each interval is reported once.
package struct DamageReport {
    private var open: (first: Double?, last: Double?, count: Int, detail: String)?

    package init() {}

    /// Adds the damage detected before a frame.
    ///
    /// - Parameter isClean: Whether the frame itself is undamaged, which ends an interval.
    /// - Returns: One warning for an interval that has ended.
    package mutating func add(_ damage: [DecodingDamage], isClean: Bool) -> [PipelineWarning] {
        for item in damage {
            let time = item.time?.seconds
            open = (
                // Packets arrive in decoding order, not in display order.
                [open?.first, time].compactMap(\.self).min(), [open?.last, time].compactMap(\.self).max(),
                (open?.count ?? 0) + 1,
                open?.detail ?? item.detail
            )
        }
        guard isClean, let (first, last, count, detail) = open else { return [] }
        open = nil
        var place = ""
        if let first {
            let last = last ?? first
            place = first == last ? " at \(seconds(first)) s" : " from \(seconds(first)) s to \(seconds(last)) s"
        }
        let message = "the input is damaged\(place): \(detail)\(count > 1 ? " (\(count) times)" : "")"
        return [PipelineWarning(code: .damagedInput, message: message)]
    }

    private func seconds(_ value: Double) -> Double { JSONLine.rounded(value, places: 3) }
}

/// The result of reading after the input has ended.
package struct ReadOutcome: Sendable {
    /// True if the run was stopped before the input ended.
    package var wasInterrupted = false
    /// The warnings that occurred after the last frame.
    package var warnings: [PipelineWarning] = []
    /// The index of all packets, if one was requested.
    var indexedRecording: IndexedRecording?
}

/// Runs a reader: sends its frames to the next stage, and the copied packets between them to the muxer.
struct ReadStage: Stage, ~Copyable {
    let reader: any FrameReading
    let frames: Channel<PipelineFrame>
    /// The channel for packets of other streams; `nil` if nothing is written.
    let copies: Channel<OutputItem>?

    consuming func run() throws -> ReadOutcome {
        let (frames, copies) = (frames, copies)
        defer {
            frames.finish()
            copies?.finish()
        }
        while let frame = try reader.nextFrame(copy: { copies?.send(.packet($0)) ?? true }) {
            guard frames.send(frame) else { break }
        }
        return reader.outcome
    }
}
