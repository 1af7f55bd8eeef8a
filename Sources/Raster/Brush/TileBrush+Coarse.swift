extension TileBrush {
    /// Carries out a command that needs no more than every fourth pixel.
    mutating func executeCoarse(_ command: TileCommand, in band: TileBand, onto picture: inout MutablePicture) {
        let (step, top) = (TileCoarse.step, band.top)
        let isLight = command.isLight && touched.isEmpty && (!coarseWaits || coarseIsLight)
        if coarseWaits, coarseIsLight, !isLight { layCoarse(in: band, onto: &picture) }
        coarseWaits = true
        coarseIsLight = isLight
        for r in 0..<TileCoarse.rows {
            let y = top + r * step
            let columns = command.outline.columns(inRow: y)
            let first = (columns.lowerBound + step - 1) / step
            let end = (columns.upperBound + step - 1) / step
            if columns.isEmpty || first >= end { continue }
            let left = max(first * step - step + 1, 0) / TileGrid.tileWidth
            let right = min(end * step - 1, stride - 1) / TileGrid.tileWidth
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
                samplePoints(
                    paint, x: first * step, y: y, n, every: step, into: spriteRed, spriteGreen, spriteBlue, coverage)
                lay(paint, over: coarse.red, coarse.green, coarse.blue, coarse.alpha, at: start, count: n)
            }
        }
    }

    /// Lays what was drawn coarsely over the band, or light into the picture beneath it, and forgets it.
    mutating func layCoarse(in band: TileBand, onto picture: inout MutablePicture) {
        guard coarseWaits else { return }
        coarseWaits = false
        for run in Self.runs(of: coarseTouched) {
            if coarseIsLight {
                layLight(run, in: band, onto: &picture)
            } else {
                touched.mark(run)
                layCoarseAlpha(run)
                layCoarse(coarse.red, over: red, run)
                layCoarse(coarse.green, over: green, run)
                layCoarse(coarse.blue, over: blue, run)
            }
            let n = run.count / TileCoarse.step + 1
            for r in 0..<TileCoarse.rows {
                let start = r * coarse.stride + run.lowerBound / TileCoarse.step
                coarse.red.clear(from: start, n)
                coarse.green.clear(from: start, n)
                coarse.blue.clear(from: start, n)
                coarse.alpha.clear(from: start, n)
            }
        }
        for column in 0..<tileColumns { coarseTouched[column] = 0 }
    }

    /// Adds the light of a run to the picture. Nothing of it is kept: it goes from the samples straight
    /// into each row.
    private func layLight(_ run: Range<Int>, in band: TileBand, onto picture: inout MutablePicture) {
        let n = run.count / TileCoarse.step + 1
        for r in 0..<TileCoarse.rows {
            TileRows.mix(
                coarse.red, coarse.green, coarse.blue, r * coarse.stride + run.lowerBound / TileCoarse.step, n,
                light.weights, into: coarse.luma)
        }
        let pixels = run.clamped(to: 0..<width)
        for y in 0..<band.rows.count {
            fillRow(coarse.luma, run, y, shift: 0, into: coarse.row)
            band.forEachShown(of: pixels, inRow: y) { pixels, isEdge in
                let start = pixels.lowerBound - run.lowerBound
                if isEdge { unsafe TileRows.scale(coarse.row, start, by: people.room(inRow: y, pixels).span) }
                band.blender.addLuma(coarse.row, at: start, to: &picture, band.top + y, pixels)
            }
            if let row = light.chromaRow(y) { layChroma(run, row, y, in: band, onto: &picture) }
        }
    }

    /// Adds the light of a run to a row of the chroma planes; `row` counts in the band.
    private func layChroma(
        _ run: Range<Int>, _ row: Int, _ y: Int, in band: TileBand, onto picture: inout MutablePicture
    ) {
        let (shiftX, shiftY) = (light.chroma.shiftX, light.chroma.shiftY)
        let first = run.lowerBound >> shiftX
        fillRow(coarse.red, run, row << shiftY, shift: shiftX, into: coarse.chromaRed)
        fillRow(coarse.green, run, row << shiftY, shift: shiftX, into: coarse.chromaGreen)
        fillRow(coarse.blue, run, row << shiftY, shift: shiftX, into: coarse.chromaBlue)
        band.forEachShown(of: run.clamped(to: 0..<width), inRow: y) { pixels, isEdge in
            let columns = light.chromaColumns(pixels)
            if columns.isEmpty { return }
            let start = columns.lowerBound - first
            if isEdge {
                people.fill(
                    light.smallShare, inRow: y, from: columns.lowerBound << shiftX, shift: shiftX, columns.count)
                let share = unsafe light.smallShare.buffer(from: 0, columns.count).span
                TileRows.scale(coarse.chromaRed, start, by: share)
                TileRows.scale(coarse.chromaGreen, start, by: share)
                TileRows.scale(coarse.chromaBlue, start, by: share)
            }
            band.blender.addChroma(
                coarse.chromaRed, coarse.chromaGreen, coarse.chromaBlue, at: start, to: &picture,
                band.top >> shiftY + row, columns)
        }
    }

    /// Interpolates a row of a run between the samples, at full width or half of it (`shift` 1).
    private func fillRow(
        _ samples: borrowing TilePlane, _ run: Range<Int>, _ y: Int, shift: Int, into target: borrowing TilePlane
    ) {
        let n = run.count / TileCoarse.step + 1
        let upper = y / TileCoarse.step * coarse.stride + run.lowerBound / TileCoarse.step
        TileRows.between(samples, upper, upper + coarse.stride, y % TileCoarse.step, into: coarse.narrow, at: 0, n)
        if shift == 0 {
            TileRows.stretchFourfold(coarse.narrow, from: 0, into: target, at: 0, run.count)
        } else {
            TileRows.stretchTwofold(coarse.narrow, into: target, run.count >> 1)
        }
    }

    /// Lays one channel of a run over the band.
    private func layCoarse(_ samples: borrowing TilePlane, over channel: borrowing TilePlane, _ run: Range<Int>) {
        for r in 0..<TileCoarse.rows {
            TileRows.stretchFourfold(
                samples, from: r * coarse.stride + run.lowerBound / TileCoarse.step, into: coarse.wide,
                at: r * stride, run.count)
        }
        for y in 0..<TileGrid.tileHeight {
            let (upper, part) = (y / TileCoarse.step * stride, y % TileCoarse.step)
            let start = y * stride + run.lowerBound
            TileRows.between(coarse.wide, upper, upper + stride, part, into: coarse.row, at: 0, run.count)
            TileRows.over(channel, start, run.count, values: coarse.row, alphas: coarse.rowAlpha, y * stride)
        }
    }

    /// Fills the run's alphas at full size and lays them over the band's.
    private func layCoarseAlpha(_ run: Range<Int>) {
        for r in 0..<TileCoarse.rows {
            TileRows.stretchFourfold(
                coarse.alpha, from: r * coarse.stride + run.lowerBound / TileCoarse.step, into: coarse.wide,
                at: r * stride, run.count)
        }
        for y in 0..<TileGrid.tileHeight {
            let upper = y / TileCoarse.step * stride
            TileRows.between(
                coarse.wide, upper, upper + stride, y % TileCoarse.step, into: coarse.rowAlpha, at: y * stride,
                run.count)
            TileRows.over(
                alpha, y * stride + run.lowerBound, run.count, alphas: coarse.rowAlpha, y * stride)
        }
    }
}
