/// A picture-sized layer on which effects are drawn before they meet the frame.
///
/// Drawing only takes note of what is wanted. ``blend(into:hiding:)`` then
/// goes down the picture in bands one tile high: it draws all that lies in a
/// band, blends what was touched of it (cells of 16 pixels of a row) into the frame, and
/// clears that for the next one. A band stays in the processor's cache, where a
/// whole picture would not (measured: three times slower), and the cost follows
/// the pixels touched and not the frame's size.
///
/// Colours are premultiplied R′G′B′ and alpha as 16-bit fixed point, each
/// channel a plane of its own, so that plain loops over rows vectorise. Light, which hides nothing, is
/// kept apart, as luma and colour (``TileLight``).
///
/// Coordinates are those of the *stored* picture's luma samples.
package struct TileCanvas: ~Copyable {
    package let width: Int
    package let height: Int
    /// Samples from one row of a channel to the next: whole tiles.
    let stride: Int
    let tileColumns: Int
    /// How many bands the picture has.
    let tileRows: Int
    /// The band's matter, and light upon it: `tileHeight` rows of each channel.
    let red, green, blue, alpha: TilePlane
    /// Where they are not 0.
    var touched: TileMarks
    /// For each tile of the band: 1 where something coarse was drawn.
    var coarseTouched: [UInt8]
    /// The band's light, beneath all else.
    var light: TileLight
    /// Coverage of the row being drawn, and of the next one, 0…65535; for sprites the alpha.
    let coverage: TilePlane
    /// A sprite's colours in the row being drawn.
    let spriteRed, spriteGreen, spriteBlue: TilePlane
    /// Where people are in the band.
    let people: TilePeople
    /// The veils that lie beneath everything, and whether people are spared.
    var washes: [(wash: BlendWash, sparesPeople: Bool)] = []
    /// What is soft and large, drawn at every fourth pixel only.
    let coarse: TileCoarse
    /// Whether something lies there that the band does not hold yet, and whether that is light
    /// alone, beneath all else.
    var coarseWaits = false
    var coarseIsLight = true
    /// The band's channels averaged down to the chroma planes' size.
    let smallRed, smallGreen, smallBlue, smallAlpha: TilePlane
    /// How the picture that this one is blended into encodes colours. Shapes and sprites keep to
    /// what it is when they are drawn.
    package var encoding = ColourEncoding.standard
    /// What is to be drawn, in this order.
    var commands: [TileCommand] = []
    /// The commands before this one are behind people.
    var firstInFront = 0

    /// A transparent canvas.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
        tileColumns = (width + TileGrid.tileWidth - 1) / TileGrid.tileWidth
        tileRows = (height + TileGrid.tileHeight - 1) / TileGrid.tileHeight
        stride = tileColumns * TileGrid.tileWidth
        let count = stride * TileGrid.tileHeight
        red = TilePlane(count: count)
        green = TilePlane(count: count)
        blue = TilePlane(count: count)
        alpha = TilePlane(count: count)
        touched = TileMarks(width: stride)
        coverage = TilePlane(count: 2 * stride)
        spriteRed = TilePlane(count: stride)
        spriteGreen = TilePlane(count: stride)
        spriteBlue = TilePlane(count: stride)
        people = TilePeople(stride: stride)
        light = TileLight(stride: stride)
        coarse = TileCoarse(stride: stride)
        coarseTouched = [UInt8](repeating: 0, count: tileColumns)
        smallRed = TilePlane(count: count)
        smallGreen = TilePlane(count: count)
        smallBlue = TilePlane(count: count)
        smallAlpha = TilePlane(count: count)
    }

    /// Puts all that was drawn so far behind people, and all that follows in front.
    package mutating func beginFront() { firstInFront = commands.count }

    /// Lays a veil over the picture, beneath everything that is drawn.
    /// - Parameter sparesPeople: whether people stay in the light.
    package mutating func draw(_ wash: BlendWash, sparesPeople: Bool) {
        washes.append((wash, sparesPeople))
    }
}
