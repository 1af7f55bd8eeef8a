extension TileCanvas {
    /// Blends everything drawn into a picture and clears the canvas.
    ///
    /// - Precondition: the picture has the canvas's size.
    /// - Complexity: linear in the pixels of touched tiles; nothing else is read or written.
    package mutating func blend(into picture: inout MutablePicture) {
        precondition(picture.format.width == width && picture.format.height == height)
        let blender = Blender(picture.format)
        var small = ChromaRows(stride: stride)
        for tileRow in 0..<tileRows {
            let runs = touchedRuns(inTileRow: tileRow)
            if runs.isEmpty { continue }
            let rows = tileRow * Self.tileHeight..<min((tileRow + 1) * Self.tileHeight, height)
            repeatOddEdges(runs, rows)
            small.fill(from: self, rows, runs, picture.format.chroma)
            if picture.format.bitDepth == 8 {
                blender.blend8(self, small, rows, runs, &picture)
            } else {
                blender.blend16(self, small, rows, runs, &picture)
            }
            clear(tileRow, runs)
        }
    }

    /// The touched tiles of a tile row as ranges of columns, neighbours joined.
    func touchedRuns(inTileRow tileRow: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for column in 0...tileColumns {
            let isTouched = column < tileColumns && touched[tileRow * tileColumns + column] != 0
            if isTouched {
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
    private mutating func repeatOddEdges(_ runs: [Range<Int>], _ rows: Range<Int>) {
        if width % 2 == 1, runs.last!.contains(width) || runs.last!.contains(width - 1) {
            for y in rows {
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
                    let i = height * stride + x
                    red[i] = red[i - stride]
                    green[i] = green[i - stride]
                    blue[i] = blue[i - stride]
                    alpha[i] = alpha[i - stride]
                }
            }
        }
    }

    private mutating func clear(_ tileRow: Int, _ runs: [Range<Int>]) {
        for y in tileRow * Self.tileHeight..<(tileRow + 1) * Self.tileHeight {
            for run in runs {
                let range = y * stride + run.lowerBound..<y * stride + run.upperBound
                Self.zero(&red, range)
                Self.zero(&green, range)
                Self.zero(&blue, range)
                Self.zero(&alpha, range)
            }
        }
        for column in 0..<tileColumns { touched[tileRow * tileColumns + column] = 0 }
    }

    private static func zero(_ channel: inout [UInt16], _ range: Range<Int>) {
        var span = channel.mutableSpan
        var row = span._mutatingExtracting(range)
        row.update(repeating: 0)
    }
}

/// The canvas's channels averaged down to the chroma planes' size, for one row of tiles.
struct ChromaRows {
    var red, green, blue, alpha: [UInt16]
    let stride: Int

    init(stride: Int) {
        self.stride = stride
        red = [UInt16](repeating: 0, count: stride * TileCanvas.tileHeight)
        green = red
        blue = red
        alpha = red
    }

    mutating func fill(
        from canvas: borrowing TileCanvas, _ rows: Range<Int>, _ runs: [Range<Int>],
        _ chroma: ChromaSubsampling
    ) {
        let chromaRows = (rows.count + (1 << chroma.shiftY) - 1) >> chroma.shiftY
        for row in 0..<chromaRows {
            let y = rows.lowerBound + row << chroma.shiftY
            for run in runs {
                let from = y * canvas.stride + run.lowerBound
                let to = row * stride + run.lowerBound >> chroma.shiftX
                let n = run.count >> chroma.shiftX
                let below = chroma.shiftY == 1 ? canvas.stride : 0
                Self.average(canvas.red, from, below, &red, to, n, chroma.shiftX)
                Self.average(canvas.green, from, below, &green, to, n, chroma.shiftX)
                Self.average(canvas.blue, from, below, &blue, to, n, chroma.shiftX)
                Self.average(canvas.alpha, from, below, &alpha, to, n, chroma.shiftX)
            }
        }
    }

    @inline(__always)
    private static func average(
        _ source: [UInt16], _ from: Int, _ below: Int, _ target: inout [UInt16],
        _ to: Int, _ count: Int, _ shift: Int
    ) {
        var span = target.mutableSpan
        var out = span._mutatingExtracting(to..<to + count)
        let upper = source.span.extracting(from..<from + count << shift)
        let lower = source.span.extracting(from + below..<from + below + count << shift)
        if shift == 1 {
            for i in 0..<count {
                let left = (upper[2 &* i] &+ lower[2 &* i]) &>> 1
                let right = (upper[2 &* i &+ 1] &+ lower[2 &* i &+ 1]) &>> 1
                out[i] = (left &+ right) &>> 1
            }
        } else {
            for i in 0..<count { out[i] = (upper[i] &+ lower[i]) &>> 1 }
        }
    }
}
