import MediaIO
import Pipeline
import Raster
import Reactions

/// What lies behind an effect that is previewed.
enum PreviewBackdrop {
    /// The first picture of an image or a video.
    /// - Throws: `MediaError`, and ``FlourishError/Code/inputUnusable`` where there is none.
    static func picture(of path: String) throws -> VideoFrame {
        let source = try FrameSource(path, InputSettings())
        let reader = InputReader(source, copiesOtherStreams: false, interrupt: InterruptFlag())
        guard let item = try reader.nextFrame(copy: { _ in true }) else {
            throw FlourishError.noPicture(in: source.demuxer)
        }
        return item.takeFrame()
    }

    /// A wall in the light of a lamp: grey, a little brighter toward the upper left.
    static func plain(width: Int, height: Int, pool: FramePool) throws -> VideoFrame {
        var frame = try VideoFrame(
            format: PictureFormat(width: width, height: height), time: .zero, pool: pool)
        try frame.withMutablePicture(pool: pool) { picture in
            picture.with8BitPlane(.luma) { samples, stride in
                for y in 0..<height {
                    for x in 0..<width {
                        let fall = 60 * x / width + 40 * y / height
                        samples[y * stride + x] = UInt8(150 - fall)
                    }
                }
            }
            for plane in [Plane.cb, .cr] {
                let rows = picture.format.height(of: plane)
                let columns = picture.format.width(of: plane)
                picture.with8BitPlane(plane) { samples, stride in
                    for y in 0..<rows {
                        for x in 0..<columns { samples[y * stride + x] = plane == .cb ? 126 : 130 }
                    }
                }
            }
        }
        return frame
    }
}
