import Foundation
import Testing
import TestSupport

@testable import MediaIO

/// Recordings whose clock jumps forward by a minute, for example after a recorder lost its signal.
@Suite("Forward timestamp gaps")
struct ForwardGapTests {
    /// The times of all packets, in seconds, and the demuxer's warnings about gaps.
    private struct Reading {
        var pictures: [Double] = [], sound: [Double] = []
        var gaps: [String] = []

        init(_ file: URL) throws {
            let demuxer = try Demuxer(path: file.path)
            while let packet = try demuxer.readPacket() {
                guard let time = packet.decodingTime?.seconds else { continue }
                if packet.streamIndex == demuxer.video.index { pictures.append(time) } else { sound.append(time) }
            }
            gaps = demuxer.closedGaps
        }

        var longestSteps: (pictures: Double, sound: Double) {
            let steps = [pictures, sound].map { times in zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0 }
            return (steps[0], steps[1])
        }
    }

    private func makePart(_ file: URL, _ coding: [String], at offset: Int, seconds: Int = 2) async throws {
        try await FFmpegTool.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=\(seconds)", "-f", "lavfi", "-i", "sine=d=\(seconds)"]
                + coding + ["-output_ts_offset", "\(offset)", file.path])
    }

    @Test(
        arguments: [
            ("ts", ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-c:a", "aac"]),
            ("ts", ["-c:v", "libx264", "-preset", "ultrafast", "-an"]),
            ("mpg", ["-c:v", "mpeg2video", "-c:a", "mp2"]),
        ] as [(String, [String])])
    func gapsInAllStreamsAreClosed(_ container: String, _ coding: [String]) async throws {
        try await withTemporaryFolder { folder in
            let parts = [100, 160, 230].map { ($0, folder.appending(path: "\($0).\(container)")) }
            for (offset, file) in parts { try await makePart(file, coding, at: offset) }
            let joined = folder.appending(path: "joined.\(container)")
            try parts.map { try Data(contentsOf: $0.1) }.reduce(Data(), +).write(to: joined)
            let reading = try Reading(joined)
            #expect(reading.pictures.count == 150)
            #expect(reading.longestSteps.pictures < 0.2 && reading.longestSteps.sound < 0.2)
            #expect(reading.gaps.count == 2)
            #expect(reading.gaps[0].contains("a gap of 58") || reading.gaps[0].contains("a gap of 57"))
            if let first = reading.sound.first, let last = reading.sound.last {
                let lead = reading.pictures[0] - first
                #expect(abs(reading.pictures[149] - last - lead) < 0.2)
            }
        }
    }

    /// One stream pauses while the other goes on.
    @Test(arguments: [
        ["-af", "aselect='lt(t,1)+gt(t,13)'"], ["-vf", "select='lt(t,1)+gt(t,13)'", "-fps_mode", "passthrough"],
    ])
    func gapsInOneStreamAreKept(_ filter: [String]) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "a.ts")
            let coding = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-c:a", "aac"]
            try await makePart(file, filter + coding, at: 100, seconds: 15)
            let steps = try Reading(file).longestSteps
            #expect(max(steps.pictures, steps.sound) > 11)
            #expect(try Reading(file).gaps.isEmpty)
        }
    }

    @Test(arguments: [1, 10, 49])
    func aWrongTimeIsNoGap(_ number: Int) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "a.ts")
            let coding = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-c:a", "aac"]
            try await makePart(file, coding, at: 100)
            let before = try Reading(file)
            var stream = TransportStream(try Data(contentsOf: file))
            try stream.delay(picture: number, by: 60)
            try stream.data.write(to: file)
            let after = try Reading(file)
            #expect(after.gaps.isEmpty)
            #expect(after.sound == before.sound)
            let changed = before.pictures.indices.filter { before.pictures[$0] != after.pictures[$0] }
            #expect(changed.allSatisfy { abs($0 - number) < 2 })
        }
    }
}
