import Foundation
import Testing
import TestSupport

@testable import MediaIO

/// The actual reaction of encoders to changes while they run: the bits of the following frames are the only proof.
@Suite("Encoders that are adjusted while they run")
struct EncoderAdjustmentTests {
    private static let frameRate = 25
    private static let seconds = 8

    /// A picture of moving noise, which uses all bits that it gets.
    private func noise(_ folder: URL) async throws -> URL {
        let file = folder.appending(path: "noise.mkv")
        let picture = "color=gray:s=160x96:r=\(Self.frameRate):d=\(Self.seconds),noise=alls=30:allf=t"
        try await FFmpegTool.make(["-f", "lavfi", "-i", picture, "-c:v", "ffv1"], as: file)
        return file
    }

    /// Encodes the noise and changes a parameter after three seconds.
    ///
    /// - Parameter every: the interval of encoded frames after that.
    /// - Returns: the bits a second from second 1 to 3 over those from second 4.5 to 7.5, and the change's return
    ///   value.
    private func observe<Answer>(
        _ input: URL, _ output: URL, _ settings: VideoEncoderSettings, every: Int = 1,
        change: (VideoEncoder) -> Answer
    ) throws -> (ratio: Double, answer: Answer?, name: String?) {
        let demuxer = try Demuxer(path: input.path), decoder = try VideoDecoder(demuxer, threads: 1)
        let muxer = try Muxer(path: output.path, copying: demuxer)
        let encoder = VideoEncoder(
            settings: settings, source: demuxer.video, container: muxer.container, path: output.path)
        var answer: Answer?
        var frames = 0
        var bits: [(time: Double, bits: Int)] = []
        func take() throws {
            while let packet = try encoder.receive() {
                bits.append((packet.presentationTime?.seconds ?? 0, packet.size * 8))
            }
        }
        while let packet = try demuxer.readPacket() {
            try decoder.send(packet)
            while let frame = try decoder.receive() {
                if frames == 3 * Self.frameRate { answer = change(encoder) }
                frames += 1
                if frames > 3 * Self.frameRate, frames % every > 0 { continue }
                try encoder.send(frame)
                try take()
            }
        }
        let name = encoder.encoderName
        try encoder.finish()
        try take()
        func rate(_ range: Range<Double>) -> Double {
            Double(bits.reduce(0) { $0 + (range.contains($1.time) ? $1.bits : 0) })
                / (range.upperBound - range.lowerBound)
        }
        return (rate(4.5..<7.5) / rate(1..<3), answer, name)
    }

    @Test func aConstantRateOfX264Changes() async throws {
        try await withTemporaryFolder { folder in
            var settings = VideoEncoderSettings(bitRate: 100_000, threads: 1)
            settings.isConstantRate = true
            let input = try await noise(folder)
            let seen = try observe(input, folder.appending(path: "o.mkv"), settings) { $0.adjust(.bitRate(300_000)) }
            #expect(seen.answer == .some(nil))
            #expect(seen.ratio > 2.4 && seen.ratio < 3.6, "\(seen.ratio)")
        }
    }

    /// The reason why a low-latency run sets a higher rate when it shows fewer frames.
    @Test func withoutLookAheadX264CountsFrames() async throws {
        try await withTemporaryFolder { folder in
            let input = try await noise(folder)
            var settings = VideoEncoderSettings(bitRate: 100_000, threads: 1)
            settings.isConstantRate = true
            let usual = try observe(input, folder.appending(path: "o.mkv"), settings, every: 2) { _ in }
            #expect(usual.ratio > 0.8 && usual.ratio < 1.2, "\(usual.ratio)")
            settings.isLowLatency = true
            let quick = try observe(input, folder.appending(path: "p.mkv"), settings, every: 2) { _ in }
            #expect(quick.ratio > 0.4 && quick.ratio < 0.65, "\(quick.ratio)")
            let reported = try observe(input, folder.appending(path: "q.mkv"), settings, every: 2) {
                $0.adjust(.bitRate(200_000))
            }
            #expect(reported.ratio > 0.7 && reported.ratio < 1.3, "\(reported.ratio)")
        }
    }

