import Foundation
import MediaIO
import Raster
import Testing
import TestSupport

@Suite("Images")
struct ImageTests {
    private let svg = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 60" preserveAspectRatio="none">
        <rect width="50" height="60" fill="#ff8000" fill-opacity="0.5"/></svg>
        """

    @Test func svgHasStraightAlpha() throws {
        let image = try RGBAImage.rasterizeSVG(Array(svg.utf8), width: 40, height: 20)
        #expect(image.width == 40 && image.height == 20)
        let pixel = Array(image.pixels[(10 * 40 + 5) * 4..<(10 * 40 + 5) * 4 + 4])
        #expect(abs(Int(pixel[0]) - 255) <= 1)
        #expect(abs(Int(pixel[1]) - 128) <= 2)
        #expect(pixel[2] == 0)
        #expect(abs(Int(pixel[3]) - 128) <= 1)
        #expect(image.pixels[(10 * 40 + 35) * 4 + 3] == 0)
    }

    @Test func brokenSVGIsAnError() {
        #expect(throws: MediaError.self) {
            try RGBAImage.rasterizeSVG(Array("<svg".utf8), width: 8, height: 8)
        }
    }

    @Test func pngSurvivesARoundTrip() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "a.png").path
            let pixels = (0..<32 * 16).flatMap { (i: Int) -> [UInt8] in
                [UInt8(i % 32 * 8), UInt8(i / 32 * 16), 90, 255]
            }
            try RGBAImage(width: 32, height: 16, pixels: pixels).writePNG(to: path)
            let frame = try firstFrame(path)
            #expect(frame.width == 32 && frame.height == 16)
            let image = try frame.image()
            let differences = zip(image.pixels, pixels).map { abs(Int($0) - Int($1)) }
            #expect(differences.reduce(0, +) / differences.count < 4)
        }
    }

    @Test func pngReplacesFilesOnlyOnRequest() throws {
        try withTemporaryFolder { folder in
            let place = folder.appending(path: "a.b.png")
            try Data("precious".utf8).write(to: place)
            let image = RGBAImage(width: 1, height: 1)
            let error = #expect(throws: MediaError.self) { try image.writePNG(to: place.path) }
            #expect(error?.code == .unwritable)
            #expect(try Data(contentsOf: place) == Data("precious".utf8))
            let kept = try Data(contentsOf: folder.appending(path: "a.b-1.png"))
            try image.writePNG(to: place.path, overwrite: true)
            #expect(try Data(contentsOf: place) == kept)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }

    @Test func aPNGDoesNotReplaceAPipe() throws {
        try withTemporaryFolder { folder in
            let pipe = folder.appending(path: "pipe.png")
            try makeNamedPipe(at: pipe)
            let error = #expect(throws: MediaError.self) {
                try RGBAImage(width: 1, height: 1).writePNG(to: pipe.path, overwrite: true)
            }
            #expect(error?.code == .unwritable)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pipe.png"])
        }
    }

    @Test func aPNGBesideAMissingFolderIsUnwritable() {
        let error = #expect(throws: MediaError.self) {
            try RGBAImage(width: 1, height: 1).writePNG(to: "/nowhere/at/all.png")
        }
        #expect(error?.code == .unwritable)
    }

    @Test func anImageOfATurnedFrameIsUpright() throws {
        let pool = FramePool()
        var image = RGBAImage(width: 64, height: 32)
        for x in 0..<32 { for y in 0..<32 { image.pixels[(y * 64 + x) * 4] = 255 } }
        let flat = try VideoFrame(
            image: image, format: PictureFormat(width: 64, height: 32, chroma: .yuv444), time: .zero, pool: pool)
        let still = try flat.image()
        #expect(still.pixels[(16 * 64 + 8) * 4] > 245)
        #expect(still.pixels[(16 * 64 + 50) * 4] < 10)
    }
}

/// The first picture of a file.
func firstFrame(_ path: String) throws -> VideoFrame {
    let demuxer = try Demuxer(path: path)
    let decoder = try VideoDecoder(demuxer, threads: 1)
    while let packet = try demuxer.readPacket() {
        guard packet.streamIndex == demuxer.video.index else { continue }
        try decoder.send(packet)
        if let frame = try decoder.receive() { return frame }
    }
    try decoder.finish()
    guard let frame = try decoder.receive() else { throw ProgramError.notFound("a frame in \(path)") }
    return frame
}
