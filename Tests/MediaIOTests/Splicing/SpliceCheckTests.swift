import Foundation
import MediaIO
import Testing
import TestSupport

/// The check before an output gets its name accepts correct outputs, and nothing else.
///
/// The clip has an entry every ten frames, at a tenth of a second each. Frames 10 to 19 count as a span.
@Suite struct SpliceCheckTests {
    @Test func correctOutputsPass() async throws {
        try await withClip { clip in try clip.check() }
    }

    @Test(arguments: [9, 20])
    func changedBoundaryFramesFail(_ frame: Int) async throws {
        try await withClip { clip in
            #expect(throws: SmartRenderUnavailable("a frame at a boundary of the result decodes differently")) {
                try clip.check(changed: frame)
            }
        }
    }

    @Test func missingFramesFail() async throws {
        try await withClip { clip in
            #expect(throws: SmartRenderUnavailable("the result has 40 frames, not 41")) {
                try clip.check(times: clip.frames.map(\.time) + [clip.frames[39].time + 1])
            }
        }
    }

    @Test func changedTimesFail() async throws {
        try await withClip { clip in
            var times = clip.frames.map(\.time)
            times[33] += (times[34] - times[33]) / 2
            #expect(throws: SmartRenderUnavailable("a frame of the result has a different time stamp")) {
                try clip.check(times: times)
            }
        }
    }

    /// A decoder conceals much damage silently: only comparing pictures detects each of these cases.
    @Test(arguments: [(packet: 1, seen: 9...9), (packet: 11, seen: 10...12)])
    func silentDamageBeforeASpanFails(_ packet: Int, _ seen: ClosedRange<Int>) async throws {
        try await withClip { clip in
            try clip.damageSilently(packet: packet, seenIn: seen)
            #expect(throws: SmartRenderUnavailable("a frame at a boundary of the result decodes differently")) {
                try clip.check(clip.damaged)
            }
        }
    }

    @Test func reportedDamageFails() async throws {
        try await withClip { clip in
            try clip.rewrite(packet: 11) { bytes in for i in bytes.indices.dropFirst(5) { bytes[i] = 0xFF } }
            #expect(throws: SmartRenderUnavailable.self) { try clip.check(clip.damaged) }
        }
    }

    private struct Clip {
        let file: URL
        let damaged: URL
        let timeBase: TimeBase
        let start: MediaTime?
        /// In the order of decoding.
        private let packets: [[UInt8]]
        /// In the order of presentation.
        let frames: [SpliceCheck.BoundaryFrame]

        init(_ file: URL) throws {
            self.file = file
            damaged = file.deletingLastPathComponent().appending(path: "damaged.mp4")
            let demuxer = try Demuxer(path: file.path)
            timeBase = demuxer.video.timeBase
            start = demuxer.video.startTime
            let decoded = try Self.decode(file)
            (packets, frames) = (decoded.packets, decoded.frames)
        }

        private static func decode(
            _ file: URL
        ) throws -> (packets: [[UInt8]], frames: [SpliceCheck.BoundaryFrame], hasDamage: Bool) {
            let demuxer = try Demuxer(path: file.path)
            let decoder = try VideoDecoder(demuxer, threads: 1)
            var packets: [[UInt8]] = [], frames: [SpliceCheck.BoundaryFrame] = []
            func collect() throws {
                while let frame = try decoder.receive() {
                    let time = frame.time.rescaled(to: demuxer.video.timeBase).value
                    frames.append(.init(time: time, checksum: frame.checksum))
                }
            }
            while let packet = try demuxer.readPacket() {
                packets.append(packet.bytes)
                try decoder.send(packet)
                try collect()
            }
            try decoder.finish()
            try collect()
            return (packets, frames, !decoder.dequeueDamage().isEmpty)
        }

        /// Writes ``damaged``: the clip with other bytes in one packet.
        func rewrite(packet: Int, _ change: (inout [UInt8]) -> Void) throws {
            var bytes = packets[packet]
            change(&bytes)
            var data = try Data(contentsOf: file)
            let place = try #require(data.firstRange(of: Data(packets[packet])))
            data.replaceSubrange(place, with: bytes)
            try data.write(to: damaged)
        }

        /// Writes ``damaged`` with one bit of a packet flipped so that a frame of a range decodes to another picture,
        /// but the decoder reports nothing.
        ///
        /// The effective bits depend on the encoder, which writes other bytes on other processors: they are tried in
        /// turn.
        func damageSilently(packet: Int, seenIn range: ClosedRange<Int>) throws {
            for bit in 64..<packets[packet].count * 8 {
                try rewrite(packet: packet) { $0[bit / 8] ^= 1 << (bit % 8) }
                let decoded = try Self.decode(damaged)
                if !decoded.hasDamage, decoded.frames.count == frames.count,
                    decoded.frames[range] != frames[range]
                {
                    return
                }
            }
            Issue.record("no bit of packet \(packet) changes frames \(range) without an error")
        }

        /// - Parameter changed: a frame at a seam whose expected checksum is wrong.
        func check(_ result: URL? = nil, times: [Int64]? = nil, changed: Int? = nil) throws {
            let boundaryFrames = [9, 10, 11, 12, 20].map { number in
                var witness = frames[number]
                if number == changed { witness.checksum ^= 1 }
                return witness
            }
            let seam = SpliceCheck.Seam(
                primer: frames[0].time, first: frames[10].time, resumed: frames[20].time, last: frames[20].time,
                boundaryFrames: boundaryFrames)
            try SpliceCheck(times: times ?? frames.map(\.time), timeBase: timeBase, start: start, seams: [seam])
                .check((result ?? file).path, maxPixels: 1 << 26, pool: FramePool())
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
