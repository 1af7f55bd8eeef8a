import Raster
import Testing

@Suite("Alpha from drawings on black and white")
struct TriangulationMattingTests {
    /// A colour with its alpha, as found from drawings on two grounds.
    private struct Found: Equatable {
        var luma: Int, cb: Int, cr: Int, alpha: Int
    }

    private static let drawing = PictureFormat(width: 4, height: 2, bitDepth: 12, chroma: .yuv444)
    private static let result = PictureFormat(width: 4, height: 2, bitDepth: 10, chroma: .yuv444)

    /// - Parameters:
    ///   - covers: the share of the ground that the drawing hides, 0…1.
    ///   - red, green, blue: its own colour, premultiplied.
    private func found(covers: Double, red: Double, green: Double, blue: Double) throws -> Found {
        func picture(_ ground: Double) -> SyntheticPicture {
            let (r, g, b) = (
                min(red + ground * (1 - covers), 1), min(green + ground * (1 - covers), 1),
                min(blue + ground * (1 - covers), 1)
            )
            let y = 0.2126 * r + 0.7152 * g + 0.0722 * b
            return SyntheticPicture(Self.drawing) { plane, _, _ in
                switch plane {
                case .luma: Int((256 + 3504 * y).rounded())
                case .cb: Int((2048 + 3584 * (b - y) / 1.8556).rounded())
                case .cr: Int((2048 + 3584 * (r - y) / 1.5748).rounded())
                }
            }
        }
        let (black, white) = (picture(0), picture(1))
        let colours = SyntheticPicture(Self.result) { _, _, _ in 0 }
        var alpha = [UInt16](repeating: 0, count: 5 * 2)
        black.withPicture { black in
            white.withPicture { white in
                colours.withMutable { colours in
                    var span = alpha.mutableSpan
                    TriangulationMatting(from: Self.drawing, to: Self.result)
                        .matte(black: black, white: white, colours: &colours, alpha: &span, stride: 5)
                }
            }
        }
        let codes = colours.withPicture { picture in
            Plane.allCases.map { picture.with16BitPlane($0) { samples, stride in Int(samples[stride + 3]) } }
        }
        // The sample between the rows belongs to no pixel.
        #expect(alpha[4] == 0 && alpha[0] == alpha[8])
        return Found(luma: codes[0], cb: codes[1], cr: codes[2], alpha: Int(alpha[8]))
    }

    @Test func emptyPixelsAreTransparent() throws {
        #expect(try found(covers: 0, red: 0, green: 0, blue: 0) == Found(luma: 64, cb: 512, cr: 512, alpha: 0))
    }

    @Test func coveringPixelsKeepTheirColour() throws {
        let whole = try found(covers: 1, red: 0.8, green: 0.2, blue: 0.1)
        #expect(whole.alpha == 1023)
        // Half of it is the same colour with half the alpha.
        let half = try found(covers: 0.5, red: 0.4, green: 0.1, blue: 0.05)
        #expect(abs(half.alpha - 512) <= 1)
        for (a, b) in [(half.luma, whole.luma), (half.cb, whole.cb), (half.cr, whole.cr)] { #expect(abs(a - b) <= 2) }
    }

    @Test func darkeningPixelsAreBlack() throws {
        let veil = try found(covers: 0.6, red: 0, green: 0, blue: 0)
        #expect(abs(veil.alpha - 614) <= 1)
        #expect(veil.luma == 64 && veil.cb == 512 && veil.cr == 512)
    }

    /// Light hides nothing, but a colour cannot be brighter than full: alpha is as low as that allows.
    @Test func lightHasTheLowestPossibleAlpha() throws {
        let light = try found(covers: 0, red: 0.5, green: 0.25, blue: 0)
        #expect(abs(light.alpha - 512) <= 2)
        let full = try found(covers: 1, red: 1, green: 0.5, blue: 0)
        for (a, b) in [(light.luma, full.luma), (light.cb, full.cb), (light.cr, full.cr)] { #expect(abs(a - b) <= 4) }
    }
}
