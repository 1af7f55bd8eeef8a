import Foundation
import MediaIO
import Testing
import TestSupport

/// Whether the check before an output gets its name lets through what is right, and nothing else.
///
/// The clip has an entry every ten frames, at a tenth of a second each. Frames 10 to 19 count as a span.
@Suite struct SpliceCheckTests {
    @Test func whatIsRightPasses() async throws {
        try await withClip { clip in try clip.check() }
    }

    @Test(arguments: [9, 20])
    func anotherPictureNextToASeamDoesNot(_ frame: Int) async throws {
        try await withClip { clip in
            #expect(throws: SpliceObstacle("a picture next to a seam of the result is not the source's")) {
                try clip.check(changed: frame)
            }
        }
    }

    @Test func aMissingFrameDoesNot() async throws {
        try await withClip { clip in
            #expect(throws: SpliceObstacle("the result has 40 frames, not 41")) {
                try clip.check(times: clip.frames.map(\.time) + [clip.frames[39].time + 1])
            }
        }
    }

    @Test func anotherTimeDoesNot() async throws {
        try await withClip { clip in
            var times = clip.frames.map(\.time)
            times[33] += (times[34] - times[33]) / 2
            #expect(throws: SpliceObstacle("a frame of the result has another time")) { try clip.check(times: times) }
        }
    }

    @Test(arguments: [1, 11])
    func damageBeforeASpanAndWhereItBeginsDoesNot(_ frame: Int) async throws {
        try await withClip { clip in
            let noise = "noise=amount='if(eq(n,\(frame)),3,0)'"
            try await FFmpegTool.ffmpeg(["-i", clip.file.path, "-c", "copy", "-bsf:v", noise, clip.damaged.path])
            #expect(throws: SpliceObstacle.self) { try clip.check(clip.damaged) }
        }
    }

    private struct Clip {
        let file: URL
        let damaged: URL
        let timeBase: TimeBase
        let start: MediaTime?
        private(set) var frames: [SpliceCheck.Witness] = []

        init(_ file: URL) throws {
            self.file = file
            damaged = file.deletingLastPathComponent().appending(path: "damaged.mp4")
            let demuxer = try Demuxer(path: file.path)
            timeBase = demuxer.video.timeBase
            start = demuxer.video.startTime
            let decoder = try VideoDecoder(demuxer, threads: 1)
            while let packet = try demuxer.readPacket() {
                try decoder.send(packet)
                try take(decoder)
            }
            try decoder.finish()
            try take(decoder)
        }

        private mutating func take(_ decoder: VideoDecoder) throws {
            while let frame = try decoder.receive() {
                frames.append(.init(time: frame.time.rescaled(to: timeBase).value, checksum: frame.checksum))
            }
        }

        /// - Parameter changed: a frame next to a seam that is said to be another.
        func check(_ result: URL? = nil, times: [Int64]? = nil, changed: Int? = nil) throws {
            let witnesses = [9, 20].map { number in
                var witness = frames[number]
                if number == changed { witness.checksum ^= 1 }
                return witness
            }
            let seam = SpliceCheck.Seam(
                primer: frames[0].time, first: frames[10].time, after: frames[20].time, witnesses: witnesses)
            try SpliceCheck(times: times ?? frames.map(\.time), timeBase: timeBase, start: start, seams: [seam])
                .check((result ?? file).path, pool: FramePool())
        }
    }

    private func withClip(_ body: (Clip) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "a.mp4")
            try await FFmpegTool.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=10:d=4", "-c:v", "libx264", "-g", "10", "-x264-params",
                "scenecut=0:bframes=2", file.path,
            ])
            let clip = try Clip(file)
            #expect(clip.frames.count == 40)
            try await body(clip)
        }
    }
}
