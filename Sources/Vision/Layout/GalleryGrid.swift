import Raster

/// Corrects and completes the tiles of a gallery, which have equal sizes and are aligned, by comparing them with each
/// other. The last step of ``TileFinder``.
struct GalleryGrid {
    private let mask: ColourMask
    private let cut: GutterCut
    private let whole: PictureRegion
    private(set) var tiles: [TileCandidate]

    /// The maximum width that an active speaker's frame adds to a tile on both sides together, in pixels.
    static let frame = 14
    /// The minimum share of the gutter's colour in a line that divides a tile into parts of a known size.
    private static let dividerShare: Float = 0.5
    /// The lower minimum if other tiles have the same columns or rows as the parts, and the number of other tiles that
    /// each column or row needs for it.
    private static let gridDividerShare: Float = 0.15, minimumAligned = 3
    /// The minimum share of a missing tile's samples that do not have the gutter's colour.
    private static let minimumContent: Float = 0.2

    init(_ tiles: [TileCandidate], _ mask: ColourMask, _ cut: GutterCut, within whole: PictureRegion) {
        (self.tiles, self.mask, self.cut, self.whole) = (tiles, mask, cut, whole)
        split()
        snap()
        continueRows()
        fillRows()
        complete()
        equalise()
    }

    /// The tiles whose sides are all sharp.
    private var sharpTiles: [PictureRegion] {
        tiles.filter { $0.isRectangle && $0.sides.allSatisfy { $0 >= TileCandidate.sharpness } }.map(\.rect)
    }

    /// Returns the number of other rectangles that have the same size as `rect`.
    private static func peers(of rect: PictureRegion, in rects: [PictureRegion]) -> Int {
        rects.count { $0 != rect && $0.hasSize(of: rect) }
    }

    /// Returns whether no tile but one overlaps a cell.
    private func isFree(_ cell: PictureRegion, except index: Int) -> Bool {
        tiles.indices.allSatisfy { $0 == index || tiles[$0].rect.intersection(cell).area == 0 }
    }

    // MARK: - Gutters that something covers

    /// Divides tiles that are as large as several of the other tiles with gutters between them.
    private mutating func split() {
        let known = sharpTiles
        var result: [TileCandidate] = []
        for tile in tiles {
            if known.count >= 2, !known.contains(where: { $0 != tile.rect && $0.hasSize(of: tile.rect) }),
                let cells = cells(of: tile.rect, likeOneOf: known)
            {
                result += cells.map { TileCandidate(like: tile, rect: $0, within: whole) }
            } else {
                result.append(tile)
            }
        }
        tiles = result
    }

    private func cells(of rect: PictureRegion, likeOneOf known: [PictureRegion]) -> [PictureRegion]? {
        for model in known where Self.peers(of: model, in: known) >= 1 {
            if let cells = cells(of: rect, like: model, known) { return cells }
        }
        return nil
    }

    private func cells(of rect: PictureRegion, like model: PictureRegion, _ known: [PictureRegion]) -> [PictureRegion]?
    {
        guard let rows = Self.divide(rect.rows, model.height) else { return nil }
        var result: [PictureRegion] = []
        for range in rows {
            // The last row may be shorter than the others.
            let row = PictureRegion(columns: rect.columns, rows: range)
            let extent = rows.count > 1 ? cut.trimmed(row)?.columns ?? row.columns : row.columns
            guard let columns = Self.divide(extent, model.width), areDivided(columns, of: row, known) else {
                return nil
            }
            result += columns.map { PictureRegion(columns: $0, rows: range) }
        }
        guard result.count > 1 else { return nil }
        let isOnGrid = rows.allSatisfy { range in known.count { $0.rows.isNear(range) } >= Self.minimumAligned }
        for (upper, lower) in zip(rows, rows.dropFirst()) {
            let gap = max(upper.upperBound - 4, rect.top)..<min(lower.lowerBound + 4, rect.bottom)
            let shares = mask.rowShares(in: PictureRegion(columns: rect.columns, rows: gap))
            guard shares.max() ?? 0 >= (isOnGrid ? Self.gridDividerShare : Self.dividerShare) else { return nil }
        }
        return result
    }

