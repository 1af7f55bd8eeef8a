import Raster

/// Corrects tiles whose content has the gutters' colour at some sides, by the sides of the other tiles. A step of
/// ``TileFinder``.
///
/// A dark room next to black gutters has no visible side. The tiles of a gallery are aligned, so the invisible side is
/// at the same position as the sides of other tiles.
struct TileAlignment {
    private let candidates: [TileCandidate]
    private let mask: ColourMask
    /// The positions of sharp sides.
    private let lefts: [Int], rights: [Int], tops: [Int], bottoms: [Int]

    init(_ candidates: [TileCandidate], _ mask: ColourMask) {
        (self.candidates, self.mask) = (candidates, mask)
        func positions(_ strength: KeyPath<TileCandidate, Float?>, _ position: (PictureRegion) -> Int) -> [Int] {
            candidates.filter { $0.isRectangle && ($0[keyPath: strength] ?? 0) >= TileCandidate.sharpness }
                .map { position($0.rect) }
        }
        lefts = positions(\.left) { $0.left }
        rights = positions(\.right) { $0.right }
        tops = positions(\.top) { $0.top }
        bottoms = positions(\.bottom) { $0.bottom }
    }

    /// Returns the candidates with blurred sides moved outward to the sides of other tiles. Candidates within another
    /// candidate are removed.
    func aligned() -> [TileCandidate] {
        var result = merged(candidates.map(extended))
        result.sort { $0.rect.area > $1.rect.area }
        var kept: [TileCandidate] = []
        for candidate in result where !kept.contains(where: { $0.rect.contains(candidate.rect, tolerance: 2) }) {
            let overlaps = kept.contains { $0.rect.intersection(candidate.rect).area > candidate.rect.area / 20 }
            if !overlaps { kept.append(candidate) }
        }
        return kept.sorted { $0.rect.precedes($1.rect) }
    }

    /// Returns the candidates with the parts of one tile joined. A tile is divided if content of the gutter's colour
    /// reaches from one side to the other. The joined tile must have the columns and rows, or the size, of other tiles.
    private func merged(_ parts: [TileCandidate]) -> [TileCandidate] {
        let tiles = parts.filter { part in
            part.isRectangle && part.sides.allSatisfy { $0 >= TileCandidate.sharpness }
        }.map(\.rect)
        guard tiles.count >= 2 else { return parts }
        var result = parts
        func isKnown(_ rect: PictureRegion) -> Bool {
            // Parts within `rect` may have sharp sides, too, but are no other tiles.
            let others = tiles.filter { $0 != rect && !rect.contains($0, tolerance: 2) }
            let columns = others.contains { $0.columns.isNear(rect.columns) }
            let rows = others.contains { $0.rows.isNear(rect.rows) }
            let size = others.count { $0.columns.count.isNear(rect.width) && $0.rows.count.isNear(rect.height) }
            return rows && (columns || size >= 2) || columns && size >= 2
        }
        var index = 0
        search: while index < result.count {
            for other in result.indices where other > index {
                let (a, b) = (result[index].rect, result[other].rect)
                if isKnown(a) && isKnown(b) { continue }
                let union = a.union(b)
                let isFree = result.indices.allSatisfy {
                    $0 == index || $0 == other || result[$0].rect.intersection(union).area == 0
                        || union.contains(result[$0].rect, tolerance: 2)
                }
                guard isFree, isKnown(union), !tiles.contains(union) else { continue }
                var whole = TileCandidate(rect: union)
                (whole.left, whole.right, whole.top, whole.bottom) = (1, 1, 1, 1)
                result = result.filter { !union.contains($0.rect, tolerance: 2) } + [whole]
                index = 0
                continue search
            }
            index += 1
        }
        return result
    }

    /// Returns whether a rectangle has the same size as at least two others.
    private func isComplete(_ rect: PictureRegion) -> Bool {
        candidates.count {
            $0.rect != rect && $0.isRectangle && $0.rect.width.isNear(rect.width) && $0.rect.height.isNear(rect.height)
        } >= 2
    }

    private func extended(_ candidate: TileCandidate) -> TileCandidate {
        let blurred = candidate.sides.count { $0 < TileCandidate.sharpness }
        guard blurred > 0, blurred < candidate.sides.count, !isComplete(candidate.rect) else { return candidate }
        var result = candidate
        let rect = candidate.rect
        let reachX = rect.width, reachY = rect.height
        func moved(_ strength: Float?, _ choices: [Int]) -> Int? {
            guard let strength, strength < TileCandidate.sharpness else { return nil }
            return choices.max { a, b in choices.count { $0 == a } < choices.count { $0 == b } }
        }
        if let left = moved(
            candidate.left,
            lefts.filter { $0 < rect.left && $0 > rect.left - reachX })
        {
            (result.rect.columns, result.left) = (left..<result.rect.right, TileCandidate.sharpness)
        }
        if let right = moved(
            candidate.right, rights.filter { $0 > rect.right && $0 < rect.right + reachX })
        {
            (result.rect.columns, result.right) = (result.rect.left..<right, TileCandidate.sharpness)
        }
        if let top = moved(
            candidate.top, tops.filter { $0 < rect.top && $0 > rect.top - reachY })
        {
            (result.rect.rows, result.top) = (top..<result.rect.bottom, TileCandidate.sharpness)
        }
        if let bottom = moved(
            candidate.bottom, bottoms.filter { $0 > rect.bottom && $0 < rect.bottom + reachY })
        {
            (result.rect.rows, result.bottom) = (result.rect.top..<bottom, TileCandidate.sharpness)
        }
        // A tile never reaches over another one.
        let collides = candidates.contains {
            $0.rect != rect && $0.isRectangle && $0.rect.intersection(result.rect).area > 0
        }
        return collides ? candidate : result
    }
}

extension PictureRegion {
    /// Returns whether a rectangle precedes another one in reading order.
    func precedes(_ other: PictureRegion) -> Bool {
        (rows.lowerBound, columns.lowerBound) < (other.top, other.left)
    }

    /// Returns the smallest rectangle that contains both.
    fileprivate func union(_ other: PictureRegion) -> PictureRegion {
        PictureRegion(
            columns: min(
                columns.lowerBound, other.left)..<max(columns.upperBound, other.right),
            rows: min(rows.lowerBound, other.top)..<max(rows.upperBound, other.bottom))
    }
}

extension Int {
    /// Returns whether another length in pixels is the same, up to rounding and blurred sides.
    func isNear(_ other: Int) -> Bool { abs(self - other) <= 3 }
}

extension Range<Int> {
    func isNear(_ other: Range<Int>) -> Bool {
        lowerBound.isNear(other.lowerBound) && upperBound.isNear(other.upperBound)
    }
}
