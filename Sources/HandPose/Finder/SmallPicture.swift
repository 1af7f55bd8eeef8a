internal import Raster

/// A reduced upright copy of a picture, of which one channel is used at a time. ``HoleFinder`` owns it.
struct SmallPicture: ~Copyable {
    /// A channel that separates a hand from the background.
    enum Channel: Int, CaseIterable {
        case luma, cb, cr
    }

    private(set) var width = 0, height = 0
    /// The number of upright pixels along one side of a reduced pixel.
    private(set) var scale = 1.0
    /// The channel that was selected last: `width` × `height` codes of 8 bits, row after row.
    private(set) var samples: [UInt8] = []

    private var resampler = TensorResampler()
    /// The channels of the picture before smoothing.
    private var luma: [UInt8] = [], cb: [UInt8] = [], cr: [UInt8] = []

    init() {}

    /// Copies a picture.
    /// - Parameter longSide: The longer side of the reduced picture in pixels.
    mutating func draw(_ picture: borrowing Picture, geometry: DisplayGeometry, longSide: Int) {
        scale = max(geometry.uprightWidth, geometry.uprightHeight) / Double(longSide)
        width = max(8, Int((geometry.uprightWidth / scale).rounded()))
        height = max(8, Int((geometry.uprightHeight / scale).rounded()))
        let count = width * height
        if samples.count != count {
            samples = [UInt8](repeating: 0, count: count)
            (luma, cb, cr) = (samples, samples, samples)
        }
        let toStored = AffineTransform.scale(x: scale, y: scale).then(geometry.uprightToStored)
        resampler.resamplePlanes(
            picture, toStored: toStored, width: width, height: height, luma: &luma, cb: &cb, cr: &cr)
    }

    /// Fills ``samples``, smoothed slightly against noise.
    mutating func select(_ channel: Channel) {
        switch channel {
        case .luma: Self.smooth(luma, width: width, height: height, into: &samples)
        case .cb: Self.smooth(cb, width: width, height: height, into: &samples)
        case .cr: Self.smooth(cr, width: width, height: height, into: &samples)
        }
    }

    /// Applies the binomial weights 1 2 1 across and down; the border does not change.
    private static func smooth(_ rough: [UInt8], width: Int, height: Int, into samples: inout [UInt8]) {
        samples = rough
        let rough = rough.span
        var smooth = samples.mutableSpan
        for y in 1..<height - 1 {
            let start = y * width
            let above = rough.extracting(start - width..<start)
            let below = rough.extracting(start + width..<start + 2 * width)
            let line = rough.extracting(start..<start + width)
            for x in 1..<width - 1 {
                let left = down(above[x &- 1], line[x &- 1], below[x &- 1])
                let middle = down(above[x], line[x], below[x])
                let right = down(above[x &+ 1], line[x &+ 1], below[x &+ 1])
                smooth[start &+ x] = UInt8(truncatingIfNeeded: (left &+ 2 &* middle &+ right &+ 8) &>> 4)
            }
        }
    }

    @inline(__always)
    private static func down(_ above: UInt8, _ line: UInt8, _ below: UInt8) -> UInt16 {
        UInt16(above) &+ 2 &* UInt16(line) &+ UInt16(below)
    }

    /// Returns the values that these shares of the samples do not exceed.
    func quantiles(_ low: Double, _ high: Double) -> (low: Int, high: Int) {
        var histogram = [Int](repeating: 0, count: 256)
        for value in samples { histogram[Int(value)] += 1 }
        func value(_ share: Double) -> Int {
            let wanted = share * Double(samples.count)
            var sum = 0
            return histogram.firstIndex {
                sum += $0
                return Double(sum) > wanted
            } ?? 255
        }
        return (value(low), value(high))
    }
}
