extension TileCanvas {
    /// Draws everything that was asked for, blends it into a picture and forgets it.
    ///
    /// - Parameters:
    ///   - mask: hides what was drawn before ``beginFront()``.
    /// - Precondition: the picture and the mask have the canvas's size.
    /// - Complexity: linear in the pixels of touched cells, and in all of them where there is a veil.
    package mutating func blend(
        into picture: inout MutablePicture, hiding mask: TileMask? = nil
    ) {
        precondition(picture.format.width == width && picture.format.height == height)
        let rim =
            mask == nil
            ? nil : TileRim(commands[..<min(firstInFront, commands.count)], width: width, height: height)
        let blender = Blender(picture.format)
        light.begin(picture.format)
        let (order, starts) = commandsByBand()
        var shades = WashRows(width: width)
        for row in 0..<tileRows where rim != nil || !washes.isEmpty || starts[row] < starts[row + 1] {
            let top = row * TileGrid.tileHeight
            var band = TileBand(
                rows: top..<min(top + TileGrid.tileHeight, height), blender: blender, people: people,
                isBehind: mask != nil)
            if let mask { people.find(in: mask, band.rows) }
            for (wash, sparesPeople) in washes {
                shades.lay(wash, on: &picture, band.rows, sparing: sparesPeople && mask != nil ? people : nil)
            }
            for index in order[starts[row]..<starts[row + 1]] {
                if index >= firstInFront { hide(in: &band, mask, lit: rim, onto: &picture) }
                execute(commands[index], in: band, onto: &picture)
            }
            hide(in: &band, mask, lit: rim, onto: &picture)
            layCoarse(in: band, onto: &picture)
            finish(band, onto: &picture)
        }
        commands.removeAll(keepingCapacity: true)
        washes.removeAll(keepingCapacity: true)
        firstInFront = 0
    }

    /// Puts people before what the band holds, unless they are already.
    private mutating func hide(
        in band: inout TileBand, _ mask: TileMask?, lit rim: TileRim?, onto picture: inout MutablePicture
    ) {
        guard band.isBehind, let mask else { return }
        layCoarse(in: band, onto: &picture)
        if let rim { touchRim(rim, in: band) }
        hideLight(behind: mask, lit: rim, in: band)
        hideMatter(in: band)
        band.isBehind = false
    }

    /// Blends what the band holds into the picture and clears it.
    private mutating func finish(_ band: TileBand, onto picture: inout MutablePicture) {
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
        for y in 0..<TileGrid.tileHeight {
            touched.forEachRun(inRow: y) { clear(from: y * stride + $0.lowerBound, $0.count) }
        }
        touched.clear()
    }

    /// The commands' indices sorted by the bands they lie in (a tall one is in several), and
    /// where each band's begin.
    private func commandsByBand() -> (order: [Int], starts: [Int]) {
        var starts = [Int](repeating: 0, count: tileRows + 1)
        func bands(_ command: TileCommand) -> ClosedRange<Int> {
            let rows = command.outline.rows
            return rows.lowerBound / TileGrid.tileHeight...(rows.upperBound - 1) / TileGrid.tileHeight
        }
        for command in commands { for band in bands(command) { starts[band + 1] += 1 } }
        for band in 0..<tileRows { starts[band + 1] += starts[band] }
        var next = starts
        var order = [Int](repeating: 0, count: starts[tileRows])
        for (index, command) in commands.enumerated() {
            for band in bands(command) {
                order[next[band]] = index
                next[band] += 1
            }
        }
        return (order, starts)
    }

    /// Tiles that are not 0 as ranges of columns, neighbours joined.
    static func runs(of touched: [UInt8]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for column in 0...touched.count {
            if column < touched.count && touched[column] != 0 {
                if start == nil { start = column * TileGrid.tileWidth }
            } else if let first = start {
                runs.append(first..<column * TileGrid.tileWidth)
                start = nil
            }
        }
        return runs
    }

    /// Where a size is odd the last chroma sample has only one luma sample: repeats it, so
    /// that averages see it twice.
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
        red[to] = red[from]
        green[to] = green[from]
        blue[to] = blue[from]
        alpha[to] = alpha[from]
    }

    /// Averages samples of the band down to the chroma planes' size; `row` is one of theirs.
    private func fillSmall(_ row: Int, _ run: Range<Int>, _ chroma: ChromaSubsampling) {
        let from = (row << chroma.shiftY) * stride + run.lowerBound
        let at = row * stride + run.lowerBound >> chroma.shiftX
        func average(_ source: borrowing TilePlane, _ target: borrowing TilePlane) {
            TileRows.average(
                source, from: from, below: chroma.shiftY * stride, into: target, at: at,
                count: run.count >> chroma.shiftX, shift: chroma.shiftX)
        }
        average(red, smallRed)
        average(green, smallGreen)
        average(blue, smallBlue)
        average(alpha, smallAlpha)
    }
}
