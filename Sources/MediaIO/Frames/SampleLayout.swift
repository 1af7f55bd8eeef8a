internal import CFFmpeg
import Platform
internal import Raster

/// The properties of a picture without its samples. A file with the layout and the samples restores the picture bit for
/// bit.
package struct SampleLayout: Sendable, Hashable, Codable {
    /// FFmpeg's name, such as `yuv420p`.
    private var pixelFormat: String
    private var width: Int32
    private var height: Int32
    /// The matrix, primaries and transfer function, as code points of ITU-T H.273, which FFmpeg uses.
    private var matrix: UInt32
    private var primaries: UInt32
    private var transfer: UInt32
    /// FFmpeg's range: 0 unknown, 1 limited, 2 full.
    private var range: UInt32
    /// FFmpeg's location of chroma samples: 0 unknown, otherwise one more than in H.273.
    private var chromaLocation: UInt32
    /// The numerator and denominator of a pixel's width divided by its height.
    private var pixelShape: [Int32]
    /// The clockwise quarter turns.
    private var quarterTurns: Int
    private var isMirrored: Bool
    /// The presentation time: the number of ticks, and the numerator and denominator of a tick in seconds.
    private var time: [Int64]

    /// Creates the layout of a picture of a native format.
    ///
    /// - throws: ``MediaError`` of the code `internal` for other formats.
    init(_ frame: borrowing VideoFrame) throws(MediaError) {
        let format = unsafe AVPixelFormat(rawValue: frame.av.pointee.format)
        guard PixelFormat.native(format) != nil, let name = unsafe av_get_pix_fmt_name(format) else {
            throw MediaError(.internal, file: "", "the pixel format of a picture cannot be archived")
        }
        pixelFormat = unsafe String(cString: name)
        (width, height) = unsafe (frame.av.pointee.width, frame.av.pointee.height)
        matrix = unsafe frame.av.pointee.colorspace.rawValue
        primaries = unsafe frame.av.pointee.color_primaries.rawValue
        transfer = unsafe frame.av.pointee.color_trc.rawValue
        range = unsafe frame.av.pointee.color_range.rawValue
        chromaLocation = unsafe frame.av.pointee.chroma_location.rawValue
        let shape = unsafe frame.av.pointee.sample_aspect_ratio
        pixelShape = [shape.num, shape.den]
        (quarterTurns, isMirrored) = (frame.orientation.quarterTurns, frame.orientation.mirrored)
        let base = frame.time.timeBase
        time = [frame.time.value, Int64(base.numerator), Int64(base.denominator)]
        if checkedFormat == nil { throw MediaError(.internal, file: "", "the size of a picture cannot be archived") }
    }

    /// The maximum side of a picture, and the maximum number in a pixel's shape.
    private static let longestSide: Int32 = 1 << 16

    /// FFmpeg's number of the format; `nil` if any property is invalid.
    private var checkedFormat: AVPixelFormat? {
        let format = unsafe av_get_pix_fmt(pixelFormat)
        guard PixelFormat.native(format) != nil, (1...Self.longestSide).contains(width),
            (1...Self.longestSide).contains(height), pixelShape.count == 2,
            pixelShape.allSatisfy({ (0...Self.longestSide).contains($0) }),
            time.count == 3, (1...Int64(Int32.max)).contains(time[1]), (1...Int64(Int32.max)).contains(time[2]),
            (0...3).contains(quarterTurns),
            [matrix, primaries, transfer, range, chromaLocation].allSatisfy({ $0 < 256 })
        else { return nil }
        return format
    }

    /// The number of bytes of the samples; `nil` if any property is invalid.
    package var byteCount: Int? {
        guard let format = checkedFormat, let native = PixelFormat.native(format) else { return nil }
        let picture = PictureFormat(
            width: Int(width), height: Int(height), bitDepth: native.bitDepth, chroma: native.chroma)
        return Plane.allCases.reduce(0) {
            $0 + picture.width(of: $1) * picture.height(of: $1) * picture.bytesPerSample
        }
    }

    /// Returns an empty picture of this layout.
    ///
    /// - throws: ``MediaError`` of the codes `damaged`, `internal`.
    func makeFrame(pool: FramePool) throws(MediaError) -> VideoFrame {
        guard let format = checkedFormat else {
            throw MediaError(.damaged, file: "", "the header of a picture is invalid")
        }
        let frame = unsafe try pool.makeFrame(width: width, height: height, format: format)
        unsafe frame.pointee.colorspace = AVColorSpace(rawValue: matrix)
        unsafe frame.pointee.color_primaries = AVColorPrimaries(rawValue: primaries)
        unsafe frame.pointee.color_trc = AVColorTransferCharacteristic(rawValue: transfer)
        unsafe frame.pointee.color_range = AVColorRange(rawValue: range)
        unsafe frame.pointee.chroma_location = AVChromaLocation(rawValue: chromaLocation)
        unsafe frame.pointee.sample_aspect_ratio = AVRational(num: pixelShape[0], den: pixelShape[1])
        let base = Rational(Int32(time[1]), Int32(time[2]))
        return unsafe VideoFrame(
            owned: frame, time: MediaTime(value: time[0], timeBase: base), duration: nil,
            orientation: Orientation(quarterTurns: quarterTurns, mirrored: isMirrored))
    }
}
