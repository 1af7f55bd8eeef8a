import Raster

/// Finds the frame that marks the active speaker: a thin line of a vivid colour around a tile. ``TileFinder`` makes one
/// for each sampled picture.
///
/// A frame drawn over a thin gutter interrupts the gutter, so the frame's colour must count as gutter, too.
struct SpeakerFrame {
    /// The frame's colour; `nil` if there is none.
    private(set) var colour: FlatColour?

    /// The maximum width of frames in chroma samples.
    private static let maximumWidth = 5
    /// The minimum difference of a frame's chroma from grey, in 8-bit codes: frames are yellow, green, blue or violet.
    private static let minimumSaturation: UInt8 = 22
    /// The minimum difference of chroma between a frame and both sides of it.
    private static let minimumContrast = 14
    /// The minimum number of sampled rows in which the frame's left or right side is at the same position.
    private static let minimumCount: Int32 = 6
    /// The step through the sampled rows.
    private static let rowStep = 2

    init(_ samples: SparseSamples) {
        let rows = samples.rows
        let count = rows.cb.length
        guard count > 4 * Self.maximumWidth else { return }
        var counts = [Int32](repeating: 0, count: count)
        var sums = [SIMD4<Int32>](repeating: .zero, count: count)
        for line in stride(from: 1, to: rows.positions.count, by: Self.rowStep) {
            let cb = rows.cb.values.span.extracting(line * count..<(line + 1) * count)
            let cr = rows.cr.values.span.extracting(line * count..<(line + 1) * count)
            func isVivid(_ index: Int) -> Bool {
                rows.saturation(index, line) >= Self.minimumSaturation
            }
            func contrast(_ a: Int, _ b: Int) -> Int {
                max(abs(Int(cb[a]) - Int(cb[b])), abs(Int(cr[a]) - Int(cr[b])))
            }
            var index = 2
            while index < count - Self.maximumWidth - 2 {
                guard isVivid(index), contrast(index, index - 2) >= Self.minimumContrast else {
                    index += 1
                    continue
                }
                // The line ends where the colour changes again. The content next to it may be vivid, too.
                var peak = index
                if index + 1 < count, rows.saturation(index + 1, line) > rows.saturation(index, line) { peak += 1 }
                var end = peak + 1
                while end < index + Self.maximumWidth, contrast(end, peak) < Self.minimumContrast { end += 1 }
                if end < index + Self.maximumWidth, contrast(peak, end + 1) >= Self.minimumContrast {
                    let colour = samples.colour(row: line, column: peak << rows.chromaShift)
                    counts[peak] += 1
                    sums[peak] &+= SIMD4(Int32(colour.luma), Int32(colour.cb), Int32(colour.cr), 0)
                }
                index = end
            }
        }
        // Of the vertical lines that many rows show, the most vivid one is the least blurred, so it has the frame's
        // true colour.
        let minimum = max((counts.max() ?? 0) / 2, Self.minimumCount)
        func mean(_ index: Int) -> FlatColour {
            let total = counts[index], sum = sums[index]
            return FlatColour(luma: UInt8(sum[0] / total), cb: UInt8(sum[1] / total), cr: UInt8(sum[2] / total))
        }
        colour = counts.indices.filter { counts[$0] >= minimum }.map(mean).max { $0.saturation < $1.saturation }
    }

    /// The maximum distance of the frame from a tile's side, and the distance at which the tile's content is compared
    /// with it, in pixels.
    private static let reach = 8, inner = 16

    /// Returns whether the frame follows all sides of a rectangle that are not on the border of `whole`. There must be
    /// at least three of these sides.
    func surrounds(_ rect: PictureRegion, in samples: SparseSamples, within whole: PictureRegion) -> Bool {
        guard let colour else { return false }
        let (columns, rows) = (rect.columns, rect.rows)
        var shares: [(side: Float, content: Float)] = []
        for x in [columns.lowerBound, columns.upperBound]
        where x > whole.left && x < whole.right {
            let content = x == columns.lowerBound ? x + Self.inner : x - Self.inner
            shares.append(
                (
                    samples.rows.share(of: colour, near: x, reach: Self.reach, lines: rows),
                    samples.rows.share(of: colour, near: content, reach: 0, lines: rows)
                ))
        }
        for y in [rows.lowerBound, rows.upperBound] where y > whole.top && y < whole.bottom {
            let content = y == rows.lowerBound ? y + Self.inner : y - Self.inner
            shares.append(
                (
                    samples.columns.share(of: colour, near: y, reach: Self.reach, lines: columns),
                    samples.columns.share(of: colour, near: content, reach: 0, lines: columns)
                ))
        }
        return shares.count >= 3 && shares.allSatisfy { $0.side >= 0.8 && $0.content < 0.4 }
    }
}

extension SparseSamples.LineSet {
    /// The distance of a chroma sample from grey.
    fileprivate func saturation(_ index: Int, _ line: Int) -> UInt8 {
        max(cb.values[line * cb.length + index].saturation, cr.values[line * cr.length + index].saturation)
    }

    /// Returns the share of the sampled lines in a range that have a frame's colour within `reach` pixels of a
    /// position.
    fileprivate func share(of colour: FlatColour, near position: Int, reach: Int, lines range: Range<Int>) -> Float {
        let first = max(position - reach, 0) >> chromaShift
        let last = min((position + reach) >> chromaShift, cb.length - 1)
        guard first <= last else { return 0 }
        let tolerance = ColourMask.frameChromaTolerance
        var (matches, count) = (0, 0)
        for (line, place) in positions.enumerated() where range.contains(place) {
            count += 1
            let hasColour = (first...last).contains { index in
                let sample = FlatColour(
                    luma: luma.values[line * luma.length + min(index << chromaShift, luma.length - 1)],
                    cb: cb.values[line * cb.length + index], cr: cr.values[line * cr.length + index])
                return abs(Int(sample.cb) - Int(colour.cb)) <= tolerance
                    && abs(Int(sample.cr) - Int(colour.cr)) <= tolerance
                    && sample.saturation * 2 >= colour.saturation
            }
            if hasColour { matches += 1 }
        }
        return count > 0 ? Float(matches) / Float(count) : 0
    }
}

extension FlatColour {
    /// The distance from grey.
    fileprivate var saturation: UInt8 { max(cb.saturation, cr.saturation) }
}

extension UInt8 {
    /// The distance of a chroma sample from grey.
    fileprivate var saturation: UInt8 { self >= 128 ? self - 128 : 128 - self }
}