    /// Returns whether gutters divide a row into columns.
    private func areDivided(_ columns: [Range<Int>], of row: PictureRegion, _ known: [PictureRegion]) -> Bool {
        let isOnGrid = columns.allSatisfy { range in known.count { $0.columns.isNear(range) } >= Self.minimumAligned }
        return zip(columns, columns.dropFirst()).allSatisfy { left, right in
            let gap =
                max(left.upperBound - 4, row.left)..<min(right.lowerBound + 4, row.right)
            let shares = mask.columnShares(in: PictureRegion(columns: gap, rows: row.rows))
            return shares.max() ?? 0 >= (isOnGrid ? Self.gridDividerShare : Self.dividerShare)
        }
    }

    /// Divides a range into one or more parts of the given length with equal gaps between them; returns `nil` if that
    /// is impossible.
    private static func divide(_ range: Range<Int>, _ length: Int) -> [Range<Int>]? {
        let slack = min(frame, length / 10)
        if abs(range.count - length) <= slack { return [range] }
        let count = (range.count + length / 10) / length
        guard (2...8).contains(count) else { return nil }
        let spare = range.count - count * length
        let gap = Double(spare) / Double(count - 1)
        guard gap >= 1, gap <= 4 + 0.12 * Double(length) else { return nil }
        return (0..<count).map { index in
            let start = range.lowerBound + Int((Double(index) * (Double(length) + gap)).rounded())
            return start..<start + length
        }
    }

    // MARK: - Content of the gutter's colour

    /// Extends tiles to the columns or rows of other tiles, of which two or more have the same size, unless another
    /// tile prevents it. One end must already be at the same place.
    private mutating func snap() {
        let known = sharpTiles
        for index in tiles.indices {
            let rect = tiles[index].rect
            guard Self.peers(of: rect, in: known) == 0 else { continue }
            let models = known.filter { $0 != rect && Self.peers(of: $0, in: known.filter { $0 != rect }) >= 1 }
            for model in models {
                let columns = model.columns, rows = model.rows
                var cell = rect
                if columns.extends(rect.columns), rows.count.isNear(rect.height) { cell.columns = columns }
                if rows.extends(rect.rows), columns.count.isNear(cell.width) { cell.rows = rows }
                guard cell != rect, cell.hasSize(of: model), rect.area * 2 >= cell.area else { continue }
                guard isFree(cell, except: index) else { continue }
                tiles[index] = TileCandidate(like: tiles[index], rect: cell, within: whole)
                break
            }
        }
    }

    /// Extends tiles to the full cells of a row or column in which at least three equal tiles are at equal distances.
    private mutating func continueRows() {
        let known = sharpTiles
        for index in tiles.indices {
            let rect = tiles[index].rect
            guard Self.peers(of: rect, in: known) == 0 else { continue }
            let row = known.filter { $0 != rect && $0.rows.isNear(rect.rows) }
            let column = known.filter { $0 != rect && $0.columns.isNear(rect.columns) }
            var cell = rect
            if let columns = Self.cell(rect.columns, in: row.map(\.columns)) {
                cell.columns = columns
            } else if let rows = Self.cell(rect.rows, in: column.map(\.rows)) {
                cell.rows = rows
            }
            guard cell != rect, isFree(cell, except: index), rect.area * 2 >= cell.area,
                cell.intersection(whole) == cell
            else { continue }
            tiles[index] = TileCandidate(like: tiles[index], rect: cell, within: whole)
        }
    }

    /// Returns the cell that contains a shorter range and has one end in common with it, in a row of at least three
    /// equal ranges at equal distances.
    private static func cell(_ range: Range<Int>, in others: [Range<Int>]) -> Range<Int>? {
        let starts = others.map(\.lowerBound).sorted()
        guard others.count >= 3, let first = starts.first, let length = others.first?.count,
            others.allSatisfy({ $0.count.isNear(length) }),
            let pitch = zip(starts, starts.dropFirst()).map({ $1 - $0 }).min(), pitch > length
        else { return nil }
        let isRegular = starts.allSatisfy { start in
            let rest = (start - first) % pitch
            return rest <= 4 || rest >= pitch - 4
        }
        guard isRegular else { return nil }
        let number = (Double(range.lowerBound + range.upperBound - length) / 2 - Double(first)) / Double(pitch)
        let start = first + Int(number.rounded()) * pitch
        let cell = start..<start + length
        return cell.extends(range) ? cell : nil
    }

