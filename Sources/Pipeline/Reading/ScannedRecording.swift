package import MediaIO
import Reactions

/// The result of a coarse scan of a recording: the times of its frames, and the intervals that need close analysis.
package struct ScannedRecording: Sendable {
    package var index: FrameIndex
    /// The frames in the order in which they are shown.
    package var frames: [FrameIndex.Entry]
    var intervals: CandidateIntervals
    /// The tiles of a gallery over time; empty for a single picture.
    var layouts = LayoutTimeline()
    /// The intervals decoded in addition, for photographs alone.
    var photographed = CandidateIntervals()
    /// The index of all packets.
    package var recording: IndexedRecording
}

extension ScannedRecording {
    /// The intervals that are decoded.
    var decoded: CandidateIntervals {
        var all = intervals
        for range in photographed.ranges { all.add(range) }
        return all
    }

    /// Adds the frames that photographs of reactions need.
    mutating func photograph(_ requests: [ScheduledRequest]) {
        guard let first = frames.first?.time.seconds else { return }
        for request in requests {
            let time = first + request.seconds - FrameRing.rounding
            // The reaction begins with the first frame shown at or after its time.
            guard let shown = frames.first(where: { $0.time.seconds >= time })?.time.seconds else { continue }
            photographed.add(shown - FrameRing.length - FrameRing.rounding...shown + FrameRing.rounding)
        }
    }

    /// Returns the recording with only the frames that show effects selected for analysis.
    package func showing(_ requests: [ScheduledRequest], by catalog: EffectCatalog) -> ScannedRecording {
        guard let timeBase = frames.first?.time.timeBase else { return self }
        let touched = TouchedFrames(
            requests, presets: catalog.presets, times: frames.map { $0.time.rescaled(to: timeBase).value },
            timeBase: timeBase, reactionsEnabled: true)
        func seconds(_ ticks: Int64) -> Double { MediaTime(value: ticks, timeBase: timeBase).seconds }
        var shown = self
        shown.intervals = CandidateIntervals()
        for interval in touched.ranges {
            shown.intervals.add(seconds(interval.lowerBound)...seconds(interval.upperBound))
        }
        return shown
    }
}

/// The times of a recording's frames, and the packets from which they are decoded, known before any packet is decoded.
package struct FrameIndex: Sendable {
    /// A frame as its packet describes it.
    package struct Entry: Sendable, Hashable {
        var time: MediaTime
        var duration: MediaTime?
        var isKeyFrame = false
        /// A Boolean value that indicates whether the frame is decoded, but not shown.
        var isHidden = false
    }

    /// In the order in which they are decoded.
    private(set) var packets: [Entry] = []
    private var isUsable = true

    /// Takes the next packet of the video.
    mutating func add(_ packet: borrowing Packet) {
        guard let time = packet.presentationTime, !packet.isCorrupt else {
            isUsable = false
            return
        }
        add(
            Entry(
                time: time, duration: packet.duration, isKeyFrame: packet.isKeyFrame, isHidden: packet.isHidden))
    }

    mutating func add(_ entry: Entry) { packets.append(entry) }

    /// Returns the frames in display order. `nil` if the packets do not determine the order, so that all frames must be
    /// decoded: a packet has no time, two have the same time, or the first shown frames cannot be decoded.
    func frames() -> [Entry]? {
        guard isUsable, let first = packets.first, first.isKeyFrame else { return nil }
        let frames = packets.filter { !$0.isHidden }.sorted { $0.time < $1.time }
        guard packets.allSatisfy({ $0.isHidden || $0.time >= first.time }),
            zip(frames, frames.dropFirst()).allSatisfy({ $0.time < $1.time })
        else { return nil }
        return frames
    }

    /// Returns the number of a packet, from one with a time stamp backward.
    ///
    /// - Parameter last: The largest possible number.
    /// - Returns: `nil` if no packet up to that number is like it.
    func number(of packet: borrowing Packet, upTo last: Int) -> Int? {
        guard let time = packet.presentationTime else { return nil }
        let (isKeyFrame, isHidden) = (packet.isKeyFrame, packet.isHidden)
        return packets[...last].lastIndex {
            $0.time == time && $0.isKeyFrame == isKeyFrame && $0.isHidden == isHidden
        }
    }

    /// Returns the packets that must be decoded for the frames of some intervals, in their order, as runs that each
    /// begin with a key frame.
    ///
    /// - Parameter intervals: The intervals, in seconds, in order.
    func runs(for intervals: [ClosedRange<Double>]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for interval in intervals {
            let wanted = packets.indices.filter { interval.contains(packets[$0].time.seconds) }
            guard let first = wanted.first, let last = wanted.last else { continue }
            // Frames shown before a key frame may need frames decoded before it.
            let key = packets[...first].lastIndex { $0.isKeyFrame && $0.time.seconds <= interval.lowerBound } ?? 0
            if let open = runs.last, key < open.upperBound {
                runs[runs.count - 1] = open.lowerBound..<max(open.upperBound, last + 1)
            } else {
                runs.append(key..<last + 1)
            }
        }
        return runs
    }
}

