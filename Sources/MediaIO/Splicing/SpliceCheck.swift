internal import CFFmpeg

/// Compares a spliced file with its source before the file gets its final name. The check reads and decodes the file,
/// and changes nothing.
///
/// The check compares the times of all packets, and the frames around each seam. These frames are the last copied frame
/// before a segment, the first frames of the segment, and the frame at which copying resumes. The expected checksums of
/// a segment's frames come from a decoder that uses the encoder's own header.
package struct SpliceCheck: Sendable {
    /// A frame at a seam, and the checksum of its decoded picture.
    package struct BoundaryFrame: Sendable, Hashable {
        /// The frame's presentation time in ticks of the source.
        package var time: Int64
        package var checksum: UInt64
        /// True if the packets of an encoder begin with the frame. A segment has several encoders if the picture size
        /// changes within it.
        package var beginsPart = false

        package init(time: Int64, checksum: UInt64) {
            self.time = time
            self.checksum = checksum
        }
    }

    /// An encoded segment with the frames to check.
    package struct Seam: Sendable {
        /// Presentation times in ticks of the source: of the packet at which decoding begins, and of the segment's
        /// first frame.
        package var primer: Int64
        package var first: Int64
        /// Presentation times in ticks of the source: of the packet at which decoding resumes after the segment's first
        /// packets, and of the last decoded packet; nil if the segment is the last one.
        package var resumed: Int64?
        package var last: Int64?
        package var boundaryFrames: [BoundaryFrame]

        package init(
            primer: Int64, first: Int64, resumed: Int64?, last: Int64?, boundaryFrames: [BoundaryFrame]
        ) {
            self.primer = primer
            self.first = first
            self.resumed = resumed
            self.last = last
            self.boundaryFrames = boundaryFrames
        }
    }

    /// The number of packets at the beginning of each part of a segment that are decoded. These packets contain the segment's
    /// parameter sets and frames of each type. The segment's other packets are skipped, since decoding restarts with
    /// the frame after the segment.
    package static let openingPackets = 12

    private let times: [Int64]
    private let timeBase: TimeBase
    private let start: MediaTime?
    private let seams: [Seam]

    /// - Parameters:
    ///   - times: The presentation times of all shown pictures of the video, in ticks of the source, sorted.
    ///   - start: The start of the source's video, as its file states it.
    ///   - seams: The segments in order.
    package init(times: [Int64], timeBase: TimeBase, start: MediaTime?, seams: [Seam]) {
        self.start = start
        self.times = times
        self.timeBase = timeBase
        self.seams = seams
    }

    /// Reads a file and compares it.
    ///
    /// - Parameters:
    ///   - stream: The index of the video to compare; nil if the file has one.
    ///   - maxPixels: The source's ``InputSettings/maxPixels``.
    /// - Returns: The file, after all its packets were read.
    /// - throws: `SmartRenderUnavailable` if it differs; ``MediaError`` if it cannot be read.
    @discardableResult
    package func check(_ path: String, stream: Int? = nil, maxPixels: Int, pool: FramePool) throws -> Demuxer {
        let demuxer = try Demuxer(path: path, settings: InputSettings(maxPixels: maxPixels, videoStream: stream))
        let place = demuxer.video.index
        let clock = Clock(demuxer, start: start, base: timeBase, times: times)
        var found: [Int64] = []
        found.reserveCapacity(times.count)
        var next = 0
        // Two probes may run at a time: the picture after a segment may be where decoding for the next segment begins.
        var probes: [Probe] = []
        while let packet = try demuxer.readPacket() {
            guard packet.streamIndex == place, let time = packet.presentationTime ?? packet.decodingTime else {
                continue
            }
            if !packet.isHidden { found.append(time.value) }
            if next < seams.count, clock.matches(time, seams[next].primer) {
                probes.append(Probe(seams[next], clock, decoder: try VideoDecoder(demuxer, threads: 2, pool: pool)))
                next += 1
            }
            for index in probes.indices.reversed() where try probes[index].accept(packet, at: time) {
                probes.remove(at: index)
            }
        }
        for index in probes.indices { try probes[index].finish() }
        guard next == seams.count else { throw SmartRenderUnavailable("the result lacks a frame at a boundary") }
        try compare(found, clock, demuxer.video.timeBase)
        return demuxer
    }

    private func compare(_ found: [Int64], _ clock: Clock, _ base: TimeBase) throws {
        guard found.count == times.count else {
            throw SmartRenderUnavailable("the result has \(found.count) frames, not \(times.count)")
        }
        for (ticks, expected) in zip(found.sorted(), times)
        where !clock.matches(MediaTime(value: ticks, timeBase: base), expected) {
            throw SmartRenderUnavailable("a frame of the result has a different time stamp")
        }
    }

    /// Compares the file's times with the source's, with a tolerance of one tick of the coarser time base, but less than
    /// half of the shortest frame: in AVI, and some QuickTime files, a frame lasts one tick.
    private struct Clock {
        private let offset: MediaTime
        private let base: TimeBase
        private let tolerance: Double

        /// - Parameter times: The source's times in their order, in `base`.
        init(_ demuxer: Demuxer, start: MediaTime?, base: TimeBase, times: [Int64]) {
            // Some containers begin at a different time than the source.
            let begin = demuxer.video.startTime ?? .zero
            offset = begin - (start ?? begin)
            self.base = base
            let shortest = zip(times, times.dropFirst()).lazy.map { $1 - $0 }.filter { $0 > 0 }.min()
            tolerance = min(
                max(demuxer.video.timeBase.value, base.value), shortest.map { Double($0) * base.value * 0.49 } ?? 1)
        }

        func matches(_ time: MediaTime, _ expected: Int64) -> Bool {
            abs(distance(time, expected)) <= tolerance
        }

        func isEarlier(_ time: MediaTime, _ expected: Int64) -> Bool { distance(time, expected) < -tolerance }

        private func distance(_ time: MediaTime, _ expected: Int64) -> Double {
            (time - offset).seconds - MediaTime(value: expected, timeBase: base).seconds
        }
    }

    /// Decodes the packets around a segment's seams, and compares the frames with the expected ones.
    private struct Probe {
        private let seam: Seam
        private let clock: Clock
        private let loop: DecodingLoop
        private var seen: Set<Int64> = []
        /// The number of packets of the segment so far.
        private var inside = 0
        /// True if all packets are decoded again.
        private var hasResumed = false

        init(_ seam: Seam, _ clock: Clock, decoder: VideoDecoder) {
            self.seam = seam
            self.clock = clock
            loop = DecodingLoop(decoder)
        }

        /// - Returns: Whether the segment is complete.
        mutating func accept(_ packet: borrowing Packet, at time: MediaTime) throws -> Bool {
            hasResumed = hasResumed || seam.resumed.map { clock.matches(time, $0) } ?? false
            let isLast = hasResumed && seam.last.map { clock.matches(time, $0) } ?? false
            let beginsPart = seam.boundaryFrames.contains { $0.beginsPart && clock.matches(time, $0.time) }
            if inside > 0 || clock.matches(time, seam.first) { inside = beginsPart ? 1 : inside + 1 }
            guard hasResumed || inside <= SpliceCheck.openingPackets else { return false }
            // Before the segment, pictures that are neither compared nor referenced are skipped.
            loop.decoder.leavesOutUnreferenced =
                inside == 0 && seam.boundaryFrames.allSatisfy { clock.isEarlier(time, $0.time) }
            try loop.push(packet) { try compare($0) }
            guard isLast else { return false }
            try finish()
            return true
        }

        mutating func finish() throws {
            try loop.finish { try compare($0) }
            guard seen.count == seam.boundaryFrames.count else {
                throw SmartRenderUnavailable("the result lacks a frame at a boundary")
            }
            guard loop.decoder.dequeueDamage().isEmpty else {
                throw SmartRenderUnavailable("the result does not decode without errors")
            }
        }

        private mutating func compare(_ frame: borrowing VideoFrame) throws {
            // Rounding to the container's time base may give neighbouring frames the same time.
            let time = frame.time
            let candidates = seam.boundaryFrames.filter { clock.matches(time, $0.time) }
            guard !candidates.isEmpty else { return }
            let checksum = frame.checksum
            let matches = candidates.filter { $0.checksum == checksum }
            if matches.isEmpty {
                throw SmartRenderUnavailable("a frame at a boundary of the result decodes differently")
            }
            seen.formUnion(matches.map(\.time))
        }
    }
}