    /// Extends tiles to the full height of their row, if at least two other tiles have that height.
    private mutating func fillRows() {
        let known = sharpTiles
        for index in tiles.indices {
            let rect = tiles[index].rect
            guard
                let rows = known.lazy.map(\.rows).first(where: { rows in
                    rows.extends(rect.rows) && rect.height * 3 >= rows.count * 2
                        && known.count { $0 != rect && $0.rows.isNear(rows) } >= 2
                })
            else { continue }
            let cell = PictureRegion(columns: rect.columns, rows: rows)
            if isFree(cell, except: index) {
                tiles[index] = TileCandidate(like: tiles[index], rect: cell, within: whole)
            }
        }
    }

    /// Adds tiles that are missing where a column and a row of other tiles cross, if that place shows something.
    private mutating func complete() {
        let known = sharpTiles
        for model in known where Self.peers(of: model, in: known) >= 2 {
            for other in known where other.hasSize(of: model) {
                let cell = PictureRegion(columns: model.columns, rows: other.rows)
                guard tiles.allSatisfy({ $0.rect.intersection(cell).area == 0 }),
                    known.count(where: { $0.columns.isNear(cell.columns) }) >= 1,
                    known.count(where: { $0.rows.isNear(cell.rows) }) >= 2,
                    1 - mask.share(in: cell) >= Self.minimumContent,
                    mask.sharesAround(cell, within: whole).allSatisfy({ $0 >= 0.8 })
                else { continue }
                var tile = TileCandidate(rect: cell)
                tile.setSides(0.6, within: whole)
                tiles.append(tile)
            }
        }
        tiles.sort { $0.rect.precedes($1.rect) }
    }

    // MARK: - Frames

    /// Gives tiles the size of the others if an active-speaker frame made them slightly larger or smaller.
    private mutating func equalise() {
        let rects = tiles.map(\.rect)
        for index in tiles.indices where Self.peers(of: rects[index], in: rects) == 0 {
            let rect = rects[index]
            guard
                let model = rects.first(where: {
                    let (width, height) = (rect.width - $0.width, rect.height - $0.height)
                    return width.signum() * height.signum() > 0 && abs(width) <= Self.frame && abs(height) <= Self.frame
                        && Self.peers(of: $0, in: rects) >= 1
                })
            else { continue }
            let left = rect.left + (rect.width - model.width) / 2
            let top = rect.top + (rect.height - model.height) / 2
            let result = PictureRegion(columns: left..<left + model.width, rows: top..<top + model.height)
            if result.intersection(whole) == result { tiles[index].rect = result }
        }
    }
}

extension TileCandidate {
    /// Creates a tile whose sides count as sharp, in place of another tile.
    fileprivate init(like other: TileCandidate, rect: PictureRegion, within whole: PictureRegion) {
        self.init(rect: rect)
        setSides(TileCandidate.sharpness, within: whole)
    }

    fileprivate mutating func setSides(_ strength: Float, within whole: PictureRegion) {
        left = rect.left == whole.left ? nil : strength
        right = rect.right == whole.right ? nil : strength
        top = rect.top == whole.top ? nil : strength
        bottom = rect.bottom == whole.bottom ? nil : strength
    }
}

extension PictureRegion {
    /// Returns whether another rectangle has the same size, up to rounding and blurred sides.
    fileprivate func hasSize(of other: PictureRegion) -> Bool {
        width.isNear(other.width) && height.isNear(other.height)
    }
}

extension Range<Int> {
    /// Returns whether another range is within this range, with exactly one end at the same place.
    fileprivate func extends(_ other: Range<Int>) -> Bool {
        let (isLower, isUpper) = (lowerBound.isNear(other.lowerBound), upperBound.isNear(other.upperBound))
        return isLower != isUpper && (isLower ? other.upperBound < upperBound : other.lowerBound > lowerBound)
    }
}