/// Returns all frames of a recording in order, but decodes only the frames that need close analysis. The others have
/// only their times.
///
/// Decoding begins at the key frame before an interval, so that the frames equal those of a full decode. In containers
/// with an index, packets between intervals are not read if seeking finds the packets of that index.
///
/// Used by one thread at a time.
final class SparseFrameReader: FrameReading {
    private var source: FrameSource
    /// Opens the input again, to read it from its beginning on.
    private let reopen: () throws(MediaError) -> FrameSource
    private let index: FrameIndex
    private let interrupt: InterruptFlag
    private let recording: IndexedRecording
    private let frames: [FrameIndex.Entry]
    /// The packets still to be decoded, as ranges of packet numbers.
    private var runs: ArraySlice<Range<Int>>
    /// The number of the next packet, and of the next frame.
    private var packet = 0, next = 0
    private var held: VideoFrame?
    /// The first packet after a seek. Its number is the number of the next packet.
    private var found: Packet?
    /// A Boolean value that indicates whether seeking is worth a try.
    private var seeks: Bool
    /// The number of packets that were read of the video.
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
        // The sample tables of MP4 and the cues of Matroska lead to key frames. Transport streams have no index; AVI states
        // no presentation times. The clock of a part begins with its first packet.
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
            if frame.time == entry.time {
                return PipelineFrame(frame: frame, id: next - 1, time: entry.time.seconds)
            }
            held = consume frame
        }
        let blank = try VideoFrame(undecoded: source.demuxer.video, time: entry.time, duration: entry.duration)
        return PipelineFrame(frame: blank, id: next - 1, time: entry.time.seconds)
    }

    /// Returns the next decoded frame shown at or after a time; it may be far ahead.
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

    /// The number of packets that are read rather than skipped, since a seek reads some, too.
    private static let minimumSkip = 32

    /// Seeks to the key frame with which a run begins, if it is far ahead. Where the seek leads to a later packet, or to one
    /// that the index does not have, everything is read from the beginning on.
    private func skip(to run: Range<Int>) throws {
        guard seeks, run.lowerBound - packet >= Self.minimumSkip,
            source.demuxer.seek(to: index.packets[run.lowerBound].time)
        else { return }
        if let first = try readPacket(), let number = index.number(of: first, upTo: run.lowerBound) {
            // If the index points to an earlier position, it does not cover the following packets.
            seeks = number >= packet
            packet = number
            found = consume first
        } else {
            seeks = false
            (source, packet) = (try reopen(), 0)
        }
    }

    /// Reads on to the next packet of a run.
    ///
    /// - Returns: `nil` at the end of the run, and of the file.
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
