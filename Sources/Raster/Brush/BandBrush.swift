/// Draws bands of a picture, one after the other, and blends each into the picture's memory. A ``BandCanvas`` owns one
/// brush, and a second one on its helper thread if it has a helper.
///
/// Unlike a whole picture, a band stays in the processor's cache (measured: three times faster). The cost depends on
/// the pixels drawn on rather than on the frame's size, because only marked cells (16 pixels of a row) are blended and
/// cleared.
///
/// Colours are premultiplied R′G′B′ and alpha as 16-bit fixed point, each channel in a separate plane, so that plain
/// loops over rows vectorise. Light, which hides nothing, is kept separately, as luma and colour (``BandLight``).
struct BandBrush: ~Copyable {
    let width: Int
    let height: Int
    /// The number of samples from one row of a channel to the next: whole blocks.
    let stride: Int
    let blockColumns: Int
    /// The band's matter (which hides the picture), and light upon the matter: `bandHeight` rows of each channel.
    let colours: BandColours
    let alpha: BandPlane
    /// The cells in which these channels are not 0.
    var touched: BandMarks
    /// For each block of the band: 1 if it has coarse samples.
    var coarseTouched: [UInt8]
    /// The band's light, beneath everything else.
    var light: BandLight
    /// Coverage of the row being drawn, and of the next one, 0…65535; for sprites, the row's alpha.
    let coverage: BandPlane
    /// A sprite's colours in the row being drawn.
    let spriteColours: BandColours
    /// The people in the band.
    let people: BandPeople
    /// The soft and large shapes, drawn at every fourth pixel only.
    let coarse: BandCoarse
    /// Boolean values that indicate whether the coarse canvas has samples that are not yet in the band, and whether
    /// these samples are only light beneath everything else.
    var coarseWaits = false
    var coarseIsLight = true
    /// The band's channels averaged down to the chroma planes' size.
    let small: BandColours
    let smallAlpha: BandPlane
    /// Draws veils, which dim or tint the whole picture.
    private var shades: WashRows

