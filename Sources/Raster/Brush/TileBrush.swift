/// Draws bands of a picture, one after the other.
///
/// A band stays in the processor's cache, where a
/// whole picture would not (measured: three times slower), and the cost follows
/// the pixels touched and not the frame's size: only touched cells (16 pixels of a row) are blended and cleared.
///
/// Colours are premultiplied R′G′B′ and alpha as 16-bit fixed point, each
/// channel a plane of its own, so that plain loops over rows vectorise. Light, which hides nothing, is
/// kept apart, as luma and colour (``TileLight``).
struct TileBrush: ~Copyable {
    let width: Int
    let height: Int
    /// Samples from one row of a channel to the next: whole tiles.
    let stride: Int
    let tileColumns: Int
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
    /// What is soft and large, drawn at every fourth pixel only.
    let coarse: TileCoarse
    /// Whether something lies there that the band does not hold yet, and whether that is light
    /// alone, beneath all else.
    var coarseWaits = false
    var coarseIsLight = true
    /// The band's channels averaged down to the chroma planes' size.
    let smallRed, smallGreen, smallBlue, smallAlpha: TilePlane
    /// Lays veils.
    private var shades: WashRows

    /// A brush for pictures of a size.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        tileColumns = (width + TileGrid.tileWidth - 1) / TileGrid.tileWidth
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
        shades = WashRows(width: width)
    }

    /// Draws bands of a drawing, and blends them into a picture of the brush's size, until none is left.
    mutating func paint(_ drawing: TileDrawing, on picture: inout MutablePicture) {
        let blender = Blender(picture.format)
        light.begin(picture.format)
        while let (rows, commands) = drawing.takeBand() {
            var band = TileBand(rows: rows, blender: blender, people: people, isBehind: drawing.mask != nil)
            if let mask = drawing.mask { people.find(in: mask, rows) }
            for veil in drawing.washes {
                let spared = veil.onPeople < 1 && drawing.mask != nil ? people : nil
                shades.lay(veil.wash, on: &picture, rows, sparing: spared, onPeople: veil.onPeople)
            }
            for index in commands {
                if index >= drawing.firstInFront { hide(in: &band, drawing, onto: &picture) }
                execute(drawing.commands[index], in: band, onto: &picture)
            }
            hide(in: &band, drawing, onto: &picture)
            layCoarse(in: band, onto: &picture)
            finish(band, onto: &picture)
        }
    }

    /// Puts people before what the band holds, unless they are already.
    private mutating func hide(in band: inout TileBand, _ drawing: TileDrawing, onto picture: inout MutablePicture) {
        guard band.isBehind, let mask = drawing.mask else { return }
        layCoarse(in: band, onto: &picture)
        if let rim = drawing.rim { touchRim(rim, in: band) }
        hideLight(behind: mask, lit: drawing.rim, in: band)
        hideMatter(in: band)
        band.isBehind = false
    }
}
