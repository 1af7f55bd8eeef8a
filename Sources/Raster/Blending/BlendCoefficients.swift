/// The numbers that turn a canvas's premultiplied R′G′B′ (1 is the encoding's white) into a format's Y′CbCr code values.
///
/// From ITU-T H.273, 8.3: Y′ = Kr·R′ + (1 − Kr − Kb)·G′ + Kb·B′,
/// Cb = (B′ − Y′) / (2 − 2·Kb), Cr = (R′ − Y′) / (2 − 2·Kr).
package struct BlendCoefficients: Sendable {
    /// Luma code values for full red, green and blue, and for black.
    package let lumaRed, lumaGreen, lumaBlue, lumaOffset: Double
    /// Chroma code values of full red, green and blue, without the offset.
    package let cbRed, cbGreen, cbBlue: Double
    package let crRed, crGreen, crBlue: Double
    /// The code value of no colour.
    package let chromaOffset: Double
    /// The code value of white (on high dynamic range, of diffuse white), and the greatest a sample can hold.
    package let white, greatest: Double

    package init(_ format: PictureFormat) {
        let depth = Double(1 << (format.bitDepth - 8))
        greatest = Double(1 << format.bitDepth) - 1
        let limited = format.range == .limited
        let share = ColourEncoding(format).white
        let lumaScale = (limited ? 219 * depth : greatest) * share
        let chromaScale = (limited ? 224 * depth : greatest) * share
        let kr = format.matrix.kr
        let kb = format.matrix.kb
        let kg = 1 - kr - kb
        lumaRed = kr * lumaScale
        lumaGreen = kg * lumaScale
        lumaBlue = kb * lumaScale
        lumaOffset = limited ? 16 * depth : 0
        chromaOffset = 128 * depth
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

    /// The code values of a canvas's R′G′B′, not rounded.
    package func codes(red: Double, green: Double, blue: Double) -> (luma: Double, cb: Double, cr: Double) {
        (
            lumaOffset + lumaRed * red + lumaGreen * green + lumaBlue * blue,
            chromaOffset + cbRed * red + cbGreen * green + cbBlue * blue,
            chromaOffset + crRed * red + crGreen * green + crBlue * blue
        )
    }
}
