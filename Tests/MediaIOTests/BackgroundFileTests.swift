import Foundation
import MediaIO
import Raster
import Testing
import TestSupport

@Suite("Pictures and videos as backgrounds")
struct BackgroundFileTests {
    private static let pool = FramePool()

    /// A picture that is black, dark, bright and white from the upper left to the lower right.
    private static let quarters =
        "nullsrc=s=128x64,format=gray,geq=lum='if(lt(Y,32),if(lt(X,64),0,80),if(lt(X,64),160,255))'"

    /// Returns the luma of a background in the middle of the quarters of an upright frame of 64 × 64.
    private func corners(
        _ path: String, orientation: Orientation = .upright,
        _ format: PictureFormat = PictureFormat(width: 64, height: 64)
    ) throws -> [Int] {
        let geometry = DisplayGeometry(
            storedWidth: format.width, storedHeight: format.height, orientation: orientation)
        let frame = try CoverFit().picture(of: try LoopingPicture(path), for: geometry, format)
        #expect(frame.pictureFormat == format)
        let places = [(16.0, 16.0), (48, 16), (16, 48), (48, 48)]
        return places.map { place in
            let stored = geometry.uprightToStored.apply(x: place.0, y: place.1)
            return Self.luma(frame, Int(stored.x), Int(stored.y))
        }
    }

    private static func luma(_ frame: borrowing VideoFrame, _ x: Int, _ y: Int) -> Int {
        frame.withPicture { picture in
            picture.format.bitDepth > 8
                ? picture.with16BitPlane(.luma) { Int($0[y * $1 + x]) }
                : picture.with8BitPlane(.luma) { Int($0[y * $1 + x]) }
        }
    }

    /// Returns a JPEG file with an orientation in its metadata (CIPA DC-008, 4.6.4).
    private func oriented(_ jpeg: Data, _ orientation: UInt8) -> Data {
        let exif: [UInt8] =
            Array("Exif\0\0".utf8) + [
                0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0,
            ]
            + [0, 0, 0, 0]
        return jpeg.prefix(2) + Data([0xff, 0xe1, 0, UInt8(exif.count + 2)]) + Data(exif) + jpeg.dropFirst(2)
    }

    @Test("A picture covers the frame, upright in both of their orientations")
    func rotations() async throws {
        try await withTemporaryFolder { folder in
            let plain = folder.appending(path: "plain.jpg").path
            try await FFmpegTool.ffmpeg(["-f", "lavfi", "-i", Self.quarters, "-frames:v", "1", "-q:v", "2", plain])
            let upright = try corners(plain)
            #expect(upright == upright.sorted() && upright[0] < 25 && upright[3] > 225)
            // A phone's video that is stored sideways shows the picture upright, too.
            for turns in 0..<4 {
                for mirrored in [false, true] {
                    let orientation = Orientation(quarterTurns: turns, mirrored: mirrored)
                    let seen = try corners(plain, orientation: orientation)
                    #expect(zip(seen, upright).allSatisfy { abs($0 - $1) <= 2 }, "\(orientation)")
                }
            }
            // 6: the picture is to be turned clockwise by a quarter. Its lower left is then the upper left.
            let turned = folder.appending(path: "turned.jpg")
            try oriented(Data(contentsOf: URL(filePath: plain)), 6).write(to: turned)
            let clockwise = try corners(turned.path)
            let expected = [upright[2], upright[0], upright[3], upright[1]]
            #expect(zip(clockwise, expected).allSatisfy { abs($0 - $1) <= 3 }, "\(clockwise)")
        }
    }

