import Foundation
import Testing
import TestSupport

@testable import MediaIO

/// Packets of the source's video that libavformat refuses unchanged.
@Suite("Packets that muxers refuse")
struct RefusedPacketTests {
    private func withClip(_ container: String, _ body: (Demuxer, URL) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4")
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=0.4", "-c:v", "libx264", "-bf", "0", input.path])
            try body(try Demuxer(path: input.path), folder.appending(path: "b.\(container)"))
        }
    }

    /// MV-HEVC files contain such packets.
    @Test func lateDecodingTimesMoveEarlier() async throws {
        try await withClip("mkv") { demuxer, output in
            let muxer = try Muxer(path: output.path, copying: demuxer)
            try muxer.begin(copying: demuxer, with: nil)
            while let packet = try demuxer.readPacket() {
                if let time = packet.presentationTime?.value { packet.time(decoding: time + 1) }
                try muxer.write(packet)
            }
            try muxer.finish()
            let copy = try Demuxer(path: output.path)
            var count = 0
            while let packet = try copy.readPacket() { count += packet.size > 0 ? 1 : 0 }
            #expect(count == 10)
        }
    }

    @Test func decodingTimesAfterPresentationAreRecomputed() {
        let times: [(Int64, Int64)] = [(2, 0), (5, 1), (3, 2), (4, 3), (3 + 3, 7)]
        let pictures = times.map {
            CodedPicture(presentationTime: $0.0, decodingTime: $0.1, role: .dependent)
        }
        let timing = SpliceTiming(pictures)
        let decoding = pictures.indices.map(timing.decodingTime(of:))
        #expect(zip(decoding, pictures).allSatisfy { $0 <= $1.presentationTime })
        #expect(zip(decoding, decoding.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// The size of its unit exceeds the packet: MPEG-TS, which has start codes instead, refuses it.
    @Test func refusedPacketsAreNoOutputErrors() async throws {
        try await withClip("ts") { demuxer, output in
            let muxer = try Muxer(path: output.path, copying: demuxer)
            try muxer.begin(copying: demuxer, with: nil)
            guard let packet = try demuxer.readPacket()?.replacing([0x7F, 0, 0, 0, 0x65, 1]) else { return }
            var refusal: MediaError?
            do throws(MediaError) {
                try muxer.write(packet)
                try muxer.complete()
            } catch { refusal = error }
            #expect(refusal?.code == .packetRefused)
            #expect(refusal?.message.contains("MPEG-TS does not accept a packet of the input") == true)
        }
    }
}
