import Reactions
import Testing

@testable import Effects
@testable import Raster

@Suite("Colours of effects")
struct EffectColourTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var format: PictureFormat
        var testDescription: String {
            "\(format.matrix) \(format.range) \(format.chroma) \(format.bitDepth) bit"
        }
    }

    static let cases: [Case] = ColourMatrix.allCases.flatMap { matrix in
        ColourRange.allCases.flatMap { range in
            ChromaSubsampling.allCases.flatMap { chroma in
                [8, 10, 12].map { depth in
                    Case(
                        format: PictureFormat(
                            width: 64, height: 48, bitDepth: depth, chroma: chroma, matrix: matrix, range: range))
                }
            }
        }
    }

    /// The expected Y′CbCr code value, in floating point.
    private func reference(
        _ format: PictureFormat, _ plane: Plane, under: Double, _ rgb: (Double, Double, Double),
        opacity: Double, light: Double
    ) -> Double {
        let k = BlendCoefficients(format)
        let black = k.codes(red: 0, green: 0, blue: 0)
        let full = k.codes(red: rgb.0, green: rgb.1, blue: rgb.2)
        let alpha = opacity * (1 - light)
        switch plane {
        case .luma:
            let sum = under * (1 - alpha) + (full.luma - black.luma) * opacity + black.luma * alpha
            return min(sum, max(k.white, under * (1 - alpha)))
        case .cb: return under * (1 - alpha) + (full.cb - black.cb) * opacity + black.cb * alpha
        case .cr: return under * (1 - alpha) + (full.cr - black.cr) * opacity + black.cr * alpha
        }
    }

    @Test("Matter, light and what lies between match the reference", arguments: cases)
    func blend(_ testCase: Case) throws {
        let format = testCase.format
        let colours: [(Double, Double, Double)] = [
            (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (0.2, 0.7, 0.4), (0, 0, 0),
        ]
        for rgb in colours {
            for (opacity, light) in [(1.0, 0.0), (0.6, 0.0), (0.25, 1.0), (0.5, 0.5)] {
                var canvas = BandCanvas(width: format.width, height: format.height)
                canvas.draw(
                    .paper(slopeU: 1000, slopeV: 1000),
                    placed: AffineTransform.scale(x: 60, y: 60).then(.translation(x: 32, y: 24)),
                    colour: BandColour(red: rgb.0, green: rgb.1, blue: rgb.2, opacity: opacity, light: light))
                var frame = EffectTestFrame(format, flat: true)
                try frame.lend { (picture) throws(EffectError) in
                    canvas.blend(into: &picture)
                }
                for plane in Plane.allCases {
                    let expected = reference(
                        format, plane, under: Double(120 << (format.bitDepth - 8)), rgb, opacity: opacity,
                        light: light)
                    let off = abs(Double(frame[plane, 10, 10]) - expected)
                    #expect(off <= (format.bitDepth == 8 ? 1.01 : 2.01), "\(plane) \(rgb) \(opacity) \(light)")
                }
            }
        }
    }

    @Test("A veil matches the reference", arguments: cases)
    func wash(_ testCase: Case) throws {
        let format = testCase.format
        let wash = BlendWash(width: format.width, height: format.height, red: 0.1, green: 0.2, blue: 0.4, onPeople: 1) {
            _, _ in 0.7
        }
        var frame = EffectTestFrame(format, flat: true)
        try frame.lend { (picture) throws(EffectError) in
            var canvas = BandCanvas(width: format.width, height: format.height)
            canvas.draw(wash)
            canvas.blend(into: &picture)
        }
        let tint = BlendCoefficients(format).codes(red: 0.1, green: 0.2, blue: 0.4)
        let under = Double(120 << (format.bitDepth - 8))
        for (plane, code) in [(Plane.luma, tint.luma), (.cb, tint.cb), (.cr, tint.cr)] {
            #expect(abs(Double(frame[plane, 5, 5]) - (under * 0.3 + code * 0.7)) <= 1.01)
        }
    }
}
