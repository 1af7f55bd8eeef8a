/// Draws soft shapes on a grid of every fourth pixel, and interpolates them onto the picture.
extension BandBrush {
    /// Executes a command at every fourth pixel of every fourth row, and keeps the result in ``coarse``.
    mutating func executeCoarse(_ command: BandCommand, in band: Band, onto picture: inout MutablePicture) {
        let (step, top) = (BandCoarse.step, band.top)
        let isLight = command.isLight && touched.isEmpty && (!coarseWaits || coarseIsLight)
        if coarseWaits, coarseIsLight, !isLight { layCoarse(in: band, onto: &picture) }
        coarseWaits = true
        coarseIsLight = isLight
        for r in 0..<BandCoarse.rows {
            let y = top + r * step
            var columns = command.outline.columns(inRow: y)
            if case .sprite(let paint) = command.paint, !columns.isEmpty {
                columns = visible(columns, inRow: y, of: paint)
            }
            let first = (columns.lowerBound + step - 1) / step
            let end = (columns.upperBound + step - 1) / step
            if columns.isEmpty || first >= end { continue }
            let left = max(first * step - step + 1, 0) / BandGrid.blockWidth
            let right = min(end * step - 1, stride - 1) / BandGrid.blockWidth
            for block in left...right { coarseTouched[block] = 1 }
            let (start, n) = (r * coarse.stride + first, end - first)
            switch command.paint {
            case .shape(let shape, let colour):
                command.outline.coverage(at: first * step, y).every(step).fill(coverage, at: 0, with: shape, count: n)
                if colour.alpha == 0 {
                    BandRows.add(coarse.colours, start, n, weights: coverage, colour)
                } else {
                    BandRows.over(coarse.colours, coarse.alpha, start, n, weights: coverage, colour)
                }
            case .sprite(let paint):
                samplePoints(paint, x: first * step, y: y, n, every: step, into: spriteColours, coverage)
                lay(paint, over: coarse.colours, coarse.alpha, at: start, count: n)
            }
        }
    }

    /// Composites the coarse samples and clears them. Light, and matter with nothing beneath it in the band, is blended
    /// into the picture directly. Other matter is composited over the band.
    mutating func layCoarse(in band: Band, onto picture: inout MutablePicture) {
        guard coarseWaits else { return }
        coarseWaits = false
        // Matter with nothing beneath it needs no compositing in the band.
        let isLowest = touched.isEmpty && light.touched.isEmpty
        for run in Self.runs(of: coarseTouched, except: band.isBehind ? people.hiddenBlocks : []) {
            if coarseIsLight {
                layLight(run, in: band, onto: &picture)
            } else if isLowest {
                layMatter(run, in: band, onto: &picture)
            } else {
                touched.mark(run)
                layCoarseAlpha(run)
                layCoarse(coarse.colours.red, over: colours.red, run)
                layCoarse(coarse.colours.green, over: colours.green, run)
                layCoarse(coarse.colours.blue, over: colours.blue, run)
            }
        }
        for run in Self.runs(of: coarseTouched) {
            let n = run.count / BandCoarse.step + 1
            for r in 0..<BandCoarse.rows {
                let start = r * coarse.stride + run.lowerBound / BandCoarse.step
                coarse.colours.clear(from: start, n)
                coarse.alpha.clear(from: start, n)
            }
        }
        for column in 0..<blockColumns { coarseTouched[column] = 0 }
    }

    /// Adds the light of a run of blocks to the picture. Each row is interpolated from the coarse samples and added at
    /// once.
    private func layLight(_ run: Range<Int>, in band: Band, onto picture: inout MutablePicture) {
        mixLuma(run)
        let pixels = run.clamped(to: 0..<width)
        for y in 0..<band.rows.count {
            fillRow(coarse.luma, run, y, shift: 0, into: coarse.row)
            band.forEachShown(of: pixels, inRow: y) { pixels, isEdge in
                let start = pixels.lowerBound - run.lowerBound
                if isEdge { unsafe BandRows.scale(coarse.row, start, by: people.room(inRow: y, pixels).span) }
                band.blender.addLuma(coarse.row, at: start, to: &picture, band.top + y, pixels)
            }
            if let row = light.chromaRow(y) { layChroma(run, row, y, in: band, onto: &picture) }
        }
    }