    /// Creates a brush for pictures of a size.
    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        blockColumns = (width + BandGrid.blockWidth - 1) / BandGrid.blockWidth
        stride = blockColumns * BandGrid.blockWidth
        let count = stride * BandGrid.bandHeight
        colours = BandColours(count: count)
        alpha = BandPlane(count: count)
        touched = BandMarks(width: stride)
        coverage = BandPlane(count: 2 * stride)
        spriteColours = BandColours(count: stride)
        people = BandPeople(stride: stride)
        light = BandLight(stride: stride)
        coarse = BandCoarse(stride: stride)
        coarseTouched = [UInt8](repeating: 0, count: blockColumns)
        small = BandColours(count: count)
        smallAlpha = BandPlane(count: count)
        shades = WashRows(width: width)
    }

    /// Draws bands of a drawing, and blends them into a picture of the brush's size, until all bands are drawn.
    mutating func paint(_ drawing: BandDrawing, on picture: inout MutablePicture) {
        let blender = Blender(picture.format)
        light.begin(picture.format)
        while let (rows, commands) = drawing.dequeueBand() {
            var band = Band(rows: rows, blender: blender, people: people, isBehind: drawing.mask != nil)
            if let mask = drawing.mask { people.find(in: mask, rows) }
            for wash in drawing.washes {
                shades.lay(wash, on: &picture, rows, sparing: wash.onPeople < 1 && drawing.mask != nil ? people : nil)
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

    /// Removes what people hide from the contents of the band, unless this was done before.
    private mutating func hide(in band: inout Band, _ drawing: BandDrawing, onto picture: inout MutablePicture) {
        guard band.isBehind, let mask = drawing.mask else { return }
        layCoarse(in: band, onto: &picture)
        if let rim = drawing.rim { touchRim(rim, in: band) }
        hideLight(behind: mask, lit: drawing.rim, in: band)
        hideMatter(in: band)
        band.isBehind = false
    }
}

/// A band of a picture while it is drawn: one row of blocks.
struct Band {
    /// The rows of the band in the picture.
    let rows: Range<Int>
    let blender: Blender
    let people: BandPeople
    /// True if the current commands are behind people.
    var isBehind: Bool

    var top: Int { rows.lowerBound }

    /// Returns whether drawing may skip pixels that people hide: at least `count` rows must share their hidden ranges.
    func leavesGaps(overRows count: Int) -> Bool { isBehind && people.sharedRows >= count }

    /// Calls `body` for the visible pixels of the band's row `y`. `isEdge` is `true` if people partly cover these
    /// pixels.
    @inline(__always)
    func forEachShown(
        of pixels: Range<Int>, inRow y: Int, _ body: (_ pixels: Range<Int>, _ isEdge: Bool) -> Void
    ) {
        guard isBehind else { return body(pixels, false) }
        people.forEachInterval(inRow: y, of: pixels) { kind, pixels in
            if kind == .room || kind == .edge { body(pixels, kind == .edge) }
        }
    }
}

extension BandBrush {
    /// Removes the light that people hide, and adds light from behind along people's edges. At the edges, the band's
    /// light is multiplied by the room's share of a pixel.
    func hideLight(behind mask: BandMask, lit rim: BandRim?, in band: Band) {
        if light.touched.isEmpty { return }
        defer { if let rim { lighten(rim, of: mask, in: band) } }
        for y in 0..<band.rows.count {
            people.forEachInterval(inRow: y, of: light.touched.bounds(inRow: y).clamped(to: 0..<width)) {
                kind, pixels in
                switch kind {
                case .room: return
                case .person, .rim: light.clear(y, pixels, stride: stride)
                case .edge: light.hide(behind: people, y, pixels, stride: stride)
                }
            }
        }
    }

    /// Removes the matter that people hide.
    func hideMatter(in band: Band) {
        if touched.isEmpty { return }
        for y in 0..<band.rows.count {
            people.forEachInterval(inRow: y, of: touched.bounds(inRow: y).clamped(to: 0..<width)) { kind, pixels in
                let start = y * stride + pixels.lowerBound
                switch kind {
                case .room: return
                case .person, .rim: clear(from: start, pixels.count)
                case .edge:
                    let room = unsafe people.room(inRow: y, pixels).span
                    colours.scale(start, by: room)
                    BandRows.scale(alpha, start, by: room)
                }
            }
        }
    }

    /// Clears samples of the band's matter.
    func clear(from start: Int, _ count: Int) {
        colours.clear(from: start, count)
        alpha.clear(from: start, count)
    }

    /// Marks the pixels of a band in which light falls on people's outlines.
    mutating func touchRim(_ rim: BandRim, in band: Band) {
        for y in 0..<band.rows.count {
            band.people.forEachInterval(inRow: y, of: 0..<width) { kind, pixels in
                if kind == .edge || kind == .rim, rim.reaches(row: band.top + y, pixels) {
                    light.touched.mark(pixels, inRow: y)
                }
            }
        }
    }

    /// Adds the light on people's outlines.
    private func lighten(_ rim: BandRim, of mask: BandMask, in band: Band) {
        var share = unsafe light.share.mutableBuffer(from: 0, width).mutableSpan
        for y in Swift.stride(from: 0, to: band.rows.count, by: mask.sharedRows) {
            people.forEachInterval(inRow: y, of: 0..<width) { kind, pixels in
                guard kind == .edge || kind == .rim, rim.reaches(row: band.top + y, pixels) else { return }
                mask.fillRim(&share, y: band.top + y, pixels: pixels)
                // Over 32 pixels, the light is nearly even.
                for first in Swift.stride(from: pixels.lowerBound, to: pixels.upperBound, by: 32) {
                    let part = first..<min(first + 32, pixels.upperBound)
                    let colour = rim.colour(x: first + part.count / 2, y: band.top + y)
                    for row in y..<min(y + mask.sharedRows, band.rows.count) {
                        light.add(colour, row, part, stride: stride)
                    }
                }
            }
        }
    }
}

extension BandBrush {
    /// Blends the band into the picture and clears it.
    mutating func finish(_ band: Band, onto picture: inout MutablePicture) {
        let chroma = picture.format.chroma
        if !light.touched.isEmpty {
            band.blender.addLight(of: self, band.rows, to: &picture)
            light.clear(stride: stride)
        }
        if touched.isEmpty { return }
        repeatOddEdges(band.rows)
        for row in 0..<(band.rows.count + (1 << chroma.shiftY) - 1) >> chroma.shiftY {
            touched.forEachRun(inRow: row << chroma.shiftY, count: 1 << chroma.shiftY) { fillSmall(row, $0, chroma) }
        }
        band.blender.blendMatter(of: self, band.rows, into: &picture)
        for y in 0..<BandGrid.bandHeight {
            touched.forEachRun(inRow: y) { clear(from: y * stride + $0.lowerBound, $0.count) }
        }
        touched.clear()
    }

    /// Returns the blocks whose value is not 0, as ranges of pixel columns; adjacent blocks are joined.
    /// - Parameter hidden: 1 for each block to omit; empty to omit none.
    static func runs(of touched: [UInt8], except hidden: [UInt8] = []) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for column in 0...touched.count {
            if column < touched.count && touched[column] != 0 && (hidden.isEmpty || hidden[column] == 0) {
                if start == nil { start = column * BandGrid.blockWidth }
            } else if let first = start {
                runs.append(first..<column * BandGrid.blockWidth)
                start = nil
            }
        }
        return runs
    }

    /// Repeats the last luma sample at odd sizes. The last chroma sample then covers only one luma sample, and its
    /// average needs two.
    private mutating func repeatOddEdges(_ rows: Range<Int>) {
        if width % 2 == 1 {
            for y in 0..<rows.count where touched.contains(width - 1..<width, inRow: y) {
                repeatSample(at: y * stride + width - 1, to: y * stride + width)
                touched.mark(width..<width + 1, inRow: y)
            }
        }
        if height % 2 == 1, rows.contains(height - 1) {
            let y = rows.count
            for x in 0..<stride { repeatSample(at: (y - 1) * stride + x, to: y * stride + x) }
            touched.mark(0..<stride, inRow: y)
        }
    }

    private func repeatSample(at from: Int, to: Int) {
        colours.red[to] = colours.red[from]
        colours.green[to] = colours.green[from]
        colours.blue[to] = colours.blue[from]
        alpha[to] = alpha[from]
    }

    /// Averages samples of the band down to the chroma planes' size; `row` is a row of chroma samples, counted from the
    /// band's first.
    private func fillSmall(_ row: Int, _ run: Range<Int>, _ chroma: ChromaSubsampling) {
        let from = (row << chroma.shiftY) * stride + run.lowerBound
        let at = row * stride + run.lowerBound >> chroma.shiftX
        func average(_ source: borrowing BandPlane, _ target: borrowing BandPlane) {
            BandRows.average(
                source, from: from, below: chroma.shiftY * stride, into: target, at: at,
                count: run.count >> chroma.shiftX, shift: chroma.shiftX)
        }
        average(colours.red, small.red)
        average(colours.green, small.green)
        average(colours.blue, small.blue)
        average(alpha, smallAlpha)
    }
}
