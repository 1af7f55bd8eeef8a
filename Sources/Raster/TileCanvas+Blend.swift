extension TileCanvas {
    /// Draws everything that was asked for, blends it into a picture and forgets it.
    ///
    /// - Parameters:
    ///   - mask: hides what was drawn before ``beginFront()``.
    /// - Precondition: the picture and the mask have the canvas's size.
    /// - Complexity: linear in the pixels of touched tiles; nothing else is read or written.
    package mutating func blend(
        into picture: inout MutablePicture, hiding mask: TileMask? = nil
    ) {
        precondition(picture.format.width == width && picture.format.height == height)
        var room = [UInt16](repeating: 0, count: mask == nil ? 0 : width)
        let rim = mask == nil
            ? nil : TileRim(commands[..<min(firstInFront, commands.count)], width: width, height: height)
        let blender = Blender(picture.format)
        let (order, starts) = commandsByBand()
        for band in 0..<tileRows where rim != nil || starts[band] < starts[band + 1] {
            let top = band * Self.tileHeight
            var hidden = mask == nil
            for index in order[starts[band]..<starts[band + 1]] {
                if index >= firstInFront, !hidden, let mask {
                    layCoarse()
                    if let rim { touchRim(rim, of: mask, top: top) }
                    hide(behind: mask, lit: rim, top: top, room: &room)
                    hidden = true
                }
                execute(commands[index], top: top)
            }
            layCoarse()
            if !hidden, let mask {
                if let rim { touchRim(rim, of: mask, top: top) }
                hide(behind: mask, lit: rim, top: top, room: &room)
            }
            let runs = touchedRuns()
            if runs.isEmpty { continue }
            let rows = top..<min(top + Self.tileHeight, height)
            repeatOddEdges(runs, rows)
            // Only the 8-bit kernels have a shorter form for light.
            if picture.format.bitDepth > 8 { holdsMatter = true }
            fillSmall(rows.count, runs, picture.format.chroma)
            if picture.format.bitDepth == 8 {
                blender.blend8(self, rows, runs, &picture)
            } else {
                blender.blend16(self, rows, runs, &picture)
            }
            clear(runs)
            holdsMatter = false
        }
        commands.removeAll(keepingCapacity: true)
        firstInFront = 0
    }

    /// The commands' indices sorted by the bands they lie in (a tall one is in several), and
    /// where each band's begin.
    private func commandsByBand() -> (order: [Int], starts: [Int]) {
        var starts = [Int](repeating: 0, count: tileRows + 1)
        func bands(_ command: TileCommand) -> ClosedRange<Int> {
            let rows = command.outline.rows
            return rows.lowerBound / Self.tileHeight...(rows.upperBound - 1) / Self.tileHeight
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

    /// The band's touched tiles as ranges of columns, neighbours joined.
    func touchedRuns() -> [Range<Int>] { Self.runs(of: touched) }

    /// Tiles that are not 0 as ranges of columns, neighbours joined.
    static func runs(of touched: [UInt8]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for column in 0...touched.count {
            if column < touched.count && touched[column] != 0 {
                if start == nil { start = column * Self.tileWidth }
            } else if let first = start {
                runs.append(first..<column * Self.tileWidth)
                start = nil
            }
        }
        return runs
    }

    /// Where a size is odd the last chroma sample has only one luma sample: repeats it, so
    /// that averages see it twice.
    private func repeatOddEdges(_ runs: [Range<Int>], _ rows: Range<Int>) {
        if width % 2 == 1, runs.last!.contains(width) || runs.last!.contains(width - 1) {
            for y in 0..<rows.count {
                let i = y * stride + width
                red[i] = red[i - 1]
                green[i] = green[i - 1]
                blue[i] = blue[i - 1]
                alpha[i] = alpha[i - 1]
            }
        }
        if height % 2 == 1, rows.contains(height - 1) {
            for run in runs {
                for x in run {
                    let i = rows.count * stride + x
                    red[i] = red[i - stride]
                    green[i] = green[i - stride]
                    blue[i] = blue[i - stride]
                    alpha[i] = alpha[i - stride]
                }
            }
        }
    }

    private mutating func clear(_ runs: [Range<Int>]) {
        for y in 0..<Self.tileHeight {
            for run in runs {
                let start = y * stride + run.lowerBound
                red.clear(from: start, run.count)
                green.clear(from: start, run.count)
                blue.clear(from: start, run.count)
                if holdsMatter { alpha.clear(from: start, run.count) }
            }
        }
        for column in 0..<tileColumns { touched[column] = 0 }
    }

    /// Averages the band's rows down to the chroma planes' size.
    private func fillSmall(_ rows: Int, _ runs: [Range<Int>], _ chroma: ChromaSubsampling) {
        let below = chroma.shiftY == 1 ? stride : 0
        let chromaRows = (rows + (1 << chroma.shiftY) - 1) >> chroma.shiftY
        for row in 0..<chromaRows {
            for run in runs {
                let from = (row << chroma.shiftY) * stride + run.lowerBound
                let at = row * stride + run.lowerBound >> chroma.shiftX
                let n = run.count >> chroma.shiftX
                func average(_ source: borrowing TilePlane, _ target: borrowing TilePlane) {
                    TileRows.average(
                        source, from: from, below: below, into: target, at: at, count: n,
                        shift: chroma.shiftX)
                }
                average(red, smallRed)
                average(green, smallGreen)
                average(blue, smallBlue)
                if holdsMatter { average(alpha, smallAlpha) }
            }
        }
    }
}
