/// Draws shapes that add light, on the rows of a band.
extension BandBrush {
    /// Draws a shape of light on the rows of the band.
    ///
    /// Rows that share chroma samples are drawn together.
    mutating func shine(_ shape: BandShape, _ colour: BandColour, _ outline: BandOutline, in band: Band) {
        let (shiftY, top) = (light.chroma.shiftY, band.top)
        let value = BandLight.luma(
            red: colour.red, green: colour.green, blue: colour.blue, light.weights)
        let rows = outline.rows.clamped(to: top..<top + BandGrid.bandHeight)
        if rows.isEmpty { return }
        let leavesGaps = band.leavesGaps(overRows: 1 << shiftY)
        let groups = (rows.lowerBound - top) >> shiftY...(rows.upperBound - 1 - top) >> shiftY
        let outlined = outline.columns(
            inRows: top + groups.lowerBound << shiftY..<top + (groups.upperBound + 1) << shiftY)
        for group in groups {
            let y = top + group << shiftY
            let columns = shiftY == 1 ? outlined.union(of: y) : outlined[y]
            if columns.isEmpty { continue }
            people.forEachPart(inRow: y - top, of: columns, leavingGaps: leavesGaps) {
                shine(shape, colour, value, outline, on: $0, group, top: top)
            }
        }
    }

    /// Draws a shape of light on pixels of rows that share chroma samples; `group` is the index of the row of chroma
    /// samples in the band.
    private mutating func shine(
        _ shape: BandShape, _ colour: BandColour, _ value: UInt16, _ outline: BandOutline, on pixels: Range<Int>,
        _ group: Int, top: Int
    ) {
        let (shiftX, shiftY) = (light.chroma.shiftX, light.chroma.shiftY)
        let ahead = (1 << shiftX) - 1
        let y = top + group << shiftY
        let first = pixels.lowerBound & ~ahead
        let n = (pixels.upperBound + ahead) & ~ahead - first
        for row in 0..<1 << shiftY { light.touched.mark(first..<first + n, inRow: y + row - top) }
        let start = group * stride + first >> shiftX
        if shiftX == 1, shiftY == 1 {
            let groups = BandRows.rounded(n) / BandRows.group
            outline.coverage(at: first, y).fill(coverage, at: 0, with: shape, count: n, groups: groups)
            outline.coverage(at: first, y + 1).fill(coverage, at: stride, with: shape, count: n, groups: groups)
            return BandRows.shine(
                light.luma, (y - top) * stride + first, below: stride, light.colours, start, groups, weights: coverage,
                weightsBelow: stride, value, colour)
        }
        for row in 0..<1 << shiftY {
            outline.coverage(at: first, y + row).fill(coverage, at: row * stride, with: shape, count: n)
        }
        for row in 0..<1 << shiftY {
            BandRows.add(light.luma, (y + row - top) * stride + first, n, weights: coverage, row * stride, value)
        }
        BandRows.average(
            coverage, from: 0, below: shiftY * stride, into: light.smallShare, at: 0,
            count: BandRows.rounded(n >> shiftX), shift: shiftX)
        BandRows.add(light.colours, start, n >> shiftX, weights: light.smallShare, colour)
    }
}

extension BandLight {
    /// At people's edges, multiplies the light of pixels of the band's row `y` by the room's share, the part of a pixel
    /// that people do not cover.
    func hide(behind people: BandPeople, _ y: Int, _ pixels: Range<Int>, stride: Int) {
        unsafe BandRows.scale(luma, y * stride + pixels.lowerBound, by: people.room(inRow: y, pixels).span)
        let columns = chromaColumns(pixels)
        guard let row = chromaRow(y), !columns.isEmpty else { return }
        people.fill(
            smallShare, inRow: y, from: columns.lowerBound << chroma.shiftX, shift: chroma.shiftX, columns.count)
        let start = row * stride + columns.lowerBound
        unsafe colours.scale(start, by: smallShare.buffer(from: 0, columns.count).span)
    }

