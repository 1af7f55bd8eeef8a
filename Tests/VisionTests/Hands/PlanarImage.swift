import Foundation
import Raster
import TestSupport

/// A picture in memory for tests: 8-bit 4:2:0.
@safe
final class PlanarImage {
    let format: PictureFormat
    private let bytes: UnsafeMutableRawPointer

    /// - Parameter samples: luma, Cb and Cr without padding; black if it is not given.
    init(width: Int, height: Int, samples: Data? = nil) {
        format = PictureFormat(width: width, height: height)
        let luma = width * height
        let chroma = format.width(of: .cb) * format.height(of: .cb)
        unsafe bytes = .allocate(byteCount: luma + 2 * chroma, alignment: 64)
        if let samples {
            precondition(samples.count == luma + 2 * chroma)
            unsafe samples.copyBytes(
                to: bytes.assumingMemoryBound(to: UInt8.self), count: samples.count)
        } else {
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: 16, count: luma)
            unsafe (bytes + luma).initializeMemory(as: UInt8.self, repeating: 128, count: 2 * chroma)
        }
    }

    deinit { unsafe bytes.deallocate() }

    /// Reads an image file through FFmpeg, scaled to a size after `filter`.
    convenience init(file: URL, width: Int, height: Int, filter: String = "null") async throws {
        let samples = try await withTemporaryFolder { folder in
            let raw = folder.appending(path: "picture.yuv")
            try await FFmpegTool.ffmpeg([
                "-i", file.path, "-frames:v", "1", "-vf",
                "\(filter),scale=\(width):\(height):out_range=limited:out_color_matrix=bt709",
                "-pix_fmt", "yuv420p", "-f", "rawvideo", raw.path,
            ])
            return try Data(contentsOf: raw)
        }
        self.init(width: width, height: height, samples: samples)
    }

    func withPicture<R>(_ body: (borrowing Picture) throws -> R) rethrows -> R {
        let luma = format.width * format.height
        let chromaWidth = format.width(of: .cb)
        let chroma = chromaWidth * format.height(of: .cb)
        let planes: InlineArray<3, PlaneMemory> = unsafe [
            PlaneMemory(address: bytes, stride: format.width),
            PlaneMemory(address: bytes + luma, stride: chromaWidth),
            PlaneMemory(address: bytes + luma + chroma, stride: chromaWidth),
        ]
        return try unsafe body(Picture(unsafeFormat: format, planes: planes))
    }
}

/// Lends a black picture.
func withBlankPicture<R>(
    width: Int = 1280, height: Int = 720,
    _ body: (borrowing Picture, DisplayGeometry) throws -> R
) rethrows -> R {
    let geometry = DisplayGeometry(storedWidth: width, storedHeight: height)
    return try PlanarImage(width: width, height: height).withPicture { picture in
        try body(picture, geometry)
    }
}
