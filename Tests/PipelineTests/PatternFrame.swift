import MediaIO
import Raster

extension VideoFrame {
    /// Returns a frame whose samples all differ from their neighbours.
    static func pattern(_ format: PictureFormat, at time: MediaTime, pool: FramePool) throws -> VideoFrame {
        var frame = try VideoFrame(format: format, time: time, pool: pool)
        try frame.withMutablePicture(pool: pool) { picture in
            for plane in Plane.allCases {
                let (width, height) = (format.width(of: plane), format.height(of: plane))
                picture.with8BitPlane(plane) { samples, stride in
                    for y in 0..<height {
                        for x in 0..<width { samples[y * stride + x] = UInt8((x * 7 + y * 13) % 200 + 20) }
                    }
                }
            }
        }
        return frame
    }
}
