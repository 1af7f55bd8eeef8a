/// The light in a band: what adds and hides nothing.
///
/// Light is summed as it will be stored: luma at every pixel, colours only at the chroma planes'
/// size. That is less than half the work of red, green and blue at every pixel, and no
/// more remains to be done with it than to add it. It lies beneath all matter of the band; light upon matter is
/// drawn with the matter.
struct TileLight: ~Copyable {
    /// One row after the other, as the brush's; the colours' rows are as long but not all are used.
    let luma, red, green, blue: TilePlane
    /// Where luma is not 0.
    var touched: TileMarks
    /// Shares of a row, and of a row of chroma samples, for what covers pixels in part.
    let share, smallShare: TilePlane
    /// How chroma samples lie in the picture that is drawn on.
    private(set) var chroma = ChromaSubsampling.yuv420
    /// What red, green and blue weigh in luma, in shares of 2¹⁶.
    private(set) var weights: (red: UInt16, green: UInt16, blue: UInt16) = (0, 0, 0)

    init(stride: Int) {
        let count = stride * TileGrid.tileHeight
        luma = TilePlane(count: count)
        red = TilePlane(count: count)
        green = TilePlane(count: count)
        blue = TilePlane(count: count)
        share = TilePlane(count: stride)
        smallShare = TilePlane(count: stride)
        touched = TileMarks(width: stride)
    }

    /// Prepares for a picture.
    mutating func begin(_ format: PictureFormat) {
        chroma = format.chroma
        func share(_ weight: Double) -> UInt16 { UInt16((weight * 65536).rounded()) }
        weights = (
            share(format.matrix.kr), share(1 - format.matrix.kr - format.matrix.kb), share(format.matrix.kb)
        )
    }

    /// A colour's luma in units of the canvas, by ``weights``.
    ///
    /// Not a method, for which all of the light's fields would be copied.
    static func luma(
        red: UInt16, green: UInt16, blue: UInt16, _ weights: (red: UInt16, green: UInt16, blue: UInt16)
    ) -> UInt16 {
        let sum =
            UInt32(red) * UInt32(weights.red) + UInt32(green) * UInt32(weights.green)
            + UInt32(blue) * UInt32(weights.blue)
        return UInt16(truncatingIfNeeded: (sum + 32768) >> 16)
    }

    /// The chroma samples that belong to pixels of a row: those whose first pixel is among them.
    func chromaColumns(_ pixels: Range<Int>) -> Range<Int> {
        let ahead = (1 << chroma.shiftX) - 1
        return (pixels.lowerBound + ahead) >> chroma.shiftX..<(pixels.upperBound + ahead) >> chroma.shiftX
    }

    /// The row of chroma samples whose first row of pixels is the band's row `y`; `nil` if it is another's.
    func chromaRow(_ y: Int) -> Int? { y & ((1 << chroma.shiftY) - 1) == 0 ? y >> chroma.shiftY : nil }
}
