import Foundation
import MediaIO
import Platform
import Raster
import TestSupport
import Testing

@Suite("Frame archives") struct FrameArchiveTests {
    private let pool = FramePool()

    /// A picture of random samples.
    private func picture(_ format: PictureFormat, _ random: inout SeededGenerator) throws -> VideoFrame {
        var frame = try VideoFrame(
            format: format, time: MediaTime(value: 12_345, timeBase: Rational(1001, 30_000)),
            orientation: Orientation(quarterTurns: 3, mirrored: true), pool: pool)
        frame.sampleAspectRatio = Rational(4, 3)
        let numbers = (0..<4096).map { _ in random.next() }
        try frame.withMutablePicture(pool: pool) { picture in
            for plane in Plane.allCases {
                if format.bitDepth > 8 {
                    picture.with16BitPlane(plane) { samples, _ in
                        for index in samples.indices {
                            samples[index] = UInt16(truncatingIfNeeded: numbers[index % 4096]) & (1 << 10 - 1)
                        }
                    }
                } else {
                    picture.with8BitPlane(plane) { samples, _ in
                        for index in samples.indices {
                            samples[index] = UInt8(truncatingIfNeeded: numbers[index % 4096])
                        }
                    }
                }
            }
        }
        return frame
    }

    @Test("Archives restore frames bit for bit", arguments: [8, 10, 12], ChromaSubsampling.allCases)
    func exactness(bits: Int, chroma: ChromaSubsampling) throws {
        try withTemporaryFolder { folder in
            var random = SeededGenerator(seed: UInt64(bits))
            let path = folder.appending(path: "frames").path
            for (width, height) in [(1, 1), (33, 17), (64, 48)] {
                let format = PictureFormat(
                    width: width, height: height, bitDepth: bits, chroma: chroma, matrix: .bt2020,
                    range: bits == 12 ? .full : .limited, transfer: bits == 10 ? .pq : .sdr, primaries: .bt2020)
                let frame = try picture(format, &random)
                let samples = frame.samples(), layout = try frame.sampleLayout()
                #expect(samples.count == layout.byteCount)
                let hidden = try FrameArchive.fill(for: path, header: Array("words".utf8), count: 2) { _ in samples }
                try TemporaryFile.publish(hidden, as: path, overwrite: true)
                let reader = try FrameArchiveReader(path)
                #expect(reader.header == Array("words".utf8))
                for _ in 0..<2 {
                    let copy = try reader.next(layout, pool: pool)
                    #expect(copy.checksum == frame.checksum && copy.pictureFormat == frame.pictureFormat)
                    #expect(copy.time == frame.time && copy.orientation == frame.orientation)
                    #expect(copy.sampleAspectRatio == frame.sampleAspectRatio)
                    #expect(try copy.sampleLayout() == layout)
                }
                try reader.finish()
            }
        }
    }

    @Test("Archives with invalid picture properties are refused")
    func nonsense() throws {
        var random = SeededGenerator(seed: 1)
        let frame = try picture(PictureFormat(width: 16, height: 16), &random)
        let text = String(decoding: try JSONEncoder().encode(frame.sampleLayout()), as: UTF8.self)
        for (before, after) in [
            (#""width":16"#, #""width":-16"#), (#""width":16"#, #""width":2147483647"#), ("yuv420p", "pal8"),
            ("yuv420p", "nonsense"), (#""height":16"#, #""height":0"#), ("[4,3]", "[4]"),
            ("[12345,1001,30000]", "[1,0,0]"),
            ("[12345,1001,30000]", "[12345]"), (#""quarterTurns":3"#, #""quarterTurns":99"#),
        ] {
            #expect(text.contains(before), "\(text)")
            let changed = Data(text.replacing(before, with: after).utf8)
            let layout = try JSONDecoder().decode(SampleLayout.self, from: changed)
            #expect(layout.byteCount == nil, "\(after)")
            #expect(throws: MediaError.self) {
                _ = try VideoFrame.restored(from: frame.samples(), layout, pool: pool).width
            }
        }
    }
}
