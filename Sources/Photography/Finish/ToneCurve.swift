import Raster

/// Sets blacks, whites and the brightness between as a photographer would who has a minute: a little.
struct ToneCurve {
    /// The most that black is lowered and white raised, as a share of the range.
    private static let mostBlack: Float = 0.03, mostWhite: Float = 0.07
    /// Dark pictures get brighter until half of their samples are above this, but by no more than the exponent below.
    private static let middle: Float = 0.3
    private static let leastExponent = 0.92
    /// How much steeper the middle becomes.
    private static let contrast: Float = 0.05

    /// Luma for each luma.
    private let luma: [Int16]
    /// How much colours are multiplied for each luma, in steps of 1/4096.
    private let colour: [Int16]

    /// - Returns: `nil` where the picture has no range of tones at all.
    init?(_ picture: FusionPicture) {
        let limited = picture.format.range == .limited
        let (black, white): (Float, Float) = limited ? (16 * 64, 235 * 64) : (0, 255 * 64)
        let histogram = Self.histogram(picture.luma)
        func place(_ share: Double) -> Float { (Self.quantile(histogram, share) - black) / (white - black) }
        let (low, median, high) = (place(0.002), place(0.5), place(0.998))
        guard high - low > 0.1 else { return nil }
        let newBlack = min(max(low, 0), Self.mostBlack), newWhite = max(min(high, 1), 1 - Self.mostWhite)
        let stretched = min(max((median - newBlack) / (newWhite - newBlack), 0.02), 0.98)
        var exponent = 1.0
        while exponent > Self.leastExponent, Self.power(stretched, exponent) < Self.middle { exponent -= 0.01 }
        var luma = [Int16](), colour = [Int16]()
        for index in 0..<1 << 14 {
            let value = (Float(index) - black) / (white - black)
            let x = min(max((value - newBlack) / (newWhite - newBlack), 0), 1)
            var y = exponent < 1 ? Self.power(x, exponent) : x
            // A cubic that is steepest in the middle and leaves both ends.
            y += Self.contrast * 4 * y * (1 - y) * (y - 0.5)
            let beyond = value > 1 ? value - 1 : value < 0 ? value : 0
            luma.append(Int16(min(max((black + (y + beyond) * (white - black)).rounded(), 0), 16383)))
            let gain = value > 0.02 ? min(max(y / value, 1), 1.12) : 1
            colour.append(Int16(gain * 4096))
        }
        (self.luma, self.colour) = (luma, colour)
    }

    func apply(to picture: FusionPicture) {
        let chroma = picture.format.chroma
        for plane in [picture.cb, picture.cr] {
            for y in 0..<plane.height {
                let row = unsafe plane.address(0, y)
                let light = unsafe UnsafePointer(
                    picture.luma.address(0, min(y << chroma.shiftY, picture.luma.height - 1)))
                for x in 0..<plane.width {
                    let gain = Int32(colour[Int(unsafe light[x << chroma.shiftX])])
                    let value = unsafe ((Int32(row[x]) - 8192) * gain) >> 12 + 8192
                    unsafe row[x] = Int16(min(max(value, 0), 16383))
                }
            }
            plane.repeatEdges()
        }
        for y in 0..<picture.luma.height {
            let row = unsafe picture.luma.address(0, y)
            for x in 0..<picture.luma.width { unsafe row[x] = luma[Int(max(row[x], 0))] }
        }
        picture.luma.repeatEdges()
    }

    private static func power(_ x: Float, _ exponent: Double) -> Float {
        Float(ColourEncoding.power(Double(x), exponent))
    }

    /// How many samples have each of 256 levels.
    private static func histogram(_ plane: SamplePlane) -> [Int] {
        var counts = [Int](repeating: 0, count: 256)
        for y in stride(from: 0, to: plane.height, by: 2) {
            let row = unsafe UnsafePointer(plane.address(0, y))
            for x in stride(from: 0, to: plane.width, by: 2) { unsafe counts[Int(row[x] >> 6) & 255] += 1 }
        }
        return counts
    }

    private static func quantile(_ histogram: [Int], _ share: Double) -> Float {
        var rest = Int(Double(histogram.reduce(0, +)) * share)
        for (level, count) in histogram.enumerated() {
            rest -= count
            if rest < 0 { return Float(level * 64 + 32) }
        }
        return Float(255 * 64)
    }
}
