import Reactions
import Testing

@testable import Effects
@testable import Raster

/// Soft shapes are computed at every fourth pixel only, without visible difference.
@Suite("Sparse drawing of soft shapes")
struct BandCoarseTests {
    private let format = PictureFormat(width: 203, height: 121, chroma: .yuv444)

    private func picture(_ body: (inout BandCanvas) -> Void) throws -> EffectTestFrame {
        var canvas = BandCanvas(width: format.width, height: format.height)
        body(&canvas)
        var frame = EffectTestFrame(format, flat: true)
        try frame.lend { (picture) throws(EffectError) in canvas.blend(into: &picture) }
        return frame
    }

    private let light = BandColour(red: 1, green: 1, blue: 1, opacity: 0.4, light: 1)
    private let wide = AffineTransform.scale(x: 90, y: 70).then(.translation(x: 98.3, y: 57.6))

    @Test("A large glow has the brightness that its formula says, at every pixel")
    func glow() throws {
        let frame = try picture { $0.draw(.glow(halo: 0.3), placed: wide, colour: light) }
        let k = BlendCoefficients(format)
        for y in 0..<format.height {
            for x in 0..<format.width {
                let u = (Double(x) + 0.5 - 98.3) / 90
                let v = (Double(y) + 0.5 - 57.6) / 70
                let m = max(0, 1 - u * u - v * v)
                let cover = m * m * (0.3 + 0.7 * m * m * m * m)
                let expected = min(120 + cover * 0.4 * (k.white - k.lumaOffset), k.white)
                #expect(abs(Double(frame[.luma, x, y]) - expected) < 2.5)
            }
        }
    }

    @Test("Later shapes cover a large glow, earlier ones are lit by it")
    func order() throws {
        let red = BandColour(red: 0.6, green: 0, blue: 0, opacity: 1)
        let small = AffineTransform.scale(x: 12, y: 12).then(.translation(x: 98, y: 57))
        func both(_ glowFirst: Bool) throws -> Int {
            try picture {
                if glowFirst { $0.draw(.glow(halo: 0.3), placed: wide, colour: light) }
                $0.draw(.disc(slope: 12), placed: small, colour: red)
                if !glowFirst { $0.draw(.glow(halo: 0.3), placed: wide, colour: light) }
            }[.luma, 98, 57]
        }
        let disc = try picture { $0.draw(.disc(slope: 12), placed: small, colour: red) }[.luma, 98, 57]
        #expect(try both(true) == disc)
        #expect(try both(false) > disc + 60)
    }

    @Test("A sprite shows the same whether its empty margins are sampled or skipped")
    func margins() throws {
        var image = RGBAImage(width: 64, height: 64)
        for y in 20..<40 {
            for x in 10..<30 { for c in 0..<4 { image.pixels[4 * (y * 64 + x) + c] = 255 } }
        }
        let sprite = BandSprite(image)
        for (cosine, sine) in [(1.0, 0.0), (0.8, 0.6), (-1, 0), (0, 1)] {
            let placement = AffineTransform.scale(x: 30, y: 30)
                .then(.rotation(cosine: cosine, sine: sine)).then(.translation(x: 100, y: 60))
            let frame = try picture { $0.draw(sprite, placed: placement, opacity: 1) }
            var lit = 0
            for y in 0..<format.height { for x in 0..<format.width where frame[.luma, x, y] > 178 { lit += 1 } }
            // 20 texels are 18.75 pixels.
            #expect(abs(lit - 352) < 40, "\(cosine) \(sine)")
        }
    }
}
