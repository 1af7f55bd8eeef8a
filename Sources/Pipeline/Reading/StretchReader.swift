import MediaIO
import Reactions

/// Gives all frames of a recording in order, but decodes only those that are worth a close look; the others are
/// nothing but their times.
///
/// Decoding begins at the key frame before a stretch, so that its frames are those of a decoder that has seen everything.
///
/// Used by one thread at a time.
final class StretchReader: FrameReading {
    private let demuxer: Demuxer
    private let decoder: VideoDecoder
    private let interrupt: InterruptFlag
    private let recording: RecordingSurvey
    private let frames: [FrameIndex.Entry]
    /// What is still to be decoded, as numbers of packets.
    private var runs: ArraySlice<Range<Int>>
    /// The number of the next packet, and of the next frame.
    private var packet = 0, next = 0
    private var isDraining = false
    private var held: VideoFrame?

    init(_ scan: ScannedRecording, demuxer: Demuxer, decoder: VideoDecoder, interrupt: InterruptFlag) {
        self.demuxer = demuxer
        self.decoder = decoder
        self.interrupt = interrupt
        recording = scan.recording
        frames = scan.frames
        runs = scan.index.runs(for: scan.decoded.ranges)[...]
    }

    var outcome: ReadOutcome {
        guard interrupt.isRaised else { return ReadOutcome(survey: recording) }
        return ReadOutcome(
            wasInterrupted: true,
            warnings: [PipelineWarning(code: .interrupted, message: "stopped before the end of \(demuxer.path)")])
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
        let blank = try VideoFrame(undecoded: demuxer.video, time: entry.time, duration: entry.duration)
        return PipelineFrame(frame: blank, id: next - 1, time: entry.time.seconds)
    }

    /// The next decoded frame that is shown at a time or later; it may be far ahead.
    private func decoded(from time: MediaTime) throws -> VideoFrame? {
        while true {
            while let frame = try decoder.receive() {
                if frame.time >= time { return frame }
            }
            if isDraining {
                decoder.restart()
                isDraining = false
            }
            guard let run = runs.first else { return nil }
            guard packet < run.upperBound, try sendPacket(of: run) else {
                runs.removeFirst()
                try decoder.finish()
                isDraining = true
                continue
            }
        }
    }

    /// Reads the next packet of the video, and decodes it if it belongs to a run.
    /// - Returns: `false` at the end of the file.
    private func sendPacket(of run: Range<Int>) throws -> Bool {
        while let read = try demuxer.readPacket() {
            guard read.streamIndex == demuxer.video.index else { continue }
            packet += 1
            if run.contains(packet - 1) { try decoder.send(read) }
            return true
        }
        return false
    }
}