    @Test(
        "Colours are those of the video's matrix, range and depth",
        arguments: [
            PictureFormat(width: 64, height: 48), PictureFormat(width: 64, height: 48, matrix: .bt601),
            PictureFormat(width: 64, height: 48, matrix: .bt601, range: .full),
            PictureFormat(width: 64, height: 48, bitDepth: 10, chroma: .yuv422),
            PictureFormat(width: 64, height: 48, chroma: .yuv444),
        ])
    func colours(_ format: PictureFormat) async throws {
        try await withTemporaryFolder { folder in
            let png = folder.appending(path: "a.png").path, movie = folder.appending(path: "a.mkv").path
            let colour = ["-f", "lavfi", "-i", "color=0x20a060:s=128x96:d=0.2"]
            try await FFmpegTool.ffmpeg(colour + ["-frames:v", "1", "-pix_fmt", "rgb24", png])
            try await FFmpegTool.ffmpeg(
                colour + [
                    "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-colorspace", "bt709",
                    "-color_range", "tv", "-c:v", "ffv1", movie,
                ])
            let expected = format.samples(red: 0x20 / 255.0, green: 0xa0 / 255.0, blue: 0x60 / 255.0)
            let geometry = DisplayGeometry(storedWidth: 64, storedHeight: 48)
            for (path, tolerance) in [(png, 1), (movie, 2)] {
                let frame = try CoverFit().picture(of: try LoopingPicture(path), for: geometry, format)
                let found = Plane.allCases.map { plane in
                    frame.withPicture { picture in
                        format.bitDepth > 8
                            ? picture.with16BitPlane(plane) { Int($0[10 * $1 + 10]) }
                            : picture.with8BitPlane(plane) { Int($0[10 * $1 + 10]) }
                    }
                }
                let limit = tolerance << (format.bitDepth - 8)
                #expect(
                    abs(found[0] - expected.luma) <= limit && abs(found[1] - expected.cb) <= limit
                        && abs(found[2] - expected.cr) <= limit, "\(path): \(found), expected \(expected)")
            }
        }
    }

    @Test("A video repeats at its own times, whatever the frame rate and the pauses of the run")
    func repetition() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "a.mp4").path
            // Five pictures of 0.2 s, each brighter than the one before.
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "nullsrc=s=64x64:r=5:d=1,format=gray,geq=lum='40+N*40'", "-c:v", "libx264",
                    "-bf", "2", "-pix_fmt", "yuv420p", path,
                ])
            let file = try LoopingPicture(path), fit = CoverFit()
            let geometry = DisplayGeometry(storedWidth: 64, storedHeight: 64)
            func picture(at time: Double) throws -> Int {
                try file.advance(to: time)
                let frame = try fit.picture(of: file, for: geometry, PictureFormat(width: 64, height: 64, range: .full))
                return Int((Double(Self.luma(frame, 32, 32) - 40) / 40).rounded())
            }
            // The video begins with the first time that is asked for.
            for step in 0..<90 {
                let time = 100 + Double(step) / 30 + 0.001
                #expect(try picture(at: time) == step / 6 % 5, "at \(time)")
            }
            let pictures = file.number
            #expect(pictures >= 14)
            // After a long pause it begins anew, without decoding what was missed.
            #expect(try picture(at: 1000) == 0)
            #expect(try picture(at: 1000.41) == 2)
            #expect(try picture(at: 5) == 0, "times that go back, as in another recording")
            #expect(file.number - pictures <= 5)
        }
    }

    @Test func unusableFilesAreRefused() async throws {
        try await withTemporaryFolder { folder in
            let picture = folder.appending(path: "a.jpg")
            try await FFmpegTool.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=320x240", "-frames:v", "1", picture.path])
            let bytes = try Data(contentsOf: picture)
            let cut = folder.appending(path: "cut.jpg"), text = folder.appending(path: "text.jpg")
            try bytes.prefix(bytes.count / 2).write(to: cut)
            try Data("no picture".utf8).write(to: text)
            let pipe = folder.appending(path: "pipe")
            try makeNamedPipe(at: pipe)
            for (path, word) in [
                (cut.path, "damaged"), (text.path, "text.jpg"), (folder.path, "file"), (pipe.path, "file"),
                (folder.appending(path: "none.png").path, "none.png"), ("rtsp://localhost/a", "file"),
            ] {
                let error = try #require(throws: MediaError.self, "\(path)") { _ = try LoopingPicture(path) }
                #expect(error.description.contains(word), "\(error)")
            }
            _ = try LoopingPicture(picture.path)
        }
    }
}