    /// Blends the matter of a run into the picture, like ``layLight(_:in:onto:)`` does for light.
    private func layMatter(_ run: Range<Int>, in band: Band, onto picture: inout MutablePicture) {
        mixLuma(run)
        let pixels = run.clamped(to: 0..<width)
        for y in 0..<band.rows.count {
            fillRow(coarse.luma, run, y, shift: 0, into: coarse.row)
            fillRow(coarse.alpha, run, y, shift: 0, into: coarse.rowAlpha)
            band.forEachShown(of: pixels, inRow: y) { pixels, isEdge in
                let start = pixels.lowerBound - run.lowerBound
                if isEdge {
                    let room = unsafe people.room(inRow: y, pixels).span
                    BandRows.scale(coarse.row, start, by: room)
                    BandRows.scale(coarse.rowAlpha, start, by: room)
                }
                band.blender.coverLuma(coarse.row, coarse.rowAlpha, at: start, on: &picture, band.top + y, pixels)
            }
            guard let row = light.chromaRow(y) else { continue }
            fillRow(coarse.alpha, run, y, shift: light.chroma.shiftX, into: coarse.chromaAlpha)
            fillChroma(run, y)
            forEachChromaInterval(run, y, in: band) { columns, start, share in
                if let share { BandRows.scale(coarse.chromaAlpha, start, by: share) }
                band.blender.coverChroma(
                    coarse.chroma, coarse.chromaAlpha, at: start, on: &picture,
                    band.top >> light.chroma.shiftY + row, columns)
            }
        }
    }

    /// Computes the luma of a run's coarse samples.
    private func mixLuma(_ run: Range<Int>) {
        let n = run.count / BandCoarse.step + 1
        for r in 0..<BandCoarse.rows {
            BandRows.mix(
                coarse.colours, r * coarse.stride + run.lowerBound / BandCoarse.step, n,
                light.weights, into: coarse.luma)
        }
    }

    /// Adds the light of a run to a row of the chroma planes. `row` is counted from the band's first row of chroma
    /// samples and begins at the band's row `y`.
    private func layChroma(
        _ run: Range<Int>, _ row: Int, _ y: Int, in band: Band, onto picture: inout MutablePicture
    ) {
        fillChroma(run, y)
        forEachChromaInterval(run, y, in: band) { columns, start, _ in
            band.blender.addChroma(
                coarse.chroma, at: start, to: &picture, band.top >> light.chroma.shiftY + row, columns)
        }
    }

    /// Interpolates a run's colours for the row of chroma samples that begins at the band's row `y`.
    private func fillChroma(_ run: Range<Int>, _ y: Int) {
        let shift = light.chroma.shiftX
        fillRow(coarse.colours.red, run, y, shift: shift, into: coarse.chroma.red)
        fillRow(coarse.colours.green, run, y, shift: shift, into: coarse.chroma.green)
        fillRow(coarse.colours.blue, run, y, shift: shift, into: coarse.chroma.blue)
    }

    /// Calls `body` for the visible chroma samples of a run, with their offset in the run. At people's edges, this
    /// function multiplies the colours by the room's share, and passes the share to `body`; elsewhere `share` is `nil`.
    private func forEachChromaInterval(
        _ run: Range<Int>, _ y: Int, in band: Band,
        _ body: (_ columns: Range<Int>, _ start: Int, _ share: Span<UInt16>?) -> Void
    ) {
        let shiftX = light.chroma.shiftX
        band.forEachShown(of: run.clamped(to: 0..<width), inRow: y) { pixels, isEdge in
            let columns = light.chromaColumns(pixels)
            if columns.isEmpty { return }
            let start = columns.lowerBound - run.lowerBound >> shiftX
            guard isEdge else { return body(columns, start, nil) }
            people.fill(light.smallShare, inRow: y, from: columns.lowerBound << shiftX, shift: shiftX, columns.count)
            let share = unsafe light.smallShare.buffer(from: 0, columns.count).span
            coarse.chroma.scale(start, by: share)
            body(columns, start, share)
        }
    }

