extension TileBrush {
    /// Blends what the band holds into the picture and clears it.
    mutating func finish(_ band: TileBand, onto picture: inout MutablePicture) {
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

    /// Tiles that are not 0 as ranges of columns, neighbours joined.
    /// - Parameter hidden: for each tile 1 where it is left out; none where it is empty.
    static func runs(of touched: [UInt8], except hidden: [UInt8] = []) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for column in 0...touched.count {
            if column < touched.count && touched[column] != 0 && (hidden.isEmpty || hidden[column] == 0) {
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