    /// Adds a colour, weighted by ``share``, to pixels of the band's row `y`. In the canvas's units, 1 is
    /// ``BandGrid/one``.
    func add(_ colour: SIMD4<Float>, _ y: Int, _ pixels: Range<Int>, stride: Int) {
        let (r, g, b) = (UInt16(colour.x), UInt16(colour.y), UInt16(colour.z))
        unsafe BandRows.add(
            luma, y * stride + pixels.lowerBound,
            share.buffer(from: pixels.lowerBound, pixels.count).span, Self.luma(red: r, green: g, blue: b, weights))
        let columns = chromaColumns(pixels)
        guard let row = chromaRow(y), !columns.isEmpty else { return }
        BandRows.every(share, columns.lowerBound << chroma.shiftX, chroma.shiftX, into: smallShare, columns.count)
        let start = row * stride + columns.lowerBound
        let shares = unsafe smallShare.buffer(from: 0, columns.count).span
        BandRows.add(colours.red, start, shares, r)
        BandRows.add(colours.green, start, shares, g)
        BandRows.add(colours.blue, start, shares, b)
    }

    /// Clears the light of pixels of the band's row `y`.
    func clear(_ y: Int, _ pixels: Range<Int>, stride: Int) {
        luma.clear(from: y * stride + pixels.lowerBound, pixels.count)
        if let row = chromaRow(y) { clearChroma(row * stride, chromaColumns(pixels)) }
    }

    /// Clears all light.
    mutating func clear(stride: Int) {
        if touched.isEmpty { return }
        for y in 0..<BandGrid.bandHeight {
            touched.forEachRun(inRow: y) { luma.clear(from: y * stride + $0.lowerBound, $0.count) }
            guard let row = chromaRow(y) else { continue }
            touched.forEachRun(inRow: y, count: 1 << chroma.shiftY) { clearChroma(row * stride, chromaColumns($0)) }
        }
        touched.clear()
    }

    private func clearChroma(_ start: Int, _ columns: Range<Int>) {
        colours.clear(from: start + columns.lowerBound, columns.count)
    }
}

/// The light in a band. Light brightens the picture and hides nothing. Each ``BandBrush`` owns one.
///
/// Light is summed in the format in which it is stored: luma at every pixel, colours only at the chroma planes' size.
/// Summing luma and few colours needs less than half the work of red, green and blue at every pixel, and the sum is
/// simply added to the picture. Only light beneath all matter of the band is kept here. Light on top of matter is added
/// to the matter's channels.
struct BandLight: ~Copyable {
    /// One value for each pixel of luma, and for each chroma sample of the colours. All rows have the brush's stride,
    /// so rows of the colours are only partly used.
    let luma: BandPlane
    let colours: BandColours
    /// The cells in which luma is not 0.
    var touched: BandMarks
    /// Scratch rows of shares, 0…65535: one for each pixel of a row, and one for each chroma sample.
    let share, smallShare: BandPlane
    /// The chroma subsampling of the picture.
    private(set) var chroma = ChromaSubsampling.yuv420
    /// The luma weights of red, green and blue; 2¹⁶ is 1.
    private(set) var weights: (red: UInt16, green: UInt16, blue: UInt16) = (0, 0, 0)

    init(stride: Int) {
        let count = stride * BandGrid.bandHeight
        luma = BandPlane(count: count)
        colours = BandColours(count: count)
        share = BandPlane(count: stride)
        smallShare = BandPlane(count: stride)
        touched = BandMarks(width: stride)
    }

    /// Prepares for a picture's format.
    mutating func begin(_ format: PictureFormat) {
        chroma = format.chroma
        func share(_ weight: Double) -> UInt16 { UInt16((weight * 65536).rounded()) }
        weights = (
            share(format.matrix.kr), share(1 - format.matrix.kr - format.matrix.kb), share(format.matrix.kb)
        )
    }

    /// Returns a colour's luma in units of the canvas, by ``weights``.
    ///
    /// The function is static because a method would copy all fields of the light.
    static func luma(
        red: UInt16, green: UInt16, blue: UInt16, _ weights: (red: UInt16, green: UInt16, blue: UInt16)
    ) -> UInt16 {
        let sum =
            UInt32(red) * UInt32(weights.red) + UInt32(green) * UInt32(weights.green)
            + UInt32(blue) * UInt32(weights.blue)
        return UInt16(truncatingIfNeeded: (sum + 32768) >> 16)
    }

    /// Returns the chroma samples of a range of pixels in a row: the samples whose first pixel is in the range.
    func chromaColumns(_ pixels: Range<Int>) -> Range<Int> {
        let ahead = (1 << chroma.shiftX) - 1
        return (pixels.lowerBound + ahead) >> chroma.shiftX..<(pixels.upperBound + ahead) >> chroma.shiftX
    }

    /// Returns the row of chroma samples that begins at the band's row `y`; `nil` if none begins there.
    func chromaRow(_ y: Int) -> Int? { y & ((1 << chroma.shiftY) - 1) == 0 ? y >> chroma.shiftY : nil }
}
