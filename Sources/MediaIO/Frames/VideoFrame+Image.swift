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
        let converter = FrameConverter()
        let frame = unsafe try converter.convert(
            av, width: Int32(width), height: Int32(height), to: AV_PIX_FMT_RGBA, pool: FramePool())
        var owned: UnsafeMutablePointer<AVFrame>? = unsafe frame
        defer { unsafe av_frame_free(&owned) }
        var image = RGBAImage(width: width, height: height)
        let stride = unsafe Int(frame.pointee.linesize.0)
        for y in 0..<height {
            let row = unsafe UnsafeBufferPointer(start: frame.pointee.data.0! + y * stride, count: width * 4)
            for i in 0..<width * 4 { image.pixels[y * width * 4 + i] = unsafe row[i] }
        }
        return image
    }
}

extension RGBAImage {
    /// Returns the image, mirrored and rotated by an orientation.
    func turned(by orientation: Orientation) -> RGBAImage {
        if orientation == .upright { return self }
        let isSideways = orientation.quarterTurns % 2 == 1
        var result = RGBAImage(width: isSideways ? height : width, height: isSideways ? width : height)
        for y in 0..<height {
            for x in 0..<width {
                let across = orientation.mirrored ? width - 1 - x : x
                let (toX, toY) =
                    switch orientation.quarterTurns {
                    case 1: (height - 1 - y, across)
                    case 2: (width - 1 - across, height - 1 - y)
                    case 3: (y, width - 1 - across)
                    default: (across, y)
                    }
                let from = (y * width + x) * 4
                let to = (toY * result.width + toX) * 4
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
        let source = try AVFrameBox.rgba(image)
        let converted = unsafe try FrameConverter().convert(
            source.av, width: Int32(format.width), height: Int32(format.height),
            to: PixelFormat.format(bitDepth: format.bitDepth, chroma: format.chroma),
            matrix: format.matrix, pool: pool)
        unsafe converted.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
        unsafe self.init(owned: converted, time: time, duration: duration, orientation: .upright)
    }
}

/// An `AVFrame` of packed pixels for the still-image codecs, freed with this value.
@safe
struct AVFrameBox: ~Copyable {
    let av: UnsafeMutablePointer<AVFrame>

    /// Creates an empty frame for a decoder to fill.
    init() throws(MediaError) {
        guard let frame = unsafe av_frame_alloc() else { throw .outOfMemory("") }
        unsafe av = unsafe frame
    }

    /// Creates a frame with its own memory.
    init(width: Int, height: Int, format: AVPixelFormat) throws(MediaError) {
        guard let frame = unsafe av_frame_alloc() else { throw .outOfMemory("") }
        unsafe frame.pointee.width = Int32(width)
        unsafe frame.pointee.height = Int32(height)
        unsafe frame.pointee.format = format.rawValue
        let status = unsafe av_frame_get_buffer(frame, 0)
        if status < 0 {
            var failed: UnsafeMutablePointer<AVFrame>? = unsafe frame
            unsafe av_frame_free(&failed)
            throw .outOfMemory("")
        }
        unsafe av = unsafe frame
    }

    /// Takes ownership of a frame.
    @unsafe
    init(owned frame: UnsafeMutablePointer<AVFrame>) { unsafe av = unsafe frame }

    /// Gives up ownership of the frame.
    @unsafe
    consuming func relinquish() -> UnsafeMutablePointer<AVFrame> {
        let frame = unsafe av
        discard self
        return unsafe frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe av
        unsafe av_frame_free(&frame)
    }

    var width: Int { unsafe Int(av.pointee.width) }
    var height: Int { unsafe Int(av.pointee.height) }

    /// Returns the bytes of a row of the first plane, including FFmpeg's padding up to the stride.
    func row(_ y: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let stride = unsafe Int(av.pointee.linesize.0)
        return unsafe UnsafeMutableBufferPointer(start: av.pointee.data.0! + y * stride, count: stride)
    }

    /// Returns an image's pixels in the format `AV_PIX_FMT_RGBA`.
    static func rgba(_ image: RGBAImage) throws(MediaError) -> AVFrameBox {
        let box = try AVFrameBox(width: image.width, height: image.height, format: AV_PIX_FMT_RGBA)
        let length = image.width * 4
        for y in 0..<image.height {
            let row = unsafe box.row(y)
            for i in 0..<length { unsafe row[i] = image.pixels[y * length + i] }
        }
        return box
    }
}
