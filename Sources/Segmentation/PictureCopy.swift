import Inference
import Platform
import Raster

/// A small upright copy of a picture, for analysis on another thread after the frame's own memory has been passed on.
struct PictureCopy: Sendable {
    /// The longer side in pixels: twice the side of the pose model's input.
    private static let longSide = 512

    /// The planes, in codes of 8 bits.
    private var luma: [UInt8] = [], cb: [UInt8] = [], cr: [UInt8] = []
    private var format = PictureFormat(width: 0, height: 0)
    /// The copy's geometry.
    private(set) var geometry = DisplayGeometry(storedWidth: 0, storedHeight: 0)

    /// Copies and reduces a picture.
    mutating func read(
        _ picture: borrowing Picture, geometry shown: DisplayGeometry, with resampler: inout TensorResampler
    ) {
        let scale = max(shown.uprightWidth, shown.uprightHeight) / Double(Self.longSide)
        let width = max(8, Int((shown.uprightWidth / scale).rounded()))
        let height = max(8, Int((shown.uprightHeight / scale).rounded()))
        let source = picture.format
        format = PictureFormat(
            width: width, height: height, bitDepth: 8, chroma: .yuv444, matrix: source.matrix, range: source.range,
            transfer: source.transfer, primaries: source.primaries)
        geometry = DisplayGeometry(storedWidth: width, storedHeight: height)
        if luma.count != width * height {
            luma = [UInt8](repeating: 0, count: width * height)
            (cb, cr) = (luma, luma)
        }
        let toStored = AffineTransform.scale(
            x: shown.uprightWidth / Double(width), y: shown.uprightHeight / Double(height)
        ).then(shown.uprightToStored)
        resampler.resamplePlanes(
            picture, toStored: toStored, width: width, height: height, luma: &luma, cb: &cb, cr: &cr)
    }

    /// Lends the copy as a picture.
    func withPicture<R, E: Error>(_ body: (borrowing Picture) throws(E) -> R) throws(E) -> R {
        try unsafe luma.withUnsafeBufferPointer { (luma) throws(E) -> R in
            try unsafe cb.withUnsafeBufferPointer { (cb) throws(E) -> R in
                try unsafe cr.withUnsafeBufferPointer { (cr) throws(E) -> R in
                    func plane(_ samples: UnsafeBufferPointer<UInt8>) -> PlaneMemory {
                        // ``Picture`` only reads the memory.
                        unsafe PlaneMemory(
                            address: UnsafeMutableRawPointer(mutating: samples.baseAddress!), stride: format.width)
                    }
                    return try body(
                        unsafe Picture(unsafeFormat: format, planes: [plane(luma), plane(cb), plane(cr)]))
                }
            }
        }
    }
}
