/// The band at a quarter of its size, for what is soft and large: a sixteenth of the work.
///
/// A sample lies at every fourth pixel of every fourth row, and at the first row of the next
/// band; what lies between is interpolated when the samples are laid over the band.
struct TileCoarse: ~Copyable {
    /// Pixels from one sample to the next.
    static let step = TileGrid.coarseStep
    static let rows = TileGrid.tileHeight / step + 1

    let red, green, blue, alpha: TilePlane
    /// The luma of light.
    let luma: TilePlane
    let stride: Int
    /// A row between two, as coarse as they.
    let narrow: TilePlane
    /// The rows of one channel at full width, one after the other, and a row between them.
    let wide, row, rowAlpha: TilePlane
    /// A row at the chroma planes' width.
    let chromaRed, chromaGreen, chromaBlue, chromaAlpha: TilePlane

    init(stride fine: Int) {
        stride = TileRows.rounded(fine / Self.step + 1)
        red = TilePlane(count: stride * Self.rows)
        green = TilePlane(count: stride * Self.rows)
        blue = TilePlane(count: stride * Self.rows)
        alpha = TilePlane(count: stride * Self.rows)
        luma = TilePlane(count: stride * Self.rows)
        narrow = TilePlane(count: stride)
        wide = TilePlane(count: fine * Self.rows)
        row = TilePlane(count: fine)
        chromaRed = TilePlane(count: fine)
        chromaGreen = TilePlane(count: fine)
        chromaBlue = TilePlane(count: fine)
        chromaAlpha = TilePlane(count: fine)
        rowAlpha = TilePlane(count: fine * TileGrid.tileHeight)
    }
}
