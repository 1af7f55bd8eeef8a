import Foundation
import MediaIO
@testable import Pipeline
import Platform
import Testing
import TestSupport

/// Reading of the frames around candidates alone.
@Suite struct SparseFrameReaderTests {
    /// Forty seconds with a key frame each two seconds, and sound between the pictures.
    private static let video = [
        "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=25:duration=40", "-f", "lavfi", "-i", "sine=duration=40",
        "-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-g", "50", "-c:a", "aac",
    ]

    private struct Frames {
        /// The time of each frame, in ticks.
        var times: [Int64] = []
        /// The checksum of each frame; `nil` where it was not decoded.
        var checksums: [UInt64?] = []
        /// The number of packets of the video that were read, and of openings of the file.
        var packetsRead = 0, openings = 0
    }

    private static func scan(
        _ file: URL, _ intervals: [ClosedRange<Double>], settings: InputSettings = InputSettings()
    ) throws -> ScannedRecording {
        let demuxer = try Demuxer(path: file.path, settings: settings)
        let indexer = try PacketIndexer(demuxer)
        var index = FrameIndex()
        while let packet = try demuxer.readPacket() {
            guard packet.streamIndex == demuxer.video.index else { continue }
            index.add(packet)
            indexer.add(packet)
        }
        var candidates = CandidateIntervals()
        for interval in intervals { candidates.add(interval) }
        return ScannedRecording(
            index: index, frames: try #require(index.frames()), intervals: candidates, recording: indexer.finish())
    }

    private static func read(
        _ scan: ScannedRecording, of file: URL, settings: InputSettings = InputSettings()
    ) throws -> Frames {
        var frames = Frames()
        func open() throws(MediaError) -> FrameSource {
            frames.openings += 1
            return try FrameSource(file.path, settings, threads: 1)
        }
        try withoutActuallyEscaping(open) { open in
            let reader = SparseFrameReader(scan, source: try open(), reopen: open, interrupt: InterruptFlag())
            while let item = try reader.nextFrame(copy: { _ in true }) {
                frames.times.append(item.frame.time.value)
                frames.checksums.append(item.frame.hasPicture ? item.frame.checksum : nil)
            }
            frames.packetsRead = reader.packetsRead
        }
        return frames
    }

    private static let intervals = [9.2...10.4, 30.5...31.5]

    /// - Returns: The result of reading the intervals, whose frames equal those of reading everything.
    private func compared(_ file: URL, settings: InputSettings = InputSettings()) throws -> Frames {
        let whole = try Self.read(Self.scan(file, [-1...100], settings: settings), of: file, settings: settings)
        let parts = try Self.read(
            Self.scan(file, Self.intervals, settings: settings), of: file, settings: settings)
        #expect(whole.times.count > 200 && !whole.checksums.contains(nil))
        #expect(parts.times == whole.times)
        let decoded = parts.checksums.count { $0 != nil }
        #expect(decoded > 50 && decoded < whole.times.count / 2)
        #expect(zip(parts.checksums, whole.checksums).allSatisfy { $0 == nil || $0 == $1 })
        return parts
    }

    @Test(arguments: ["mp4", "mov", "mkv"])
    func containersWithAnIndexAreNotReadBetweenIntervals(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "in.\(container)")
            try await FFmpegTool.make(Self.video, as: file)
            let frames = try compared(file)
            // Two groups of pictures for each interval at most.
            #expect(frames.packetsRead < 250 && frames.openings == 1)
        }
    }

    @Test(arguments: [
        ("ts", []), ("fragments.mp4", ["-movflags", "+frag_keyframe+empty_moov"]),
    ])
    func containersWithoutAnIndexAreReadOn(_ container: String, _ options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "in.\(container)")
            try await FFmpegTool.make(Self.video + options, as: file)
            #expect(try compared(file).openings <= 2)
        }
    }

    @Test func cutStartsAreReadExactly() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "in.mp4")
            let cut = folder.appending(path: "cut.mp4")
            try await FFmpegTool.make(Self.video, as: file)
            // The edit list hides the pictures before the cut.
            try await FFmpegTool.ffmpeg(["-ss", "1.5", "-i", file.path, "-c", "copy", cut.path])
            let scan = try Self.scan(cut, Self.intervals)
            let whole = try Self.read(Self.scan(cut, [-1...100]), of: cut)
            let parts = try Self.read(scan, of: cut)
            #expect(zip(parts.checksums, whole.checksums).allSatisfy { $0 == nil || $0 == $1 })
            #expect(parts.packetsRead < 250)
        }
    }

    @Test func partsAreReadOn() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "in.mp4")
            try await FFmpegTool.make(Self.video, as: file)
            var settings = InputSettings()
            settings.trim = TrimRange(start: 0, end: 35)
            #expect(try compared(file, settings: settings).openings == 1)
        }
    }

    /// An index of another file: a seek leads to a packet that it does not have.
    @Test func anIndexThatDoesNotFitIsNotUsed() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "in.mkv")
            try await FFmpegTool.make(Self.video, as: file)
            var scan = try Self.scan(file, Self.intervals)
            var index = FrameIndex()
            for (number, entry) in scan.index.packets.enumerated() {
                var entry = entry
                if number < 300 { entry.isHidden = true }
                index.add(entry)
            }
            scan.index = index
            #expect(try Self.read(scan, of: file).openings == 2)
        }
    }
}
