package import Raster

/// An 8-bit planar picture that owns its memory. The static parts of a film are drawn into it, and whole frames in
/// tests.
@safe
package final class PlaneBuffer {
    package let format: PictureFormat
    private let memory: UnsafeMutableRawPointer
    private let size: Int

    /// - Precondition: `format.bitDepth == 8`.
    package init(format: PictureFormat) {
        precondition(format.bitDepth == 8)
        self.format = format
        size = Plane.allCases.reduce(0) { $0 + format.width(of: $1) * format.height(of: $1) }
        unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 128, count: size)
    }

    deinit { unsafe memory.deallocate() }

    private func offset(of plane: Plane) -> Int {
        Plane.allCases.prefix(plane.rawValue).reduce(0) { $0 + format.width(of: $1) * format.height(of: $1) }
    }

    /// Lends the picture for drawing.
    package func withPicture<R, E: Error>(
        _ body: (inout MutablePicture) throws(E) -> R
    ) throws(E) -> R {
        let planes: InlineArray<3, PlaneMemory> = unsafe [
            PlaneMemory(address: memory + offset(of: .luma), stride: format.width(of: .luma)),
            PlaneMemory(address: memory + offset(of: .cb), stride: format.width(of: .cb)),
            PlaneMemory(address: memory + offset(of: .cr), stride: format.width(of: .cr)),
        ]
        var picture = unsafe MutablePicture(unsafeFormat: format, planes: planes)
        return try body(&picture)
    }

    /// Returns copies of the planes, rows without padding.
    package func planes() -> [[UInt8]] {
        Plane.allCases.map { plane in
            let bytes = unsafe UnsafeRawBufferPointer(
                start: memory + offset(of: plane), count: format.width(of: plane) * format.height(of: plane))
            return unsafe [UInt8](bytes)
        }
    }
}

/// A picture of 8-bit 4:2:0 that was drawn once, and is copied into frames.
struct StillPicture: Sendable {
    let format: PictureFormat
    private let planes: [[UInt8]]

    init(format: PictureFormat, _ draw: (inout MutablePicture) -> Void) {
        self.format = format
        let memory = PlaneBuffer(format: format)
        memory.withPicture { draw(&$0) }
        planes = memory.planes()
    }

    /// Copies the picture over the whole of another of the same format.
    func copy(into picture: inout MutablePicture) {
        copy(PictureRegion(left: 0, top: 0, right: format.width, bottom: format.height), into: &picture, atX: 0, y: 0)
    }

    /// Copies a part into another picture. The coordinates of the part's beginning and of its place are even.
    func copy(_ part: PictureRegion, into picture: inout MutablePicture, atX x: Int, y: Int) {
        for plane in Plane.allCases {
            let shift = plane == .luma ? 0 : 1
            let length = format.width(of: plane)
            let source = planes[plane.rawValue]
            let columns = (part.width + shift) >> shift
            picture.with8BitPlane(plane) { samples, stride in
                for row in 0..<(part.height + shift) >> shift {
                    let from = ((part.top >> shift) + row) * length + part.left >> shift
                    let to = ((y >> shift) + row) * stride + x >> shift
                    let line = source.span.extracting(from..<from + columns)
                    var target = samples._mutatingExtracting(to..<to + columns)
                    for column in 0..<columns { target[column] = line[column] }
                }
            }
        }
    }
}

/// The noise of a synthetic picture, like a camera's. The noise is the same on every machine for the same seed, frame
/// and pixel.
struct Grain: Sendable {
    /// A tile of noise, `side`² values in −128…127.
    let values: [Int8]
    static let side = 128

    init(seed: UInt32) {
        var state = seed &* 2_654_435_761 &+ 0x9E37_79B9
        values = (0..<Self.side * Self.side).map { _ in
            var sum: Int32 = 0
            for _ in 0..<2 {
                state ^= state << 13
                state ^= state >> 17
                state ^= state << 5
                sum += Int32(state >> 24) - 128
            }
            return Int8(truncatingIfNeeded: max(-128, min(127, sum / 2)))
        }
    }

    /// Returns the offset of a frame's noise in the tile.
    static func offset(frame: Int) -> (x: Int, y: Int) {
        let hash = UInt32(truncatingIfNeeded: frame) &* 747_796_405 &+ 2_891_336_453
        let mixed = ((hash >> 16) ^ hash) &* 277_803_737
        return (Int(mixed >> 8) & (side - 1), Int(mixed >> 20) & (side - 1))
    }
}

/// Converts gamma-coded R′G′B′ (0…1) to the code values of a picture's format.
struct ColourConversion: Sendable {
    let yr, yg, yb, y0: Float
    let ur, ug, ub, vr, vg, vb: Float

    init(format: PictureFormat) {
        let codes = BlendCoefficients(format)
        (yr, yg, yb) = (Float(codes.lumaRed), Float(codes.lumaGreen), Float(codes.lumaBlue))
        y0 = Float(codes.lumaOffset)
        (ur, ug, ub) = (Float(codes.cbRed), Float(codes.cbGreen), Float(codes.cbBlue))
        (vr, vg, vb) = (Float(codes.crRed), Float(codes.crGreen), Float(codes.crBlue))
    }
}
