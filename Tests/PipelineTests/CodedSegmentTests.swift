import Foundation
import MediaIO
@testable import Pipeline
import Platform
import Testing
import TestSupport

/// Segments of recordings, decoded one by one.
@Suite struct CodedSegmentTests {
    /// Threads add candidate intervals in any order, with the same result.
    @Test func intervalsMergeInAnySequence() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<50 {
            let starts = (0..<20).map { _ in Double.random(in: 0...100, using: &generator) }
            let ranges = starts.map { $0...$0 + Double.random(in: 0...5, using: &generator) }
            func joined(_ ranges: some Sequence<ClosedRange<Double>>) -> CandidateIntervals {
                ranges.reduce(into: CandidateIntervals()) { $0.add($1) }
            }
            let whole = joined(ranges)
            #expect(joined(ranges.shuffled(using: &generator)) == whole)
            let parts = [joined(ranges[..<9]), joined(ranges[9...])]
            #expect(joined(parts.flatMap(\.ranges)) == whole)
        }
    }

    /// Large packets wait in a smaller number. A segment of small packets never makes the reader wait.
    @Test(arguments: [
        (count: 300, size: 3_000_000, capacity: 300), (300, 300 << 20, 100), (90_000, 9_000 << 20, 640), (0, 0, 1),
    ])
    func fewPacketsWait(_ count: Int, _ size: Int, _ capacity: Int) {
        #expect(SegmentEncoder.inputCapacity(count: count, size: size) == capacity)
    }

    /// - Parameter frameCount: the expected number of frames for the cutter; without it segments are as short as
    ///   possible.
    ///
    /// - Returns: the times of the frames of each segment, in the recording's ticks.
    private func framesOfSegments(
        _ arguments: [String], seconds: Int = 16, frameCount: Int = 0
    ) async throws -> [[Int64]] {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "in.mkv")
            _ = try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=size=64x64:rate=25:duration=\(seconds)"] + arguments + [file.path])
            let demuxer = try Demuxer(path: file.path)
            let indexer = try PacketIndexer(demuxer)
            var segments: [CodedSegment] = []
            var cutter = SegmentCutter(frameCount: frameCount) { segment in
                segments.append(segment)
                return true
            }
            while let packet = try demuxer.readPacket() {
                indexer.add(packet)
                #expect(try cutter.add(packet, isEntry: indexer.endsInEntry))
            }
            cutter.finish()
            return try segments.map { try times(of: $0, decoder: VideoDecoder(demuxer, threads: 1)) }
        }
    }

    private func times(of segment: CodedSegment, decoder: VideoDecoder) throws -> [Int64] {
        var times: [Int64] = []
        func receive() throws {
            while let frame = try decoder.receive() {
                let isDamaged = frame.isDamaged
                #expect(!isDamaged)
                if let end = segment.end.value, frame.time >= end { continue }
                times.append(frame.time.value)
            }
        }
        while let packet = segment.packets.receive() {
            try decoder.send(packet)
            try receive()
        }
        try decoder.finish()
        try receive()
        #expect(decoder.dequeueDamage().isEmpty)
        return times
    }

    /// An open group's first pictures are coded after the entry and shown before it, and so count for the part before.
    @Test(arguments: [
        (["-c:v", "libx264", "-bf", "3"], [120, 120, 120, 40]),
        (["-c:v", "libx265", "-x265-params", "log-level=none:open-gop=1:bframes=3"], [140, 140, 120]),
        (["-c:v", "libx265", "-x265-params", "log-level=none:open-gop=0:bframes=3:radl=2"], [120, 120, 120, 40]),
    ])
    func segmentFramesEqualThoseOfTheWhole(_ arguments: [String], _ counts: [Int]) async throws {
        let segments = try await framesOfSegments(["-g", "20"] + arguments)
        #expect(segments.map(\.count) == counts)
        #expect(segments.flatMap(\.self) == (0..<400).map { Int64($0 * 40) })
    }

    /// Shorter segments at the end keep all threads busy.
    @Test func segmentsShortenTowardTheEnd() async throws {
        let segments = try await framesOfSegments(
            ["-c:v", "libx264", "-preset", "ultrafast", "-g", "20"], seconds: 80, frameCount: 2000)
        #expect(segments.map(\.count) == [260, 260, 260, 260, 240, 180, 140, 120, 120, 120, 40])
    }

    @Test func undividableRecordingsHaveOneSegment() async throws {
        let segments = try await framesOfSegments(["-c:v", "libx264", "-g", "1000", "-keyint_min", "1000"])
        #expect(segments.map(\.count) == [400])
    }
}
