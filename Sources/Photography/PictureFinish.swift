import Platform
import Raster

/// The finishing of a photograph after its pictures are fused: it removes noise, adjusts tones, and sharpens.
package struct PictureFinish: Sendable, Hashable {
    /// The minimum strength of detail that is kept, in standard deviations of the noise; 0 leaves all noise.
    package var denoising: Float
    /// The amount of unsharp masking; 0 for none.
    package var sharpening: Float
    /// True if blacks, whites and brightness are adjusted slightly.
    package var tones: Bool

    /// True if speed has precedence over the last tenth of a decibel.
    package var isQuick = false

    package init(denoising: Float = 2.3, sharpening: Float = 0.45, tones: Bool = true) {
        (self.denoising, self.sharpening, self.tones) = (denoising, sharpening, tones)
    }

    /// No finishing.
    package static let none = PictureFinish(denoising: 0, sharpening: 0, tones: false)
    /// Only the removal of noise: for photographs without finishing, and for measurements against a picture without
    /// noise.
    package static let unprocessed = PictureFinish(sharpening: 0, tones: false)

    /// Finishes a picture.
    ///
    /// - Parameter noise: the remaining noise; `nil` if it is unknown, so that none is removed.
    func apply(to picture: FusionPicture, noise: ResidualNoise?) {
        if let noise, denoising > 0 {
            let chroma = picture.format.chroma
            let luma = SpatialDenoiser(threshold: denoising, isQuick: isQuick)
            luma.apply(to: picture.luma, noise, noise.luma, shiftX: 0, shiftY: 0)
            // The eye is less sensitive to detail in colours than in brightness, but more sensitive to colour noise.
            let colour = SpatialDenoiser(threshold: denoising * 1.3, isQuick: isQuick)
            colour.apply(to: picture.cb, noise, noise.cb, shiftX: chroma.shiftX, shiftY: chroma.shiftY)
            colour.apply(to: picture.cr, noise, noise.cr, shiftX: chroma.shiftX, shiftY: chroma.shiftY)
        }
        if tones, picture.format.transfer == .sdr { ToneCurve(picture)?.apply(to: picture) }
        if sharpening > 0 { Sharpener(amount: sharpening).apply(to: picture.luma, noise: noise) }
    }
}

/// Slightly adjusts blacks, whites and the brightness between them.
private struct ToneCurve {
    /// The maximum lowering of black and raising of white, as a share of the range.
    private static let maximumBlack: Float = 0.03, maximumWhite: Float = 0.07
    /// The median up to which dark pictures are brightened, limited by the exponent below.
    private static let middle: Float = 0.3
    private static let minimumExponent = 0.92
    /// The increase of the slope in the middle.
    private static let contrast: Float = 0.05

    /// The adjusted luma for each luma of 14 bits.
    private let luma: [Int16]
    /// The factor of colours for each luma, in steps of 1/4096.
    private let colour: [Int16]

    /// - Returns: `nil` if the picture's tones span at most a tenth of the range.
    init?(_ picture: FusionPicture) {
        let limited = picture.format.range == .limited
        let (black, white): (Float, Float) = limited ? (16 * 64, 235 * 64) : (0, 255 * 64)
        let histogram = Self.histogram(picture.luma)
        func place(_ share: Double) -> Float { (Self.quantile(histogram, share) - black) / (white - black) }
        let (low, median, high) = (place(0.002), place(0.5), place(0.998))
        guard high - low > 0.1 else { return nil }
        let newBlack = low.clamped(to: 0...Self.maximumBlack), newWhite = max(min(high, 1), 1 - Self.maximumWhite)
        let normalised = ((median - newBlack) / (newWhite - newBlack)).clamped(to: 0.02...0.98)
        var exponent = 1.0
        while exponent > Self.minimumExponent, Self.power(normalised, exponent) < Self.middle { exponent -= 0.01 }
        var luma = [Int16](), colour = [Int16]()
        for index in 0..<1 << 14 {
            let value = (Float(index) - black) / (white - black)
            let x = ((value - newBlack) / (newWhite - newBlack)).clamped(to: 0...1)
            var y = exponent < 1 ? Self.power(x, exponent) : x
            // A cubic that is steepest in the middle and keeps both ends.
            y += Self.contrast * 4 * y * (1 - y) * (y - 0.5)
            let beyond = value > 1 ? value - 1 : value < 0 ? value : 0
            luma.append(Int16((black + (y + beyond) * (white - black)).rounded().clamped(to: 0...16383)))
            let gain = value > 0.02 ? (y / value).clamped(to: 1...1.12) : 1
            colour.append(Int16(gain * 4096))
        }
        (self.luma, self.colour) = (luma, colour)
    }

    /// Adjusts the picture's luma, and scales its colours by the change of their luma.
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

    /// Returns the number of samples at each of 256 levels.
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

/// Applies unsharp masking to detail stronger than noise.
private struct Sharpener {
    let amount: Float
    /// The maximum change, in codes of 8 bits, so that edges get no halo.
    private static let maximum: Float = 14
    /// The minimum strength of detail that is amplified, in standard deviations of the noise.
    private static let core: Float = 2
    /// The standard deviation that is assumed for unknown noise, in codes of 8 bits.
    private static let usual: Float = 1.5

    /// Sharpens a plane of luma.
    func apply(to plane: SamplePlane, noise: ResidualNoise?) {
        let (width, height) = (plane.width, plane.height)
        var above = [Int32](repeating: 0, count: width), here = above, below = above
        var detail = [Float](repeating: 0, count: width)
        Self.blur(plane, row: -1, into: &above)
        Self.blur(plane, row: 0, into: &here)
        let maximum = Self.maximum * NoiseModel.code
        // `above`, `here` and `below` contain sums of original samples, because rows change before their sums are last
        // used.
        for y in 0..<height {
            Self.blur(plane, row: y + 1, into: &below)
            let row = unsafe plane.address(0, y)
            for x in 0..<width {
                let blurred = Float(above[x] &+ 2 &* here[x] &+ below[x]) * (1.0 / 16)
                detail[x] = unsafe Float(row[x]) - blurred
            }
            for start in stride(from: 0, to: width, by: 8) {
                let level = unsafe row[start]
                let variance: Float
                if let noise {
                    variance = noise.luma.variance(at: level) / 2 * noise.share(atX: start, y: y)
                } else {
                    variance = Self.usual * Self.usual * NoiseModel.code * NoiseModel.code
                }
                let core = Self.core * variance.squareRoot()
                for x in start..<min(start + 8, width) {
                    let size = abs(detail[x])
                    var change = size > core ? (size - core) * amount : 0
                    change = change > maximum ? maximum : change
                    let value = unsafe Float(row[x]) + (detail[x] < 0 ? -change : change)
                    unsafe row[x] = SamplePlane.rounded(value)
                }
            }
            (above, here, below) = (here, below, above)
        }
        plane.repeatEdges()
    }

    /// Sums a row's samples with their neighbours, in weights of 1, 2 and 1.
    private static func blur(_ plane: SamplePlane, row: Int, into sums: inout [Int32]) {
        let samples = unsafe UnsafePointer(plane.address(0, row))
        for x in sums.indices {
            sums[x] = unsafe Int32(samples[x - 1]) &+ 2 &* Int32(samples[x]) &+ Int32(samples[x + 1])
        }
    }
}
