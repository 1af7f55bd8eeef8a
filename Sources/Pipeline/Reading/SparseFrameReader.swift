import MediaIO
import Reactions

/// Reads all frames of a recording in order, but decodes only the frames that need close analysis. The other frames
/// have only their times.
///
/// Decoding begins at the key frame before an interval, so the frames equal those of a full decode. In containers that
/// have an index themselves, it seeks over the packets between intervals.
///
/// Used by one thread at a time.
final class SparseFrameReader: FrameReading {
    private var source: FrameSource
    /// Opens the input again, to read it from the beginning.
    private let reopen: () throws(MediaError) -> FrameSource
    private let index: FrameIndex
    private let interrupt: InterruptFlag
    private let recording: IndexedRecording
    private let frames: [FrameIndex.Entry]
    /// The packets still to be decoded, as ranges of packet numbers.
    private var runs: ArraySlice<Range<Int>>
    /// The number of the next packet, and of the next frame.
    private var packet = 0, next = 0
    /// The next decoded frame, kept until its turn in display order.
    private var held: VideoFrame?
    /// The first packet after a seek. Its number is the number of the next packet.
    private var found: Packet?
    /// True if seeks lead to the packets of ``index``.
    private var seeks: Bool
    /// The number of the video's packets that were read.
    private(set) var packetsRead = 0

    init(
        _ scan: ScannedRecording, source: FrameSource, reopen: @escaping () throws(MediaError) -> FrameSource,
        interrupt: InterruptFlag
    ) {
        self.source = source
        self.reopen = reopen
        self.interrupt = interrupt
        index = scan.index
        recording = scan.recording
        frames = scan.frames
        runs = scan.index.runs(for: scan.decoded.ranges)[...]
        // The sample tables of MP4 and the cues of Matroska lead to key frames. Transport streams have no index; AVI
        // states no presentation times. After a seek, the clock of a trim range would begin with another packet.
        let hasIndex = ["mov", "matroska"].contains { source.demuxer.formatName.hasPrefix($0) }
        seeks = hasIndex && source.demuxer.trim == nil
        if seeks { source.demuxer.readOnly(stream: source.demuxer.video.index) }
    }

    var outcome: ReadOutcome {
        guard interrupt.isRaised else { return ReadOutcome(indexedRecording: recording) }
        return ReadOutcome(
            wasInterrupted: true,
            warnings: [PipelineWarning(code: .interrupted, message: "stopped before the end of \(source.demuxer.path)")]
        )
    }

    func nextFrame(copy: (consuming Packet) -> Bool) throws -> PipelineFrame? {
        guard next < frames.count, !interrupt.isRaised else { return nil }
        let entry = frames[next]
        if held == nil { held = try decoded(from: entry.time) }
        next += 1
        if let frame = held.take() {
            if frame.time == entry.time { return pipelineFrame(frame) }
            held = consume frame
        }
        return pipelineFrame(
            try VideoFrame(undecoded: source.demuxer.video, time: entry.time, duration: entry.duration))
    }

    /// Returns a frame as the one before the next entry.
    private func pipelineFrame(_ frame: consuming VideoFrame) -> PipelineFrame {
        let entry = frames[next - 1]
        let end = next < frames.count ? frames[next].time : entry.duration.map { entry.time + $0 }
        var item = PipelineFrame(frame: frame, id: next - 1, time: entry.time.seconds)
        item.shownUntil = source.demuxer.clipped(end?.seconds)
        return item
    }

    /// Returns the next decoded frame that is shown at or after a time. It may be far ahead.
    private func decoded(from time: MediaTime) throws -> VideoFrame? {
        while let run = runs.first {
            try skip(to: run)
            while let frame = try source.next({ try nextPacket(of: run) }) {
                if frame.time >= time { return frame }
            }
            source.restart()
            runs.removeFirst()
        }
        return nil
    }

    /// The minimum number of packets for which a seek is worthwhile, because a seek also reads some packets.
    private static let minimumSkip = 32

    /// Seeks to the key frame at the beginning of a run, if it is far ahead. If the seek leads to a later packet, or to
    /// a packet that is not in the index, everything is read from the beginning.
    private func skip(to run: Range<Int>) throws {
        guard seeks, run.lowerBound - packet >= Self.minimumSkip,
            source.demuxer.seek(to: index.packets[run.lowerBound].time)
        else { return }
        if let first = try readPacket(), let number = index.number(of: first, upTo: run.lowerBound) {
            // If the seek went back, the container's index does not cover the following packets, and this was the last
            // seek.
            seeks = number >= packet
            packet = number
            found = consume first
        } else {
            seeks = false
            (source, packet) = (try reopen(), 0)
        }
    }

    /// Continues reading up to the next packet of a run.
    ///
    /// - Returns: `nil` at the end of the run, and at the end of the file.
    private func nextPacket(of run: Range<Int>) throws -> Packet? {
        while packet < run.upperBound {
            guard let read = if let first = found.take() { first } else { try readPacket() } else { return nil }
            packet += 1
            if run.contains(packet - 1) { return read }
        }
        return nil
    }

    private func readPacket() throws -> Packet? {
        packetsRead += 1
        return try source.demuxer.readVideoPacket()
    }
}
