/// Finds the tiles of one picture: rectangles with straight sides between gutters of one colour.
struct TileFinder {
    /// The tiles that one colour of gutters shows.
    struct Finding: Sendable, Hashable {
        var colour: FlatColour
        var tiles: [TileRect] = []

        var area: Int { tiles.reduce(0) { $0 + $1.area } }
    }

    private let samples: SparseSamples
    private let whole: TileRect
    private let leastWidth: Int, leastHeight: Int

    /// The least size of a tile as shares of the picture's width and height. A tile of a 7×7 gallery has 0.13 of both.
    private static let leastShares = (width: 0.05, height: 0.07)
    /// The limits of a tile's width divided by its height.
    private static let aspectRatios = 0.3...3.4
    /// The least share of the picture that all tiles cover.
    private static let leastCover = 0.2

    init(_ samples: SparseSamples) {
        self.samples = samples
        whole = TileRect(columns: 0..<samples.width, rows: 0..<samples.height)
        leastWidth = max(Int(Self.leastShares.width * Double(samples.width)), 24)
        leastHeight = max(Int(Self.leastShares.height * Double(samples.height)), 24)
    }

    /// Returns the best finding of at least two tiles.
    func find() -> Finding? {
        var best: Finding?
        for colour in GutterColours(samples).colours {
            guard let finding = find(colour) else { continue }
            if finding.area > best?.area ?? 0 { best = finding }
        }
        return best
    }

    /// Returns the tiles between gutters of a colour; `nil` where there are fewer than two.
    func find(_ colour: FlatColour) -> Finding? {
        let plain = find(colour, ColourMask(samples, colour: colour))
        guard let frame = SpeakerFrame(samples, gutter: colour).colour else { return plain }
        let framed = find(colour, ColourMask(samples, colour: colour, frame: frame))
        return framed?.area ?? 0 > (plain?.area ?? 0) * 9 / 10 ? framed : plain
    }

    private func find(_ colour: FlatColour, _ mask: ColourMask) -> Finding? {
        if let finding = tiles(in: whole, mask) { return finding }
        guard let page = FlatRegion(samples, colour: colour).bounds, page.intersectionOverUnion(whole) < 0.95 else {
            return nil
        }
        return tiles(in: page, mask)
    }

    /// Returns whether rectangles still are tiles: gutters of the colour surround them, and they are not all of that colour.
    func holds(_ rects: [TileRect], _ colour: FlatColour) -> Bool {
        let mask = ColourMask(samples, colour: colour)
        var (sides, kept) = (0, 0)
        for rect in rects {
            guard mask.share(in: rect) < 0.97 else { return false }
            for share in mask.sharesAround(rect, within: whole) {
                sides += 1
                kept += share >= 0.8 ? 1 : 0
            }
        }
        // An active-speaker frame may cover the sides of one tile.
        return sides > 0 && kept + 4 >= sides && kept * 10 >= sides * 7
    }

    private func tiles(in rect: TileRect, _ mask: ColourMask) -> Finding? {
        let parts = GutterCut(mask, leastWidth: leastWidth, leastHeight: leastHeight).parts(of: rect)
        guard parts.count >= 2 else { return nil }
        let candidates = parts.map { TileCandidate($0, mask, width: samples.width, height: samples.height) }
        let tiles = TileAlignment(candidates, mask).aligned().filter { isTile($0) }
        let finding = Finding(colour: mask.colour, tiles: tiles.map(\.rect))
        guard tiles.count >= 2, Double(finding.area) >= Self.leastCover * Double(whole.area) else { return nil }
        return finding
    }

    private func isTile(_ candidate: TileCandidate) -> Bool {
        let ratio = Double(candidate.rect.width) / Double(candidate.rect.height)
        return candidate.isRectangle && Self.aspectRatios.contains(ratio)
    }
}

/// The largest connected part of a picture that is flat and has one colour: the page on which a gallery lies.
struct FlatRegion {
    /// The bounds of the part; `nil` where there is none.
    private(set) var bounds: TileRect?

    init(_ samples: SparseSamples, colour: FlatColour) {
        let step = GutterColours.step
        let columns = samples.width / step, rows = samples.rows.positions.count
        guard columns > 1, rows > 1 else { return }
        var isOpen = [Bool](repeating: false, count: columns * rows)
        for row in 0..<rows {
            for column in 0..<columns {
                let here = samples.colour(row: row, column: column * step + step / 2)
                isOpen[row * columns + column] = here.distance(to: colour) <= ColourMask.lumaTolerance
            }
        }
        var best = 0
        var queue: [Int] = []
        for start in isOpen.indices where isOpen[start] {
            isOpen[start] = false
            queue.append(start)
            var size = 0
            var (left, right, top, bottom) = (columns, 0, rows, 0)
            while let cell = queue.popLast() {
                let (row, column) = (cell / columns, cell % columns)
                size += 1
                (left, right) = (min(left, column), max(right, column))
                (top, bottom) = (min(top, row), max(bottom, row))
                func visit(_ next: Int) {
                    guard isOpen[next] else { return }
                    isOpen[next] = false
                    queue.append(next)
                }
                if column > 0 { visit(cell - 1) }
                if column + 1 < columns { visit(cell + 1) }
                if row > 0 { visit(cell - columns) }
                if row + 1 < rows { visit(cell + columns) }
            }
            guard size > best else { continue }
            best = size
            let positions = samples.rows.positions
            bounds = TileRect(
                columns: left * step..<min((right + 1) * step, samples.width),
                rows: positions[top]..<positions[bottom] + 1)
        }
        if best < columns * rows / 100 { bounds = nil }
    }
}
