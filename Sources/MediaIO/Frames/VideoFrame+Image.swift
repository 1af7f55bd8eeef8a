internal import CFFmpeg
package import Raster

/// Converts frames to RGBA images and back.
extension VideoFrame {
    /// Returns the picture as it is shown: upright, with square pixels, and opaque.
    ///
    /// - Parameter height: The image's height in pixels, which determines the width; nil for the picture's own height.
    /// - throws: ``MediaError`` of the code `internal`.
    package borrowing func image(height: Int? = nil) throws(MediaError) -> RGBAImage {
        let geometry = self.geometry
        let height = max(1, height ?? Int(geometry.uprightHeight.rounded()))
        let width = max(1, Int((Double(height) * geometry.aspectRatio).rounded()))
        let isSideways = orientation.quarterTurns % 2 == 1
        let stored = try storedImage(width: isSideways ? height : width, height: isSideways ? width : height)
        return stored.turned(by: orientation)
    }

    /// Returns the stored picture at another size.
    private borrowing func storedImage(width: Int, height: Int) throws(MediaError) -> RGBAImage {
        let frame = try FrameConverter().convert(
            av, width: width, height: height, to: AV_PIX_FMT_RGBA, pool: FramePool())
        return RGBAImage(frame)
    }
}

extension RGBAImage {
    /// Returns the image, mirrored and rotated by an orientation.
    func turned(by orientation: Orientation) -> RGBAImage {
        if orientation == .upright { return self }
        let copy = PlaneCopy.turn(orientation, width: width, height: height, stride: width)
        var result = RGBAImage(width: copy.width, height: copy.height)
        for y in 0..<copy.height {
            for x in 0..<copy.width {
                let from = (copy.origin + x * copy.columnStep + y * copy.rowStep) * 4
                let to = (y * copy.width + x) * 4
                for i in 0..<4 { result.pixels[to + i] = pixels[from + i] }
            }
        }
        return result
    }
}

extension VideoFrame {
    /// Creates a frame that shows an image, without its alpha.
    ///
    /// - Parameters:
    ///   - image: The image, which is scaled to the format's size without keeping its proportions.
    ///   - format: The format, assumed to be of limited range.
    /// - throws: ``MediaError`` of the code `internal`.
    package init(
        image: RGBAImage, format: PictureFormat, time: MediaTime, duration: MediaTime? = nil, pool: FramePool
    ) throws(MediaError) {
        let source = try FrameHandle.rgba(image)
        let converted = try FrameConverter().convert(
            source, width: format.width, height: format.height,
            to: PixelFormat.format(bitDepth: format.bitDepth, chroma: format.chroma),
            matrix: format.matrix, pool: pool)
        converted.sample_aspect_ratio = AVRational(num: 1, den: 1)
        self.init(converted, time: time, duration: duration, orientation: .upright)
    }
}

extension RGBAImage {
    /// Copies the pixels of a frame of the format `AV_PIX_FMT_RGBA`.
    init(_ frame: borrowing FrameHandle) {
        self.init(width: Int(frame.width), height: Int(frame.height))
        let length = width * 4
        for y in 0..<height {
            let row = unsafe UnsafeRawBufferPointer(start: frame.row(y).baseAddress, count: length)
            unsafe pixels.withUnsafeMutableBytes { unsafe $0[y * length..<(y + 1) * length].copyBytes(from: row) }
        }
    }
}

extension FrameHandle {
    /// Returns an image's pixels in the format `AV_PIX_FMT_RGBA`.
    static func rgba(_ image: RGBAImage) throws(MediaError) -> FrameHandle {
        let frame = try allocated(width: image.width, height: image.height, format: AV_PIX_FMT_RGBA)
        let length = image.width * 4
        for y in 0..<image.height {
            let row = unsafe frame.row(y)
            for i in 0..<length { unsafe row[i] = image.pixels[y * length + i] }
        }
        return frame
    }
}