    /// Interpolates a row of a run between the samples, at full width or at half of it (`shift` 1).
    private func fillRow(
        _ samples: borrowing BandPlane, _ run: Range<Int>, _ y: Int, shift: Int, into target: borrowing BandPlane
    ) {
        let n = run.count / BandCoarse.step + 1
        let upper = y / BandCoarse.step * coarse.stride + run.lowerBound / BandCoarse.step
        BandRows.between(samples, upper, upper + coarse.stride, y % BandCoarse.step, into: coarse.narrow, at: 0, n)
        if shift == 0 {
            BandRows.upsampleFourfold(coarse.narrow, from: 0, into: target, at: 0, run.count)
        } else {
            BandRows.upsampleTwofold(coarse.narrow, into: target, run.count >> 1)
        }
    }

    /// Composites one channel of a run over the band.
    private func layCoarse(_ samples: borrowing BandPlane, over channel: borrowing BandPlane, _ run: Range<Int>) {
        widen(samples, run)
        for y in 0..<BandGrid.bandHeight {
            fillWide(run, y, into: coarse.row, at: 0)
            let start = y * stride + run.lowerBound
            BandRows.over(channel, start, run.count, values: coarse.row, alphas: coarse.rowAlpha, y * stride)
        }
    }

    /// Fills in the run's alphas at full size, and composites them over the band's.
    private func layCoarseAlpha(_ run: Range<Int>) {
        widen(coarse.alpha, run)
        for y in 0..<BandGrid.bandHeight {
            fillWide(run, y, into: coarse.rowAlpha, at: y * stride)
            BandRows.over(
                alpha, y * stride + run.lowerBound, run.count, alphas: coarse.rowAlpha, y * stride)
        }
    }

    /// Interpolates the coarse rows of a run to full width.
    private func widen(_ samples: borrowing BandPlane, _ run: Range<Int>) {
        for r in 0..<BandCoarse.rows {
            BandRows.upsampleFourfold(
                samples, from: r * coarse.stride + run.lowerBound / BandCoarse.step, into: coarse.wide,
                at: r * stride, run.count)
        }
    }

    /// Interpolates the band's row `y` between the widened rows.
    private func fillWide(_ run: Range<Int>, _ y: Int, into target: borrowing BandPlane, at start: Int) {
        let upper = y / BandCoarse.step * stride
        BandRows.between(
            coarse.wide, upper, upper + stride, y % BandCoarse.step, into: target, at: start, run.count)
    }
}

/// A band's canvas at a quarter of the width and height, for soft and large shapes. Drawing on it needs a sixteenth of
/// the work. Each ``BandBrush`` owns one.
///
/// There is a sample at every fourth pixel of every fourth row, and at the first row of the next band. Pixels between
/// samples are interpolated when the samples are composited.
struct BandCoarse: ~Copyable {
    /// The number of pixels from one sample to the next.
    static let step = BandGrid.coarseStep
    static let rows = BandGrid.bandHeight / step + 1

    let colours: BandColours
    let alpha: BandPlane
    /// The luma of light.
    let luma: BandPlane
    let stride: Int
    /// An interpolated row between two rows, at the same coarse width.
    let narrow: BandPlane
    /// The coarse rows of one channel at full width, and rows that are interpolated between them.
    let wide, row, rowAlpha: BandPlane
    /// A row at the chroma planes' width.
    let chroma: BandColours
    let chromaAlpha: BandPlane

    init(stride fine: Int) {
        stride = BandRows.rounded(fine / Self.step + 1)
        colours = BandColours(count: stride * Self.rows)
        alpha = BandPlane(count: stride * Self.rows)
        luma = BandPlane(count: stride * Self.rows)
        narrow = BandPlane(count: stride)
        wide = BandPlane(count: fine * Self.rows)
        row = BandPlane(count: fine)
        chroma = BandColours(count: fine)
        chromaAlpha = BandPlane(count: fine)
        rowAlpha = BandPlane(count: fine * BandGrid.bandHeight)
    }
}
