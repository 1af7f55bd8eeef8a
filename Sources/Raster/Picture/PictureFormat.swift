/// The relation of the chroma planes' size to the luma plane's.
package enum ChromaSubsampling: String, Sendable, Hashable, CaseIterable {
    case yuv420, yuv422, yuv444

    /// The binary logarithm of the number of luma samples that share one chroma sample horizontally.
    package var shiftX: Int { self == .yuv444 ? 0 : 1 }
    /// The binary logarithm of the number of luma samples that share one chroma sample vertically.
    package var shiftY: Int { self == .yuv420 ? 1 : 0 }
}

/// The RGB → Y′CbCr matrix, by its luma weights (ITU-T H.273, table 4).
package enum ColourMatrix: String, Sendable, Hashable, CaseIterable {
    case bt601, bt709, bt2020

    /// The weight of red in luma.
    package var kr: Double {
        switch self {
        case .bt601: 0.299
        case .bt709: 0.2126
        case .bt2020: 0.2627
        }
    }

    /// The weight of blue in luma.
    package var kb: Double {
        switch self {
        case .bt601: 0.114
        case .bt709: 0.0722
        case .bt2020: 0.0593
        }
    }
}

/// The code values of black and white.
package enum ColourRange: String, Sendable, Hashable, CaseIterable {
    /// 16…235 for luma and 16…240 for chroma, times 2^(bitDepth − 8).
    case limited
    /// 0…2^bitDepth − 1.
    case full
}

/// The memory layout of a planar Y′CbCr picture.
///
/// Samples of 8-bit pictures are `UInt8`. Deeper samples are `UInt16` in the machine's byte order, with the value in
/// the low bits (as in `yuv420p10`).
package struct PictureFormat: Sendable, Hashable {
    package var width: Int
    package var height: Int
    /// The bits of a sample: 8…16.
    package var bitDepth: Int
    package var chroma: ChromaSubsampling
    package var matrix: ColourMatrix
    package var range: ColourRange
    package var transfer: TransferFunction
    package var primaries: ColourPrimaries

    package init(
        width: Int, height: Int, bitDepth: Int = 8, chroma: ChromaSubsampling = .yuv420,
        matrix: ColourMatrix = .bt709, range: ColourRange = .limited,
        transfer: TransferFunction = .sdr, primaries: ColourPrimaries = .bt709
    ) {
        self.width = width
        self.height = height
        self.bitDepth = bitDepth
        self.chroma = chroma
        self.matrix = matrix
        self.range = range
        self.transfer = transfer
        self.primaries = primaries
    }

    package var bytesPerSample: Int { bitDepth > 8 ? 2 : 1 }

    /// Returns the width of a plane in samples. Odd luma sizes round up, as in FFmpeg.
    package func width(of plane: Plane) -> Int {
        plane == .luma ? width : (width + (1 << chroma.shiftX) - 1) >> chroma.shiftX
    }

    /// Returns the height of a plane in samples. Odd luma sizes round up, as in FFmpeg.
    package func height(of plane: Plane) -> Int {
        plane == .luma ? height : (height + (1 << chroma.shiftY) - 1) >> chroma.shiftY
    }
}

/// The planes of a picture, in their order in memory.
package enum Plane: Int, Sendable, Hashable, CaseIterable {
    case luma, cb, cr
}

/// The code values of a format (ITU-T H.273, 8.3): black, neutral chroma, and the ranges of luma and chroma.
struct CodeRange {
    let black, luma, neutral, chroma: Double

    init(_ format: PictureFormat) {
        let step = Double(1 << (format.bitDepth - 8))
        let maximum = Double(1 << format.bitDepth) - 1
        let isLimited = format.range == .limited
        (black, luma) = isLimited ? (16 * step, 219 * step) : (0, maximum)
        (neutral, chroma) = (128 * step, isLimited ? 224 * step : maximum)
    }
}

/// Converts Y′CbCr codes of a format to R′G′B′, 0…1 (ITU-T H.273, 8.3).
package struct RGBConversion {
    let lumaOffset: Float, lumaScale: Float
    let chromaOffset: Float
    let red: Float, greenFromCb: Float, greenFromCr: Float, blue: Float

    package init(_ format: PictureFormat) {
        let codes = CodeRange(format)
        let chromaScale = 1 / codes.chroma
        let kr = format.matrix.kr, kb = format.matrix.kb, kg = 1 - kr - kb
        lumaOffset = Float(codes.black)
        lumaScale = Float(1 / codes.luma)
        chromaOffset = Float(codes.neutral)
        red = Float(2 * (1 - kr) * chromaScale)
        blue = Float(2 * (1 - kb) * chromaScale)
        greenFromCb = Float(-2 * (1 - kb) * kb / kg * chromaScale)
        greenFromCr = Float(-2 * (1 - kr) * kr / kg * chromaScale)
    }

    @inline(__always)
    package func rgb(_ y: Float, _ cb: Float, _ cr: Float) -> (red: Float, green: Float, blue: Float) {
        let luma = (y - lumaOffset) * lumaScale
        let u = cb - chromaOffset, v = cr - chromaOffset
        return (
            max(0, min(1, luma + red * v)),
            max(0, min(1, luma + greenFromCb * u + greenFromCr * v)),
            max(0, min(1, luma + blue * u))
        )
    }
}
