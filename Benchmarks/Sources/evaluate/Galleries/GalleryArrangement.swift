/// A rectangle of whole pixels.
struct GalleryRect: Equatable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    var right: Int { x + width }
    var bottom: Int { y + height }

    func inset(by amount: Int) -> GalleryRect {
        GalleryRect(x: x + amount, y: y + amount, width: width - 2 * amount, height: height - 2 * amount)
    }

    /// The smallest rectangle with even edges that contains this one.
    var even: GalleryRect {
        let left = x & ~1
        let top = y & ~1
        return GalleryRect(
            x: left, y: top, width: (right + 1 & ~1) - left, height: (bottom + 1 & ~1) - top)
    }

    /// The largest rectangle of an aspect ratio within this one, centred.
    func fitting(aspect: Double) -> GalleryRect {
        let fitted = min(Double(width), Double(height) * aspect)
        let inner = (width: Int(fitted.rounded()), height: Int((fitted / aspect).rounded()))
        return GalleryRect(
            x: x + (width - inner.width) / 2, y: y + (height - inner.height) / 2,
            width: inner.width, height: min(height, inner.height))
    }

    var truth: GalleryTruth.Rectangle { .init(x: x, y: y, width: width, height: height) }
}

/// The cells of participants, in reading order, and the area of a shared screen.
struct GalleryArrangement: Sendable {
    var cells: [GalleryRect]
    var content: GalleryRect?

    /// Rows of equal cells, of which incomplete ones are centred.
    ///
    /// - Parameters:
    ///   - rows: the number of cells in each row.
    ///   - aspect: that of the cells; they fill the area where it is absent.
    static func rows(_ rows: [Int], in area: GalleryRect, gutter: Int, aspect: Double?) -> GalleryArrangement {
        let columns = rows.max() ?? 1
        var width = (area.width - (columns - 1) * gutter) / columns
        var height = (area.height - (rows.count - 1) * gutter) / rows.count
        if let aspect {
            let fitted = min(Double(width), Double(height) * aspect)
            width = Int(fitted)
            height = Int(fitted / aspect)
        }
        let top = area.y + (area.height - rows.count * height - (rows.count - 1) * gutter) / 2
        var cells: [GalleryRect] = []
        for (row, count) in rows.enumerated() {
            let left = area.x + (area.width - count * width - (count - 1) * gutter) / 2
            for column in 0..<count {
                cells.append(
                    GalleryRect(
                        x: left + column * (width + gutter), y: top + row * (height + gutter), width: width,
                        height: height))
            }
        }
        return GalleryArrangement(cells: cells)
    }

    /// The grid with the largest tiles of an aspect ratio for a number of participants.
    static func grid(_ count: Int, in area: GalleryRect, gutter: Int, aspect: Double?) -> GalleryArrangement {
        let best = (1...count).max { first, second in
            size(columns: first, count, area, gutter) < size(columns: second, count, area, gutter)
        }!
        var rows = Array(repeating: best, count: (count + best - 1) / best)
        rows[rows.count - 1] = count - best * (rows.count - 1)
        return .rows(rows, in: area, gutter: gutter, aspect: aspect)
    }

    private static func size(columns: Int, _ count: Int, _ area: GalleryRect, _ gutter: Int) -> Double {
        let rows = (count + columns - 1) / columns
        let width = Double(area.width - (columns - 1) * gutter) / Double(columns)
        let height = Double(area.height - (rows - 1) * gutter) / Double(rows)
        // Cells that are left empty count against it.
        return min(width, height * 16 / 9) * (columns * rows == count ? 1.05 : 1)
    }

    /// Rows whose cells have different widths.
    ///
    /// - Parameter shares: the relative widths in each row.
    static func unequalRows(_ shares: [[Double]], in area: GalleryRect, gutter: Int) -> GalleryArrangement {
        let height = (area.height - (shares.count - 1) * gutter) / shares.count
        var cells: [GalleryRect] = []
        for (row, shares) in shares.enumerated() {
            let room = Double(area.width - (shares.count - 1) * gutter)
            let sum = shares.reduce(0, +)
            var left = area.x
            for share in shares {
                let width = Int(room * share / sum)
                cells.append(GalleryRect(x: left, y: area.y + row * (height + gutter), width: width, height: height))
                left += width + gutter
            }
        }
        return GalleryArrangement(cells: cells)
    }

    enum Side: String, CaseIterable, Sendable { case right, top, bottom }

    /// A strip of equal cells beside one large area, which comes last.
    ///
    /// - Parameters:
    ///   - share: the strip's share of the picture.
    static func strip(
        _ count: Int, at side: Side, share: Double, in area: GalleryRect, gutter: Int
    ) -> (large: GalleryRect, thumbnails: [GalleryRect]) {
        let aspect = 16.0 / 9
        if side == .right {
            let room = (area.height - (count - 1) * gutter) / count
            let width = min(Int(Double(area.width) * share), Int(Double(room) * aspect))
            let height = Int(Double(width) / aspect)
            let top = area.y + (area.height - count * height - (count - 1) * gutter) / 2
            let left = area.right - width
            let cells = (0..<count).map {
                GalleryRect(x: left, y: top + $0 * (height + gutter), width: width, height: height)
            }
            return (
                GalleryRect(x: area.x, y: area.y, width: area.width - width - gutter, height: area.height), cells
            )
        }
        let room = (area.width - (count - 1) * gutter) / count
        let height = min(Int(Double(area.height) * share), Int(Double(room) / aspect))
        let width = Int(Double(height) * aspect)
        let left = area.x + (area.width - count * width - (count - 1) * gutter) / 2
        let top = side == .top ? area.y : area.bottom - height
        let cells = (0..<count).map {
            GalleryRect(x: left + $0 * (width + gutter), y: top, width: width, height: height)
        }
        let large = GalleryRect(
            x: area.x, y: side == .top ? area.y + height + gutter : area.y, width: area.width,
            height: area.height - height - gutter)
        return (large, cells)
    }
}
