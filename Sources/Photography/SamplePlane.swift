/// A plane of a picture for fusion: samples of 14 bits for any depth, with a margin that repeats the picture's edge, so
/// that blocks may extend beyond the picture.
@safe
final class SamplePlane {
    /// Samples around the plane on each side.
    static let margin = 16
    /// The bits of a sample.
    static let bits = 14

    /// The picture's own size in samples.
    let width, height: Int
    /// The size rounded up to whole blocks; samples beyond the picture repeat its edge.
    let paddedWidth, paddedHeight: Int
    /// Samples from one row to the next.
    let stride: Int
    private let memory: UnsafeMutablePointer<Int16>
    /// The first sample of the picture.
    private let origin: Int
    private let count: Int

    /// - Parameters:
    ///   - blockWidth, blockHeight: The multiples to which the size is rounded up.
    init(width: Int, height: Int, blockWidth: Int, blockHeight: Int) {
        (self.width, self.height) = (width, height)
        paddedWidth = (width + blockWidth - 1) / blockWidth * blockWidth
        paddedHeight = (height + blockHeight - 1) / blockHeight * blockHeight
        stride = paddedWidth + 2 * Self.margin
        count = stride * (paddedHeight + 2 * Self.margin)
        origin = Self.margin * stride + Self.margin
        unsafe memory = .allocate(capacity: count)
        unsafe memory.initialize(repeating: 0, count: count)
    }

    deinit { unsafe memory.deallocate() }

    var byteCount: Int { count * MemoryLayout<Int16>.stride }

    /// Returns the address of a sample, relative to the picture's first. Through it, the caller may access the plane
    /// and its margin.
    @inline(__always)
    @unsafe func address(_ x: Int, _ y: Int) -> UnsafeMutablePointer<Int16> {
        let index = origin + y * stride + x
        precondition(index >= 0 && index < count)
        return unsafe memory + index
    }

    /// Returns the nearest column at which a block of a width is within the plane and its margin.
    @inline(__always)
    func column(_ x: Int, width block: Int) -> Int { min(max(x, -Self.margin), paddedWidth + Self.margin - block) }

    /// Returns the nearest row at which a block of a height is within the plane and its margin.
    @inline(__always)
    func row(_ y: Int, height block: Int) -> Int { min(max(y, -Self.margin), paddedHeight + Self.margin - block) }

    /// Sets all samples to one value.
    func fill(_ value: Int16) { unsafe memory.update(repeating: value, count: count) }

    /// Reads rows of samples of a depth.
    func read<Sample: FixedWidthInteger & UnsignedInteger>(_ samples: Span<Sample>, stride source: Int, bitDepth: Int) {
        let shift = Int16(Self.bits - bitDepth)
        for y in 0..<height {
            let row = samples.extracting(y * source..<y * source + width)
            let target = unsafe UnsafeMutableBufferPointer(start: address(0, y), count: width)
            for x in 0..<width { unsafe target[x] = Int16(truncatingIfNeeded: row[x]) &<< shift }
        }
        repeatEdges()
    }

    /// Writes rows of samples of a depth, rounded.
    func write<Sample: FixedWidthInteger & UnsignedInteger>(
        to samples: inout MutableSpan<Sample>, stride target: Int, bitDepth: Int
    ) {
        let shift = Int16(Self.bits - bitDepth)
        let half: Int16 = shift > 0 ? 1 << (shift - 1) : 0
        let maximum = Int16(1 << bitDepth) - 1
        for y in 0..<height {
            let source = unsafe UnsafeBufferPointer(start: address(0, y), count: width)
            var row = samples._mutatingExtracting(y * target..<y * target + width)
            for x in 0..<width {
                let value = unsafe (source[x] &+ half) &>> shift
                row[x] = Sample(truncatingIfNeeded: value < 0 ? 0 : value > maximum ? maximum : value)
            }
        }
    }

    /// Fills the margin with the picture's edge.
    func repeatEdges() {
        let margin = Self.margin
        for y in 0..<height {
            let row = unsafe address(-margin, y)
            let (first, last) = unsafe (row[margin], row[margin + width - 1])
            for x in 0..<margin { unsafe row[x] = first }
            for x in margin + width..<stride { unsafe row[x] = last }
        }
        for y in 1...margin {
            unsafe address(-margin, -y).update(from: address(-margin, 0), count: stride)
        }
        for y in height..<paddedHeight + margin {
            unsafe address(-margin, y).update(from: address(-margin, height - 1), count: stride)
        }
    }

    /// Averages two by two samples of a plane of twice the size.
    func halve(_ large: SamplePlane) {
        // If a side has an odd number of samples, its last sample counts twice.
        for y in 0..<height {
            let upper = unsafe UnsafePointer(large.address(0, 2 * y)),
                lower = unsafe UnsafePointer(upper + large.stride)
            let target = unsafe address(0, y)
            for x in 0..<width {
                let above = unsafe Int32(upper[2 * x]) &+ Int32(upper[2 * x + 1])
                let below = unsafe Int32(lower[2 * x]) &+ Int32(lower[2 * x + 1])
                unsafe target[x] = Int16(truncatingIfNeeded: (above &+ below &+ 2) &>> 2)
            }
        }
        repeatEdges()
    }

    /// Returns the nearest sample of 14 bits.
    ///
    /// Adding 2²³ rounds, and leaves the integer in the low bits of the floating-point number. A conversion with a
    /// range check would prevent the vectorisation of loops.
    @inline(__always)
    static func rounded(_ value: Float) -> Int16 {
        let limited = value < 0 ? 0 : value > 16383 ? 16383 : value
        return Int16(truncatingIfNeeded: (limited + 8_388_608).bitPattern)
    }
}
