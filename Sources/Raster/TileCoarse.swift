/// The band at a quarter of its size, for what is soft and large: a sixteenth of the work.
///
/// A sample lies at every fourth pixel of every fourth row, and at the first row of the next
/// band; what lies between is interpolated when the samples are laid over the band.
struct TileCoarse: ~Copyable {
    /// Pixels from one sample to the next.
    static let step = 4
    static let rows = TileCanvas.tileHeight / step + 1

    let red, green, blue, alpha: TilePlane
    let stride: Int
    /// The rows of one channel at full width, one after the other, and a row between them.
    let wide, row, rowAlpha: TilePlane

    init(stride fine: Int) {
        stride = TileRows.rounded(fine / Self.step + 1)
        red = TilePlane(count: stride * Self.rows)
        green = TilePlane(count: stride * Self.rows)
        blue = TilePlane(count: stride * Self.rows)
        alpha = TilePlane(count: stride * Self.rows)
        wide = TilePlane(count: fine * Self.rows)
        row = TilePlane(count: fine)
        rowAlpha = TilePlane(count: fine * TileCanvas.tileHeight)
    }
}

extension TileCanvas {
    /// Carries out a command that needs no more than every fourth pixel.
    mutating func executeCoarse(_ command: TileCommand, top: Int) {
        let step = TileCoarse.step
        coarseWaits = true
        if !command.isLight { coarseIsMatter = true }
        for r in 0..<TileCoarse.rows {
            let y = top + r * step
            let columns = command.outline.columns(inRow: y)
            let first = (columns.lowerBound + step - 1) / step
            let end = (columns.upperBound + step - 1) / step
            if columns.isEmpty || first >= end { continue }
            let left = max(first * step - step + 1, 0) / Self.tileWidth
            let right = min(end * step - 1, stride - 1) / Self.tileWidth
            for tile in left...right { coarseTouched[tile] = 1 }
            let (start, n) = (r * coarse.stride + first, end - first)
            switch command.paint {
            case .shape(let shape, let colour):
                fillCoverage(shape, command.outline.coverage(at: first * step, y).every(step), count: n)
                if colour.alpha == 0 {
                    TileRows.add(coarse.red, coarse.green, coarse.blue, start, n, weights: coverage, colour)
                } else {
                    TileRows.over(
                        coarse.red, coarse.green, coarse.blue, coarse.alpha, start, n, weights: coverage, colour)
                }
            case .sprite(let paint):
                samplePoints(paint, x: first * step, y: y, n, every: step, into: spriteRed, spriteGreen, spriteBlue, coverage)
                lay(paint, over: coarse.red, coarse.green, coarse.blue, coarse.alpha, at: start, count: n)
            }
        }
    }

    /// Lays what was drawn coarsely over the band and forgets it.
    mutating func layCoarse() {
        guard coarseWaits else { return }
        coarseWaits = false
        for run in Self.runs(of: coarseTouched) {
            touch(run)
            if coarseIsMatter { layCoarseAlpha(run) }
            layCoarse(coarse.red, over: red, run)
            layCoarse(coarse.green, over: green, run)
            layCoarse(coarse.blue, over: blue, run)
            let n = run.count / TileCoarse.step + 1
            for r in 0..<TileCoarse.rows {
                let start = r * coarse.stride + run.lowerBound / TileCoarse.step
                coarse.red.clear(from: start, n)
                coarse.green.clear(from: start, n)
                coarse.blue.clear(from: start, n)
                coarse.alpha.clear(from: start, n)
            }
        }
        coarseIsMatter = false
        for column in 0..<tileColumns { coarseTouched[column] = 0 }
    }

    /// Lays one channel of a run over the band.
    private func layCoarse(_ samples: borrowing TilePlane, over channel: borrowing TilePlane, _ run: Range<Int>) {
        for r in 0..<TileCoarse.rows {
            TileRows.stretchFourfold(
                samples, from: r * coarse.stride + run.lowerBound / TileCoarse.step, into: coarse.wide,
                at: r * stride, run.count)
        }
        for y in 0..<Self.tileHeight {
            let (upper, part) = (y / TileCoarse.step * stride, y % TileCoarse.step)
            let start = y * stride + run.lowerBound
            if coarseIsMatter {
                TileRows.between(coarse.wide, upper, upper + stride, part, into: coarse.row, at: 0, run.count)
                TileRows.over(
                    channel, start, run.count, values: coarse.row, alphas: coarse.rowAlpha, y * stride)
            } else {
                TileRows.addBetween(coarse.wide, upper, upper + stride, part, to: channel, start, run.count)
            }
        }
    }

    /// Fills the run's alphas at full size and lays them over the band's.
    private func layCoarseAlpha(_ run: Range<Int>) {
        for r in 0..<TileCoarse.rows {
            TileRows.stretchFourfold(
                coarse.alpha, from: r * coarse.stride + run.lowerBound / TileCoarse.step, into: coarse.wide,
                at: r * stride, run.count)
        }
        for y in 0..<Self.tileHeight {
            let upper = y / TileCoarse.step * stride
            TileRows.between(
                coarse.wide, upper, upper + stride, y % TileCoarse.step, into: coarse.rowAlpha, at: y * stride,
                run.count)
            TileRows.over(
                alpha, y * stride + run.lowerBound, run.count, alphas: coarse.rowAlpha, y * stride)
        }
    }
}
