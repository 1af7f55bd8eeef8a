internal import CRaster

/// Blends a canvas row, already at the chroma planes' size, into a row of one chroma plane.
///
/// One primary (blue for Cb, red for Cr) raises the code value, the other two
/// lower it; fixed-point sums are biased so that they stay positive.
///
/// Canvas rows are addresses of as many samples as the plane's row has.
struct BlendChroma {
    private let bytes: CRasterChroma8
    private let words: CRasterChroma16

    /// - Parameters: the code values that the full primaries add, in the order rising, falling, falling.
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
