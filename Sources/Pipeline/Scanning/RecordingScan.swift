import MediaIO
import Platform
package import Reactions

/// Finds the intervals of a recording that need close analysis. The scan is quick: only some frames are analysed,
/// unreferenced pictures are skipped, and the codec's loop filter is off.
///
/// One thread reads the recording and cuts it into segments. One thread per core decodes and analyses them.
package struct RecordingScan {
    private let pass: RunPass
    private let control: SessionControl

    package init(_ pass: RunPass, control: SessionControl) {
        self.pass = pass
        self.control = control
    }

    /// Codecs in which each packet is one shown frame. Packets of other codecs may contain hidden frames.
    private static let codecs: Set = ["h264", "hevc"]
    /// Limits the memory: each thread has its own models, and buffers the packets of up to one segment.
    private static let maximumThreads = 8

    /// Scans the whole recording.
    ///
    /// - Returns: `nil` if all frames must be analysed, because the packets lack information or the recording is
    ///   damaged; also if the scan was stopped.
    /// - Throws: ``FlourishError``.
    package func run() throws(FlourishError) -> ScannedRecording? {
        do {
            let demuxer = try pass.openInput(control.interrupt)
            guard Self.codecs.contains(demuxer.video.codec), !demuxer.isStillImage else { return nil }
            return try scan(demuxer)
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// Scans and indexes an opened recording; returns `nil` in the cases of ``run()``.
    private func scan(_ demuxer: Demuxer) throws -> ScannedRecording? {
        let reader = try IndexingReader(demuxer: demuxer, interrupt: control.interrupt)
        var intervals = CandidateIntervals()
        var layouts: LayoutTimeline?
        if pass.detectsHands {
            guard let found = try findIntervals(through: demuxer, reader) else { return nil }
            (intervals, layouts) = found
        } else {
            try reader.read { _, _ in true }
        }
        guard let read = reader.outcome, let shown = read.index.frames(), let first = shown.first else { return nil }
        // Scheduled reactions need decoded frames, in which their places are chosen.
        for reaction in pass.schedule {
            let time = first.time.seconds + reaction.seconds
            let findsTiles = layouts == nil && pass.findsTiles && reaction.request.origin != nil
            let (before, after) = findsTiles ? Self.layoutSearch : (0, Self.placing)
            intervals.add(max(time - before, first.time.seconds)...time + after)
        }
        var scan = ScannedRecording(
            index: read.index, frames: shown, intervals: intervals, layouts: layouts, recording: read.recording)
        scan.photograph(pass.photographedSchedule)
        return scan
    }

    /// The time after a requested time, in seconds, within which the next frame is expected.
    private static let placing = 0.5
    /// The time before a reaction within which its tile is found, and the time after it for which the tile is followed, in
    /// seconds.
    private static let layoutSearch = (before: 4.0, after: 6.0)

    /// - Returns: The intervals that may contain a gesture, and the tiles; `nil` if pictures are damaged or interlaced.
    private func findIntervals(
        through demuxer: Demuxer, _ reader: IndexingReader
    ) throws -> (CandidateIntervals, LayoutTimeline)? {
        let video = demuxer.video
        let findings = ScanFindings(video, progress: pass.observer.progress)
        let failure = PipelineFailure()
        let segments = Channel<CodedSegment>(capacity: 1)
        failure.onFailure { segments.cancel() }
        let threads = min(Machine.cores, Self.maximumThreads)
        let decoders = try (0..<threads).map { _ in try VideoDecoder(demuxer, threads: 1, options: .frugal) }
        let scanners = decoders.map { [pass, control] decoder in
            { @Sendable in
                _ = failure.run(
                    SegmentScanner(
                        segments, pass, decoder: decoder, findings: findings, interrupt: control.interrupt))
            }
        }
        StageThread.run(beside: scanners[...]) {
            failure.watch {
                let frameCount = (video.duration?.seconds ?? 0) * video.averageFrameRate.value
                var cutter = SegmentCutter(frameCount: Int(min(max(frameCount, 0), 1e9))) { segment in
                    failure.onFailure { segment.packets.cancel() }
                    return segments.send(segment)
                }
                try reader.read { packet, isEntry in try cutter.add(packet, isEntry: isEntry) }
                if reader.outcome == nil { cutter.cancel() } else { cutter.finish() }
            }
            segments.finish()
        }
        try failure.check()
        return findings.intervals.map { ($0, findings.layouts) }
    }
}

/// Reads all packets of a recording, and indexes the packets of its video.
private final class IndexingReader {
    private let demuxer: Demuxer
    private let interrupt: InterruptFlag
    private let indexer: PacketIndexer

    /// The indexes of the recording's packets.
    struct Outcome: Sendable {
        var index: FrameIndex
        var recording: IndexedRecording
    }

    /// The result; `nil` if the recording is incomplete, or was not read to its end.
    private(set) var outcome: Outcome?

    init(demuxer: Demuxer, interrupt: InterruptFlag) throws(MediaError) {
        indexer = try PacketIndexer(demuxer)
        self.demuxer = demuxer
        self.interrupt = interrupt
    }

    /// - Parameter take: receives each packet, and whether decoding can start there. It returns `false` to stop.
    func read(_ take: (consuming Packet, Bool) throws -> Bool) throws {
        var index = FrameIndex()
        while !interrupt.isRaised, let packet = try nextPacket() {
            guard packet.streamIndex == demuxer.video.index else { continue }
            index.add(packet)
            indexer.add(packet)
            guard try take(packet, indexer.endsInEntry) else { return }
        }
        guard !interrupt.isRaised, demuxer.faults.isEmpty, demuxer.closedGaps.isEmpty else { return }
        outcome = Outcome(index: index, recording: indexer.finish())
    }

    /// Returns the next packet; `nil` at the end, and if the scan is stopped. The run reports the interruption.
    private func nextPacket() throws(MediaError) -> Packet? {
        do throws(MediaError) { return try demuxer.readPacket() } catch {
            guard error.code == .interrupted else { throw error }
            return nil
        }
    }
}