    @Test func theQualityOfX264Changes() async throws {
        try await withTemporaryFolder { folder in
            let settings = VideoEncoderSettings(crf: 25, threads: 1)
            let input = try await noise(folder)
            let seen = try observe(input, folder.appending(path: "o.mkv"), settings) { $0.adjust(.crf(31)) }
            #expect(seen.answer == .some(nil))
            #expect(seen.ratio < 0.7, "\(seen.ratio)")
        }
    }

    @Test func aMeanRateOfX264DoesNotChange() async throws {
        try await withTemporaryFolder { folder in
            let settings = VideoEncoderSettings(bitRate: 100_000, threads: 1)
            let input = try await noise(folder)
            let refused = try observe(input, folder.appending(path: "o.mkv"), settings) { $0.adjust(.bitRate(300_000)) }
            #expect(refused.answer??.contains("constant bit rate") == true)
            let forced = try observe(input, folder.appending(path: "p.mkv"), settings) { $0.apply(.bitRate(300_000)) }
            #expect(forced.ratio < 1.5, "\(forced.ratio)")
        }
    }

    /// Once one of these encoders supports a change, the governor can use it.
    @Test(
        arguments: [
            (VideoCodec.hevc, nil, "libx265"), (.vp9, nil, "libvpx-vp9"), (.av1, nil, "libsvtav1"),
            (.av1, "yuv444p", "libaom-av1"),
        ] as [(VideoCodec, String?, String)], [false, true])
    func otherEncodersRefuseAndIgnoreChanges(
        _ encoder: (codec: VideoCodec, pixelFormat: String?, name: String), _ hasQuality: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            var settings = VideoEncoderSettings(
                codec: encoder.codec, bitRate: hasQuality ? nil : 100_000, threads: 1)
            settings.pixelFormat = encoder.pixelFormat
            let change =
                hasQuality
                ? VideoEncoder.Adjustment.crf(settings.usedCRF + 12) : .bitRate(400_000)
            let input = try await noise(folder)
            let seen = try observe(input, folder.appending(path: "o.mkv"), settings) { encoder in
                (encoder.adjust(change), encoder.apply(change))
            }
            #expect(seen.name == encoder.name)
            #expect(seen.answer?.0?.hasPrefix(encoder.name) == true)
            if seen.ratio > 0.6 && seen.ratio < 1.6 { return }
            // The rate control of some versions changes the rate by itself.
            let usual = try observe(input, folder.appending(path: "p.mkv"), settings) { _ in }
            #expect(abs(seen.ratio / usual.ratio - 1) < 0.1, "\(encoder.name) \(change) \(seen.ratio) \(usual.ratio)")
        }
    }

    @Test(arguments: [VideoCodec.h264, .hevc], ["ultrafast", "veryfast"])
    func regionsGetFinerQuantisers(_ codec: VideoCodec, _ preset: String) async throws {
        try await withTemporaryFolder { folder in
            let input = try await noise(folder)
            let sizes = try [0.0, -9].map { offset in
                let output = folder.appending(path: "out\(offset).mkv")
                let settings = VideoEncoderSettings(codec: codec, usesRegions: true, preset: preset, threads: 1)
                _ = try transcode(input.path, output.path, settings: settings) { frame in
                    frame.regions = [QualityRegion(columns: 0..<80, rows: 0..<96, quantiserOffset: offset)]
                }
                return try Data(contentsOf: output).count
            }
            #expect(Double(sizes[1]) > 1.1 * Double(sizes[0]), "half of the picture takes far more: \(sizes)")
        }
    }

    /// libx265 crashes where only later frames have regions, unless the first ones have some.
    @Test(arguments: [VideoCodec.h264, .hevc])
    func regionsMayComeLate(_ codec: VideoCodec) async throws {
        try await withTemporaryFolder { folder in
            let input = try await noise(folder)
            let output = folder.appending(path: "out.mkv")
            let settings = VideoEncoderSettings(codec: codec, usesRegions: true, threads: 1)
            var count = 0
            _ = try transcode(input.path, output.path, settings: settings) { frame in
                count += 1
                guard count.isMultiple(of: 4) else { return }
                frame.regions = [QualityRegion(columns: 0..<80, rows: 0..<96, quantiserOffset: -4)]
            }
            #expect(count > 8)
            #expect(try await FFmpegTool.frameTimes(of: output).count == count)
        }
    }
}
