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

    /// Returns the code values of a canvas's R′G′B′, not rounded.
    package func codes(red: Double, green: Double, blue: Double) -> (luma: Double, cb: Double, cr: Double) {
        (
            lumaOffset + lumaRed * red + lumaGreen * green + lumaBlue * blue,
            chromaOffset + cbRed * red + cbGreen * green + cbBlue * blue,
            chromaOffset + crRed * red + crGreen * green + crBlue * blue
        )
    }
}

/// Blends a canvas row into a row of luma samples: y·(1 − α) + luma of the colour.
///
/// 8-bit pictures use 16-bit fixed point (code values with 7 more bits), deeper pictures single precision. The sample
/// stays exactly the same where the canvas is empty. Light does not brighten a sample beyond white, unless it was
/// already brighter.
///
/// Canvas rows are addresses of one sample for each sample of the picture's row.
struct BlendLuma {
    private let bytes: CRasterLuma8
    private let words: CRasterLuma16

    init(_ k: BlendCoefficients, bitDepth: Int) {
        // The kernel doubles a colour (1 is 2¹⁴) and keeps the high 16 bits of its product with the coefficient: 2¹⁵ ·
        // (256 · code) / 2¹⁶ = 2⁷ · code.
        func fixed(_ code: Double) -> UInt16 { bitDepth > 8 ? 0 : UInt16((code * 256).rounded()) }
        let scale = k.lumaRed + k.lumaGreen + k.lumaBlue
        bytes = CRasterLuma8(
            red: fixed(k.lumaRed), green: fixed(k.lumaGreen), blue: fixed(k.lumaBlue), scale: fixed(scale),
            offset: fixed(k.lumaOffset), white: bitDepth > 8 ? 0 : UInt16(k.white * 128))
        let one = Double(TileGrid.one)
        words = CRasterLuma16(
            red: Float(k.lumaRed / one), green: Float(k.lumaGreen / one), blue: Float(k.lumaBlue / one),
            scale: Float(scale / one), offset: Float(k.lumaOffset / one), white: Float(k.white))
    }

    @unsafe func blend(
        _ row: inout MutableSpan<UInt8>, _ r: UnsafePointer<UInt16>, _ g: UnsafePointer<UInt16>,
        _ b: UnsafePointer<UInt16>, _ a: UnsafePointer<UInt16>
    ) {
        unsafe row.withUnsafeMutableBufferPointer {
            unsafe craster_luma8_blend($0.baseAddress, r, g, b, a, $0.count, bytes)
        }
    }

    @unsafe func blend(
        _ row: inout MutableSpan<UInt16>, _ r: UnsafePointer<UInt16>, _ g: UnsafePointer<UInt16>,
        _ b: UnsafePointer<UInt16>, _ a: UnsafePointer<UInt16>
    ) {
        unsafe row.withUnsafeMutableBufferPointer {
            unsafe craster_luma16_blend($0.baseAddress, r, g, b, a, $0.count, words)
        }
    }

    /// Adds light (which brightens the picture and hides nothing) by its luma.
    @unsafe func add(_ light: UnsafePointer<UInt16>, to row: inout MutableSpan<UInt8>) {
        unsafe row.withUnsafeMutableBufferPointer { unsafe craster_luma8_add($0.baseAddress, light, $0.count, bytes) }
    }

    @unsafe func add(_ light: UnsafePointer<UInt16>, to row: inout MutableSpan<UInt16>) {
        unsafe row.withUnsafeMutableBufferPointer { unsafe craster_luma16_add($0.baseAddress, light, $0.count, words) }
    }

    /// Blends matter (which hides the picture by its alpha) by its luma.
    @unsafe func cover(_ row: inout MutableSpan<UInt8>, _ luma: UnsafePointer<UInt16>, _ a: UnsafePointer<UInt16>) {
        unsafe row.withUnsafeMutableBufferPointer {
            unsafe craster_luma8_cover($0.baseAddress, luma, a, $0.count, bytes)
        }
    }

    @unsafe func cover(_ row: inout MutableSpan<UInt16>, _ luma: UnsafePointer<UInt16>, _ a: UnsafePointer<UInt16>) {
        unsafe row.withUnsafeMutableBufferPointer {
            unsafe craster_luma16_cover($0.baseAddress, luma, a, $0.count, words)
        }
    }
}

/// Blends a canvas row, already at the chroma planes' size, into a row of one chroma plane.
///
/// One primary (blue for Cb, red for Cr) raises the code value, and the other two lower it. A bias keeps fixed-point
/// sums positive.
///
/// Canvas rows are addresses of one sample for each sample of the plane's row.
struct BlendChroma {
    private let bytes: CRasterChroma8
    private let words: CRasterChroma16

    /// - Parameters: The code values that the full primaries add: first the primary that raises the chroma, then the
    ///   two that lower it.
    init(_ rising: Double, _ first: Double, _ second: Double, _ k: BlendCoefficients, bitDepth: Int) {
        func fixed(_ code: Double) -> UInt16 {
            bitDepth > 8 ? 0 : UInt16((code.magnitude * 256).rounded())
        }
        bytes = CRasterChroma8(
            rising: fixed(rising), first_falling: fixed(first), second_falling: fixed(second),
            offset: fixed(k.chromaOffset), bias: bitDepth > 8 ? 0 : UInt16((rising * 128).rounded(.up)) + 2)
        let one = Double(TileGrid.one)
        words = CRasterChroma16(
            rising: Float(rising / one), first: Float(first / one), second: Float(second / one),
            offset: Float(k.chromaOffset / one), greatest: Float(k.greatest))
    }

    @unsafe func blend(
        _ row: inout MutableSpan<UInt8>, _ up: UnsafePointer<UInt16>, _ down1: UnsafePointer<UInt16>,
        _ down2: UnsafePointer<UInt16>, _ a: UnsafePointer<UInt16>
    ) {
        unsafe row.withUnsafeMutableBufferPointer {
            unsafe craster_chroma8_blend($0.baseAddress, up, down1, down2, a, $0.count, bytes)
        }
    }

    @unsafe func blend(
        _ row: inout MutableSpan<UInt16>, _ up: UnsafePointer<UInt16>, _ down1: UnsafePointer<UInt16>,
        _ down2: UnsafePointer<UInt16>, _ a: UnsafePointer<UInt16>
    ) {
        unsafe row.withUnsafeMutableBufferPointer {
            unsafe craster_chroma16_blend($0.baseAddress, up, down1, down2, a, $0.count, words)
        }
    }

    /// Adds light.
    @unsafe func add(
        _ up: UnsafePointer<UInt16>, _ down1: UnsafePointer<UInt16>, _ down2: UnsafePointer<UInt16>,
        to row: inout MutableSpan<UInt8>
    ) {
        unsafe row.withUnsafeMutableBufferPointer {
            unsafe craster_chroma8_add($0.baseAddress, up, down1, down2, $0.count, bytes)
        }
    }

    @unsafe func add(
        _ up: UnsafePointer<UInt16>, _ down1: UnsafePointer<UInt16>, _ down2: UnsafePointer<UInt16>,
        to row: inout MutableSpan<UInt16>
    ) {
        unsafe row.withUnsafeMutableBufferPointer {
            unsafe craster_chroma16_add($0.baseAddress, up, down1, down2, $0.count, words)
        }
    }
}
