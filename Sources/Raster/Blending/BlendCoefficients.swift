internal import CRaster

/// The coefficients of the conversion from a canvas's premultiplied R′G′B′ (1 is the encoding's white) to a format's
/// Y′CbCr code values. ``Blender`` and the puppet's drawing use them.
///
/// From ITU-T H.273, 8.3: Y′ = Kr·R′ + (1 − Kr − Kb)·G′ + Kb·B′, Cb = (B′ − Y′) / (2 − 2·Kb), Cr = (R′ − Y′) / (2 −
/// 2·Kr).
package struct BlendCoefficients: Sendable {
    /// The luma code values that full red, green and blue add to black, and the code value of black.
    package let lumaRed, lumaGreen, lumaBlue, lumaOffset: Double
    /// The chroma code values of full red, green and blue, relative to ``chromaOffset``.
    package let cbRed, cbGreen, cbBlue: Double
    package let crRed, crGreen, crBlue: Double
    /// The chroma code value of a grey.
    package let chromaOffset: Double
    /// The code value of white (for high dynamic range, of diffuse white), and the maximum of a sample.
    package let white, greatest: Double

    package init(_ format: PictureFormat) {
        let codes = CodeRange(format)
        greatest = Double(1 << format.bitDepth) - 1
        let share = ColourEncoding(format).white
        let lumaScale = codes.luma * share
        let chromaScale = codes.chroma * share
        let kr = format.matrix.kr
        let kb = format.matrix.kb
        let kg = 1 - kr - kb
        lumaRed = kr * lumaScale
        lumaGreen = kg * lumaScale
        lumaBlue = kb * lumaScale
        lumaOffset = codes.black
        chromaOffset = codes.neutral
        white = lumaOffset + lumaScale
        let b = chromaScale / (2 - 2 * kb)
        let r = chromaScale / (2 - 2 * kr)
        cbRed = -kr * b
        cbGreen = -kg * b
        cbBlue = (1 - kb) * b
        crRed = (1 - kr) * r
        crGreen = -kg * r
        crBlue = -kb * r
    }

    /// Returns the code values of a canvas's R′G′B′, not rounded.
    package func codes(red: Double, green: Double, blue: Double) -> (luma: Double, cb: Double, cr: Double) {
        (
            lumaOffset + lumaRed * red + lumaGreen * green + lumaBlue * blue,
            chromaOffset + cbRed * red + cbGreen * green + cbBlue * blue,
            chromaOffset + crRed * red + crGreen * green + crBlue * blue
        )
    }
}

/// Pictures of 8 bits are blended in 16-bit fixed point (code values with 7 more bits), deeper pictures in single
/// precision. A sample stays exactly the same where the canvas is empty. Light does not brighten a sample beyond white,
/// unless it was already brighter.
extension CRasterLuma {
    init(_ k: BlendCoefficients, bitDepth: Int) {
        // The kernel doubles a colour (1 is 2¹⁴) and keeps the high 16 bits of its product with the coefficient: 2¹⁵ ·
        // (256 · code) / 2¹⁶ = 2⁷ · code.
        func fixed(_ code: Double) -> UInt16 { bitDepth > 8 ? 0 : UInt16((code * 256).rounded()) }
        let scale = k.lumaRed + k.lumaGreen + k.lumaBlue
        let one = Double(BandGrid.one)
        self.init(
            bytes: CRasterLuma8(
                red: fixed(k.lumaRed), green: fixed(k.lumaGreen), blue: fixed(k.lumaBlue), scale: fixed(scale),
                offset: fixed(k.lumaOffset), white: bitDepth > 8 ? 0 : UInt16(k.white * 128)),
            words: CRasterLuma16(
                red: Float(k.lumaRed / one), green: Float(k.lumaGreen / one), blue: Float(k.lumaBlue / one),
                scale: Float(scale / one), offset: Float(k.lumaOffset / one), white: Float(k.white)),
            is_deep: bitDepth > 8)
    }
}

/// One primary (blue for Cb, red for Cr) raises the code value of a chroma sample, and the other two lower it. A bias
/// keeps fixed-point sums positive.
extension CRasterChroma {
    /// - Parameters: The code values that the full primaries add: first the primary that raises the chroma, then the
    ///   two that lower it.
    init(_ rising: Double, _ first: Double, _ second: Double, _ k: BlendCoefficients, bitDepth: Int) {
        func fixed(_ code: Double) -> UInt16 { bitDepth > 8 ? 0 : UInt16((code.magnitude * 256).rounded()) }
        let one = Double(BandGrid.one)
        self.init(
            bytes: CRasterChroma8(
                rising: fixed(rising), first_falling: fixed(first), second_falling: fixed(second),
                offset: fixed(k.chromaOffset), bias: bitDepth > 8 ? 0 : UInt16((rising * 128).rounded(.up)) + 2),
            words: CRasterChroma16(
                rising: Float(rising / one), first: Float(first / one), second: Float(second / one),
                offset: Float(k.chromaOffset / one), greatest: Float(k.greatest)),
            is_deep: bitDepth > 8)
    }
}
