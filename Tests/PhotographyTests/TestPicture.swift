import Foundation
import Raster
import TestSupport

/// A picture whose planes are arrays.
struct TestPicture {
    let format: PictureFormat
    /// Plane after plane, row after row without gaps.
    var planes: [[UInt16]]

    /// - Parameter sample: the code at a place of a plane, in that plane's samples.
    init(_ format: PictureFormat, sample: (Plane, Int, Int) -> Double) {
        self.format = format
        let maximum = Double(1 << format.bitDepth) - 1
        planes = Plane.allCases.map { plane in
            (0..<format.height(of: plane)).flatMap { y in
                (0..<format.width(of: plane)).map { x in UInt16(min(max(sample(plane, x, y), 0), maximum).rounded()) }
            }
        }
    }

    /// Calls `body` with a read-only picture.
    func withPicture<R>(_ body: (borrowing Picture) throws -> R) rethrows -> R {
        let memory = PictureMemory(self)
        let planes = unsafe memory.planes
        return try unsafe body(Picture(unsafeFormat: format, planes: planes))
    }

    /// Calls `body` with a mutable picture.
    mutating func withMutable<R>(_ body: (inout MutablePicture) throws -> R) rethrows -> R {
        let memory = PictureMemory(self)
        let planes = unsafe memory.planes
        var picture = unsafe MutablePicture(unsafeFormat: format, planes: planes)
        defer { memory.copy(into: &self) }
        return try body(&picture)
    }

    /// Returns the picture with Gaussian noise that is stronger where it is brighter.
    ///
    /// - Parameter deviation: the deviation at a middle grey, in codes of 8 bits.
    func noisy(_ deviation: Double, seed: UInt64) -> TestPicture {
        var generator = SeededGenerator(seed: seed)
        var copy = self
        let (unit, maximum) = (Double(1 << (format.bitDepth - 8)), Double(1 << format.bitDepth) - 1)
        for plane in planes.indices {
            for index in planes[plane].indices {
                let value = Double(planes[plane][index])
                let strength = plane == 0 ? (0.4 + 0.6 * value / unit / 128).squareRoot() : 1
                // The sum of twelve has a variance of 1.
                let noise = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
                copy.planes[plane][index] = UInt16(
                    min(max(value + noise * deviation * strength * unit, 0), maximum).rounded())
            }
        }
        return copy
    }

    /// Returns the similarity of a part of the luma to another picture's, in decibels.
    func likeness(to other: TestPicture, where isCounted: (Int, Int) -> Bool) -> Double {
        var (sum, count) = (0.0, 0)
        for y in 0..<format.height {
            for x in 0..<format.width where isCounted(x, y) {
                let difference = Double(planes[0][y * format.width + x]) - Double(other.planes[0][y * format.width + x])
                sum += difference * difference
                count += 1
            }
        }
        let maximum = Double(1 << format.bitDepth) - 1
        return 10 * log10(maximum * maximum / max(sum / Double(count), 1e-9))
    }

    /// The greatest difference of any sample.
    func difference(from other: TestPicture) -> Int {
        zip(planes, other.planes).flatMap { zip($0, $1).map { abs(Int($0) - Int($1)) } }.max() ?? 0
    }

    /// Returns the structural similarity of an 8 × 8 block of the luma (Z. Wang and others, "Image quality assessment:
    /// from error visibility to structural similarity", 2004).
    func similarity(to other: TestPicture, x: Int, y: Int) -> Double {
        var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for row in y..<y + 8 {
            for column in x..<x + 8 {
                let (p, q) = (
                    Double(planes[0][row * format.width + column]), Double(other.planes[0][row * format.width + column])
                )
                a += p / 64
                b += q / 64
                aa += p * p / 64
                bb += q * q / 64
                ab += p * q / 64
            }
        }
        let (varianceA, varianceB, both) = (aa - a * a, bb - b * b, ab - a * b)
        return (2 * a * b + 6.5) * (2 * both + 58.5) / ((a * a + b * b + 6.5) * (varianceA + varianceB + 58.5))
    }
}

/// A picture's samples in the layout of its format.
@safe
private final class PictureMemory {
    let planes: InlineArray<3, PlaneMemory>
    private let format: PictureFormat

    init(_ picture: TestPicture) {
        format = picture.format
        let size = format.bytesPerSample
        func plane(_ plane: Plane) -> PlaneMemory {
            let samples = picture.planes[plane.rawValue]
            let address = UnsafeMutableRawPointer.allocate(byteCount: samples.count * size, alignment: 16)
            for (index, sample) in samples.enumerated() {
                if size == 1 {
                    unsafe address.storeBytes(of: UInt8(sample), toByteOffset: index, as: UInt8.self)
                } else {
                    unsafe address.storeBytes(of: sample, toByteOffset: index * 2, as: UInt16.self)
                }
            }
            return unsafe PlaneMemory(address: address, stride: picture.format.width(of: plane) * size)
        }
        unsafe planes = unsafe [plane(.luma), plane(.cb), plane(.cr)]
    }

    deinit { for plane in Plane.allCases { unsafe planes[plane.rawValue].address.deallocate() } }

    func copy(into picture: inout TestPicture) {
        for plane in Plane.allCases {
            let address = unsafe planes[plane.rawValue].address
            for index in picture.planes[plane.rawValue].indices {
                picture.planes[plane.rawValue][index] =
                    format.bytesPerSample == 1
                    ? unsafe UInt16(address.load(fromByteOffset: index, as: UInt8.self))
                    : unsafe address.load(fromByteOffset: index * 2, as: UInt16.self)
            }
        }
    }
}
