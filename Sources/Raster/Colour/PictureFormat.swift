/// How the luma and chroma planes of a picture relate in size.
package enum ChromaSubsampling: String, Sendable, Hashable, CaseIterable {
    case yuv420, yuv422, yuv444

    /// log₂ of the luma samples that share one chroma sample, across.
    package var shiftX: Int { self == .yuv444 ? 0 : 1 }
    /// log₂ of the luma samples that share one chroma sample, down.
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

/// Which code values stand for black and white.
package enum ColourRange: String, Sendable, Hashable, CaseIterable {
    /// 16…235 for luma and 16…240 for chroma, times 2^(bitDepth − 8).
    case limited
    /// 0…2^bitDepth − 1.
    case full
}

/// What a planar Y′CbCr picture in memory looks like.
///
/// Samples of 8-bit pictures are `UInt8`; deeper ones are `UInt16` in the
/// machine's byte order with the value in the low bits (as in `yuv420p10`).
package struct PictureFormat: Sendable, Hashable {
    package var width: Int
    package var height: Int
    /// Bits a sample: 8…16.
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

    /// The width of a plane in samples. Odd luma sizes round up, as in FFmpeg.
    package func width(of plane: Plane) -> Int {
        plane == .luma ? width : (width + (1 << chroma.shiftX) - 1) >> chroma.shiftX
    }

    /// The height of a plane in samples. Odd luma sizes round up, as in FFmpeg.
    package func height(of plane: Plane) -> Int {
        plane == .luma ? height : (height + (1 << chroma.shiftY) - 1) >> chroma.shiftY
    }
}

/// The planes of a picture, in their order in memory.
package enum Plane: Int, Sendable, Hashable, CaseIterable {
    case luma, cb, cr
}
