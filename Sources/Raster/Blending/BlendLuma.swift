internal import CRaster

/// Blends a canvas row into a row of luma samples: y·(1 − α) + luma of the colour.
///
/// 8-bit pictures use 16-bit fixed point (code values with 7 more bits), deeper
/// ones single precision. Where the canvas is empty the sample stays exactly
/// the same. Light brightens no further than white, unless the sample was there already.
///
/// Canvas rows are addresses of as many samples as the picture's row has.
struct BlendLuma {
    private let bytes: CRasterLuma8
    private let words: CRasterLuma16

    init(_ k: BlendCoefficients, bitDepth: Int) {
        // Colours of 2¹⁴ are doubled and multiplied to the high 16 bits: 2¹⁵ · k / 2¹⁶ = 2⁷ · code.
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

    /// Adds light, of which only the luma is given.
    @unsafe func add(_ light: UnsafePointer<UInt16>, to row: inout MutableSpan<UInt8>) {
        unsafe row.withUnsafeMutableBufferPointer { unsafe craster_luma8_add($0.baseAddress, light, $0.count, bytes) }
    }

    @unsafe func add(_ light: UnsafePointer<UInt16>, to row: inout MutableSpan<UInt16>) {
        unsafe row.withUnsafeMutableBufferPointer { unsafe craster_luma16_add($0.baseAddress, light, $0.count, words) }
    }

    /// Blends matter, of which only the luma is given.
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
