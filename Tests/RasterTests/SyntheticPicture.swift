import Raster

/// A picture whose samples come from a function, for as long as this object lives.
final class SyntheticPicture {
    let format: PictureFormat
    private let planes: [PlaneBytes]

    /// - Parameter sample: the code value at a place of a plane (in that plane's samples).
    init(_ format: PictureFormat, padding: Int = 6, sample: (Plane, Int, Int) -> Int) {
        self.format = format
        var planes: [PlaneBytes] = []
        for plane in Plane.allCases {
            let stride = (format.width(of: plane) + padding) * format.bytesPerSample
            let bytes = PlaneBytes(stride: stride, rows: format.height(of: plane))
            for y in 0..<format.height(of: plane) {
                for x in 0..<format.width(of: plane) {
                    let value = sample(plane, x, y)
                    if format.bitDepth == 8 {
                        bytes.store(UInt8(value), at: y * stride + x)
                    } else {
                        bytes.store(UInt16(value), at: y * stride + x * 2)
                    }
                }
            }
            planes.append(bytes)
        }
        self.planes = planes
    }

    func withPicture<R>(_ body: (borrowing Picture) throws -> R) rethrows -> R {
        let planes: InlineArray<3, PlaneMemory> = unsafe [
            planes[0].memory, planes[1].memory, planes[2].memory,
        ]
        return try unsafe body(Picture(unsafeFormat: format, planes: planes))
    }

    /// Calls `body` with a mutable picture.
    func withMutable<R>(_ body: (inout MutablePicture) throws -> R) rethrows -> R {
        let planes: InlineArray<3, PlaneMemory> = unsafe [
            planes[0].memory, planes[1].memory, planes[2].memory,
        ]
        var picture = unsafe MutablePicture(unsafeFormat: format, planes: planes)
        return try body(&picture)
    }

    /// Returns the resampler's tensor of the picture.
    func resampled(
        _ toStored: AffineTransform, border: TensorBorder = .zero, width: Int, height: Int
    ) -> RGBTensor {
        var resampler = TensorResampler()
        var values = [Float](repeating: -1, count: width * height * 3)
        withPicture { picture in
            var span = values.mutableSpan
            resampler.resample(
                picture, toStored: toStored, border: border, width: width, height: height,
                into: &span)
        }
        return RGBTensor(width: width, values: values)
    }

    /// Returns the resampler's planes of the picture, in its own size.
    func resampledPlanes() -> (luma: [UInt8], cb: [UInt8], cr: [UInt8]) {
        var resampler = TensorResampler()
        var luma = [UInt8](repeating: 0, count: format.width * format.height)
        var cb = luma, cr = luma
        withPicture { picture in
            resampler.resamplePlanes(
                picture, toStored: .identity, width: format.width, height: format.height,
                luma: &luma, cb: &cb, cr: &cr)
        }
        return (luma, cb, cr)
    }
}

struct RGBTensor {
    var width: Int
    var values: [Float]

    subscript(x: Int, y: Int) -> [Float] {
        let first = (y * width + x) * 3
        return Array(values[first..<(first + 3)])
    }
}

/// R′G′B′ of one Y′CbCr triple, in double precision, straight from ITU-T H.273.
func referenceRGB(_ y: Double, _ cb: Double, _ cr: Double, _ format: PictureFormat) -> [Double] {
    let unit = Double(1 << (format.bitDepth - 8)), maximum = Double(1 << format.bitDepth) - 1
    let full = format.range == .full
    let luma = full ? y / maximum : (y - 16 * unit) / (219 * unit)
    let pb = (cb - 128 * unit) / (full ? maximum : 224 * unit)
    let pr = (cr - 128 * unit) / (full ? maximum : 224 * unit)
    let red = luma + 2 * (1 - format.matrix.kr) * pr
    let blue = luma + 2 * (1 - format.matrix.kb) * pb
    let kg = 1 - format.matrix.kr - format.matrix.kb
    let green = (luma - format.matrix.kr * red - format.matrix.kb * blue) / kg
    return [red, green, blue].map { min(1, max(0, $0)) }
}

func largestDifference(_ a: [Float], _ b: [Double]) -> Double {
    zip(a, b).map { abs(Double($0) - $1) }.max() ?? 0
}

/// The memory of one plane.
@safe
private final class PlaneBytes {
    let memory: PlaneMemory

    init(stride: Int, rows: Int) {
        let address = UnsafeMutableRawPointer.allocate(byteCount: stride * rows, alignment: 16)
        // The padding between the rows must not be read.
        unsafe address.initializeMemory(as: UInt8.self, repeating: 0xa5, count: stride * rows)
        unsafe memory = PlaneMemory(address: address, stride: stride)
    }

    deinit { unsafe memory.address.deallocate() }

    func store<T: BitwiseCopyable>(_ value: T, at offset: Int) {
        unsafe memory.address.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }
}
