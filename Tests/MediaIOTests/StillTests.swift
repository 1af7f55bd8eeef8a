import Raster
import Testing

@testable import MediaIO

@Suite("Stills' metadata")
struct StillTests {
    @Test(
        "Times are parsed from FFmpeg's format and written as EXIF",
        arguments: [
            ("1970-01-01T00:00:00.000000Z", 0.0, "1970:01:01 00:00:00", "000"),
            ("2000-02-29T23:59:59.999000Z", 951_868_799.999, "2000:02:29 23:59:59", "999"),
            ("2026-12-31T12:30:15Z", 1_798_720_215, "2026:12:31 12:30:15", "000"),
            ("1904-01-01T00:00:00.000000Z", -2_082_844_800, "1904:01:01 00:00:00", "000"),
        ])
    func times(text: String, seconds: Double, exif: String, milliseconds: String) throws {
        let time = try #require(CivilTime(text))
        #expect(abs(time.seconds - seconds) < 0.0005)
        #expect(time.exif.time == exif && CivilTime(seconds: seconds + 0.0001).exif.milliseconds == milliseconds)
    }

    @Test(arguments: ["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-01 00:00", "2026-01-01T25:00:00Z"])
    func invalidTimesAreRejected(text: String) { #expect(CivilTime(text) == nil) }

    @Test func phoneLocationsAreParsed() {
        let place = StillMetadata.Location(iso6709: "+52.5200-013.4050+034.500/")
        #expect(place == StillMetadata.Location(latitude: 52.52, longitude: -13.405, altitude: 34.5))
        #expect(StillMetadata.Location(iso6709: "-90+180/") == StillMetadata.Location(latitude: -90, longitude: 180))
        for text in ["", "+52.5/", "north", "+91+000/", "+1+2+x/", "+1..2+3/"] {
            #expect(StillMetadata.Location(iso6709: text) == nil)
        }
    }

    @Test func damagedUnitsOfAV1AreSkipped() {
        #expect(AV1SequenceHeader([]) == nil)
        for length in 1..<12 {
            let noise = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 73 + length * 31) }
            _ = AV1Unit.units(in: noise.span)
            _ = AV1SequenceHeader(noise)
        }
        #expect(AV1Unit.units(in: [0x12, 0x00].span).map(\.kind) == [.temporalDelimiter])
        #expect(AV1Unit.units(in: [0x0a, 0x7f, 1].span).isEmpty)
    }

    // MARK: Properties that FFmpeg does not report

    /// A TIFF structure with one entry.
    private func exif(_ value: UInt8, tag: UInt8 = 0x12, isLittle: Bool = false) -> [UInt8] {
        isLittle
            ? Array("II".utf8) + [42, 0, 8, 0, 0, 0, 1, 0, tag, 1, 3, 0, 1, 0, 0, 0, value, 0, 0, 0]
            : Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, tag, 0, 3, 0, 0, 0, 1, 0, value, 0, 0]
    }

    private func png(_ exif: [UInt8]) -> [UInt8] {
        StillContainer.png(
            [UInt8](repeating: 0, count: 8) + [0, 0, 0, 13] + Array("IHDR".utf8)
                + [UInt8](repeating: 0, count: 13 + 4 + 12), exif: exif)
    }

    private func webp(_ exif: [UInt8]) -> [UInt8] {
        let coded = Array("RIFF____WEBPVP8 ".utf8) + [4, 0, 0, 0, 1, 2, 3, 4]
        return StillContainer.webp(coded, exif: exif, width: 4, height: 4)
    }

    @Test(
        arguments: [
            (1, 0, false), (2, 0, true), (3, 2, false), (4, 2, true), (5, 3, true), (6, 1, false), (7, 1, true),
            (8, 3, false),
        ] as [(UInt8, Int, Bool)])
    func orientationIsApplied(value: UInt8, turns: Int, isMirrored: Bool) {
        let orientation = Orientation(quarterTurns: turns, mirrored: isMirrored)
        for isLittle in [false, true] {
            let exif = exif(value, isLittle: isLittle)
            #expect(StillFile(png(exif), codec: "png").orientation == orientation)
            #expect(StillFile(webp(exif), codec: "webp").orientation == orientation)
            #expect(StillFile(webp(Array("Exif\0\0".utf8) + exif), codec: "webp").orientation == orientation)
        }
    }

    @Test func invalidOrientationIsIgnored() {
        for value in [0, 9, 255] as [UInt8] { #expect(Orientation(exif: exif(value)) == nil) }
        #expect(Orientation(exif: exif(6, tag: 0x13)) == nil)
        for bytes in [png(exif(6)), webp(exif(6))] {
            for codec in ["png", "webp", "mjpeg", "bmp"] {
                for length in 0..<bytes.count {
                    let start = Array(bytes[..<length])
                    _ = StillFile(start, codec: codec)
                }
                // Every length and every offset as large as can be.
                for place in bytes.indices {
                    var broken = bytes
                    for next in place..<min(place + 4, bytes.count) { broken[next] = 0xff }
                    _ = StillFile(broken, codec: codec)
                }
            }
        }
        for length in 0..<20 { #expect(Orientation(exif: Array(exif(6)[..<length])) == nil) }
        #expect(StillFile(png(exif(6)), codec: "bmp").orientation == nil)
    }

    @Test func truncatedJPEGIsDetected() {
        func isCutShort(_ bytes: [UInt8]) -> Bool { StillFile(bytes, codec: "mjpeg").isCutShort }
        // A preview with an end of its own, a header, the coded picture with a restart and an escaped byte.
        let whole: [UInt8] =
            [0xff, 0xd8, 0xff, 0xe1, 0, 6, 0xff, 0xd8, 0xff, 0xd9, 0xff, 0xda, 0, 3, 1]
            + [7, 0xff, 0, 0xff, 0xd0, 9, 0xff, 0xff, 0xd9]
        #expect(!isCutShort(whole) && !isCutShort(whole + [1, 2, 3, 0xff, 0xe1]))
        for length in 0..<whole.count { #expect(isCutShort(Array(whole[..<length])), "\(length)") }
    }
}
