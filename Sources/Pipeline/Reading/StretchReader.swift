import MediaIO
import Reactions

/// Gives all frames of a recording in order, but decodes only those that are worth a close look; the others are
/// nothing but their times.
///
/// Decoding begins at the key frame before a stretch, so that its frames are those of a decoder that has seen everything.
///
/// Used by one thread at a time.
final class StretchReader: FrameReading {
    private let source: FrameSource
    private let interrupt: InterruptFlag
    private let recording: RecordingSurvey
    private let frames: [FrameIndex.Entry]
    /// What is still to be decoded, as numbers of packets.
    private var runs: ArraySlice<Range<Int>>
    /// The number of the next packet, and of the next frame.
    private var packet = 0, next = 0
    private var held: VideoFrame?

    init(_ scan: ScannedRecording, source: FrameSource, interrupt: InterruptFlag) {
        self.source = source
        self.interrupt = interrupt
        recording = scan.recording
        frames = scan.frames
        runs = scan.index.runs(for: scan.decoded.ranges)[...]
    }

    var outcome: ReadOutcome {
        guard interrupt.isRaised else { return ReadOutcome(survey: recording) }
        return ReadOutcome(
            wasInterrupted: true,
            warnings: [PipelineWarning(code: .interrupted, message: "stopped before the end of \(source.demuxer.path)")])
    }

    func nextFrame(copy: (consuming Packet) -> Bool) throws -> PipelineFrame? {
        guard next < frames.count, !interrupt.isRaised else { return nil }
        let entry = frames[next]
        if held == nil { held = try decoded(from: entry.time) }
        next += 1
        if let frame = held.take() {
            if frame.time == entry.time {
                return PipelineFrame(frame: frame, id: next - 1, time: entry.time.seconds)
            }
            held = consume frame
        }
        let blank = try VideoFrame(undecoded: source.demuxer.video, time: entry.time, duration: entry.duration)
        return PipelineFrame(frame: blank, id: next - 1, time: entry.time.seconds)
    }

    /// Returns the next decoded frame that is shown at a time or later; it may be far ahead.
    private func decoded(from time: MediaTime) throws -> VideoFrame? {
        while let run = runs.first {
            while let frame = try source.next({ try nextPacket(of: run) }) {
                if frame.time >= time { return frame }
            }
            source.restart()
            runs.removeFirst()
        }
        return nil
    }

    /// Reads on to the next packet of a run.
    ///
    /// - Returns: `nil` at the end of the run, and of the file.
    private func nextPacket(of run: Range<Int>) throws -> Packet? {
        while packet < run.upperBound, let read = try source.demuxer.readVideoPacket() {
            packet += 1
            if run.contains(packet - 1) { return read }
        }
        return nil
    }
}
