import Raster

/// The colour of gutters, and the maximum differences of luma and chroma between their samples and the colour, in 8-bit
/// codes.
struct GutterTone: Sendable, Hashable {
    var colour: FlatColour
    var luma: Int
    var chroma: Int

    /// True if gutters are so thin that compression blurs them.
    var isThin: Bool { luma > Self.flatLuma }

    /// The maximum difference of luma in a flat part. Compression noise is not greater.
    static let flatLuma = 7

    /// A colour of gutters wide enough to be flat.
    static func flat(_ colour: FlatColour) -> GutterTone { GutterTone(colour: colour, luma: flatLuma, chroma: 12) }

    /// A colour of gutters of two or three pixels. Compression blurs such gutters, and they share chroma samples with
    /// the adjacent tiles.
    static func thin(_ colour: FlatColour) -> GutterTone { GutterTone(colour: colour, luma: 12, chroma: 32) }
}

/// Finds the tiles of one picture: rectangles with straight sides between gutters of one colour. ``LayoutDetector``
/// makes one for each picture that it samples.
struct TileFinder {
    /// The tiles found with one colour of gutters.
    struct Finding: Sendable, Hashable {
        var tone: GutterTone
        var tiles: [PictureRegion] = []
        /// The number of sharp sides between tiles and gutters, less the number of blurred ones.
        var score = 0
        /// The minimum strength of a tile's side (see ``TileCandidate``).
        var weakest: Float = 0
        /// The area of all tiles.
        var area: Int { tiles.reduce(0) { $0 + $1.area } }
        /// True if an active speaker's frame counts as gutter.
        var usesFrame = false
    }

    private let samples: SparseSamples
    private let whole: PictureRegion
    private let minimumWidth: Int, minimumHeight: Int
    private lazy var frame = SpeakerFrame(samples)
    /// Memory that is passed from one finder to the next.
    private(set) var memory: MaskMemory

    /// The minimum size of a tile as shares of the picture's width and height. A tile of a 7×7 gallery has 0.13 of
    /// both.
    private static let minimumShares = (width: 0.05, height: 0.07)
    /// The minimum size of a tile in pixels.
    private static let minimumSize = (width: 64, height: 48)
    /// The limits of a tile's width divided by its height.
    private static let aspectRatios = 0.28...4.5
    /// The minimum share of the picture that all tiles cover.
    private static let minimumCover = 0.2
    /// The minimum share of the picture that has the gutters' colour, if the gallery is on a page: a part of the screen
    /// with a background of this colour.
    private static let minimumPage: Float = 0.03
    /// The first test of a colour uses every fourth sampled line.
    private static let coarseStep = 4
    /// The minimum share of a line's samples that have the gutter's colour: in the first test, and in the test of a
    /// picture with an active speaker's frame.
    private static let coarseShare: Float = 0.75, framedShare: Float = 0.4

    init(_ samples: SparseSamples, memory: consuming MaskMemory = MaskMemory()) {
        self.samples = samples
        self.memory = memory
        whole = PictureRegion(columns: 0..<samples.width, rows: 0..<samples.height)
        minimumWidth = max(Int(Self.minimumShares.width * Double(samples.width)), Self.minimumSize.width)
        minimumHeight = max(Int(Self.minimumShares.height * Double(samples.height)), Self.minimumSize.height)
    }

    /// Returns the best finding of at least two tiles.
    mutating func find() -> Finding? {
        var best: Finding?
        for colour in GutterColours(samples).colours {
            let rects = promisingRects(colour)
            guard !rects.isEmpty else { continue }
            for tone in [GutterTone.flat(colour), .thin(colour)] {
                guard let finding = find(tone, in: rects) else { continue }
                if finding.score > best?.score ?? 0 { best = finding }
            }
        }
        return best
    }

    /// Returns the tiles between gutters of a colour; `nil` if there are fewer than two.
    mutating func find(_ tone: GutterTone) -> Finding? { find(tone, in: promisingRects(tone.colour)) }

    private mutating func find(_ tone: GutterTone, in rects: [PictureRegion]) -> Finding? {
        guard !rects.isEmpty else { return nil }
        var result = best(in: rects, tone, frame: nil)
        // Tiles are more exact if the frame does not count as gutter. So the result with the frame must have at least
        // the same score.
        if let colour = frame.colour, let framed = best(in: rects, tone, frame: colour),
            framed.score >= result?.score ?? 0
        {
            result = framed
        }
        return result
    }

    private mutating func best(in rects: [PictureRegion], _ tone: GutterTone, frame: FlatColour?) -> Finding? {
        let mask = ColourMask(samples, tone, frame: frame, memory: &memory)
        var best: Finding?
        for rect in rects {
            guard let finding = tiles(in: rect, mask, tone), finding.score > best?.score ?? 0 else { continue }
            // The bounds of a page may cut tiles.
            if let best, best.tiles.count == finding.tiles.count, best.area > finding.area { continue }
            best = finding
        }
        mask.release(to: &memory)
        best?.usesFrame = frame != nil
        return best
    }

    /// Returns the rectangles that gutters of a colour may divide: the whole picture, or a page in it. Only some of the
    /// sampled lines are tested.
    private mutating func promisingRects(_ colour: FlatColour) -> [PictureRegion] {
        let mask = ColourMask(samples, .thin(colour), lineStep: Self.coarseStep, memory: &memory)
        let cut = GutterCut(mask, minimumWidth: minimumWidth, minimumHeight: minimumHeight)
        func divides(_ rect: PictureRegion) -> Bool {
            let share = cut.clearest(in: rect)
            // An active speaker's frame may cover a part of the gutter.
            return share >= Self.coarseShare || share >= Self.framedShare && frame.colour != nil
        }
        var result = divides(whole) ? [whole] : []
        if mask.share(in: whole) > Self.minimumPage, let page = FlatRegion(samples, colour: colour).bounds,
            page.intersectionOverUnion(whole) < 0.95, divides(page)
        {
            result.append(page)
        }
        mask.release(to: &memory)
        return result
    }

    /// Returns the share of the rectangles' sides that have a gutter of a colour next to them, 0…1; 0 if one of the
    /// rectangles has only that colour.
    mutating func support(of rects: [PictureRegion], _ tone: GutterTone) -> Double {
        let mask = ColourMask(samples, tone, frame: frame.colour, memory: &memory)
        defer { mask.release(to: &memory) }
        var (sides, kept) = (0, 0)
        for rect in rects {
            guard mask.share(in: rect) < 0.97 else { return 0 }
            for share in mask.sharesAround(rect, within: whole) {
                sides += 1
                kept += share >= 0.8 ? 1 : 0
            }
        }
        return sides > 0 ? Double(kept) / Double(sides) : 0
    }

    /// Returns whether an active speaker's frame marks exactly one of several tiles.
    mutating func isMarked(_ rects: [PictureRegion]) -> Bool {
        guard frame.colour != nil else { return false }
        return rects.count { frame.surrounds($0, in: samples, within: whole) } == 1
    }

    private func tiles(in rect: PictureRegion, _ mask: ColourMask, _ tone: GutterTone) -> Finding? {
        let cut = GutterCut(mask, minimumWidth: minimumWidth, minimumHeight: minimumHeight)
        let parts = cut.parts(of: rect)
        guard parts.count >= 2 else { return nil }
        let candidates = parts.map { TileCandidate($0, mask, width: samples.width, height: samples.height) }
        let aligned = TileAlignment(candidates, mask).aligned().filter { $0.isRectangle }
        let tiles = GalleryGrid(aligned, mask, cut, within: whole).tiles.filter { isTile($0) }
        var finding = Finding(tone: tone, tiles: tiles.map(\.rect))
        guard isEvident(tiles), Double(finding.area) >= Self.minimumCover * Double(whole.area) else { return nil }
        let sides = tiles.flatMap(\.sides)
        let sharp = sides.count { $0 >= TileCandidate.sharpness }
        finding.score = 2 * sharp - sides.count
        finding.weakest = sides.min() ?? 0
        return finding
    }

    private func isTile(_ candidate: TileCandidate) -> Bool {
        let ratio = Double(candidate.rect.width) / Double(candidate.rect.height)
        guard candidate.isRectangle, Self.aspectRatios.contains(ratio) else { return false }
        // A blank part at the picture's border is a bar beside a portrait picture, not a tile.
        return candidate.sides.count == 4 || !samples.isBlank(candidate.rect)
    }

    /// Returns whether the sides of the tiles are sufficient evidence for a gallery. Two tiles must have only sharp
    /// sides; of three or more tiles some sides may be blurred. Two tiles with only one gutter must be close together.
    private func isEvident(_ tiles: [TileCandidate]) -> Bool {
        guard tiles.count >= 2, let first = tiles.first?.rect, let last = tiles.last?.rect else { return false }
        let sides = tiles.flatMap(\.sides)
        let blurred = sides.count { $0 < TileCandidate.sharpness }
        guard blurred * 4 <= (tiles.count == 2 ? 0 : sides.count) else { return false }
        guard sides.count < 4 else { return true }
        let gaps = [last.left - first.right, last.top - first.bottom]
        return gaps.max()! <= max(samples.width, samples.height) / 24
    }
}

extension SparseSamples {
    /// The maximum difference of luma, and of chroma, in a part without content, such as a bar at the side of a
    /// portrait picture.
    private static let blank = 6
    /// The minimum share of a part's samples that must differ from its colour if the part shows something, such as
    /// initials in a disc.
    private static let minimumDetail = 0.02

    /// Returns whether a rectangle has one colour, apart from its margins.
    func isBlank(_ rect: PictureRegion) -> Bool {
        let margin = (x: rect.width / 10, y: rect.height / 10)
        let lines = rows.positions.indices.filter {
            (rect.top + margin.y..<rect.bottom - margin.y).contains(rows.positions[$0])
        }
        guard let line = lines.first else { return true }
        let reference = colour(row: line, column: rect.left + margin.x)
        var (count, different) = (0, 0)
        for line in lines {
            for x in stride(
                from: rect.left + margin.x, to: rect.right - margin.x, by: GutterColours.step
            ) {
                count += 1
                if colour(row: line, column: x).distance(to: reference) > Self.blank { different += 1 }
            }
        }
        return Double(different) < Self.minimumDetail * Double(count)
    }
}

/// The largest connected part of a picture that is flat and has one colour: the background of a gallery.
struct FlatRegion {
    /// The bounds of the part; `nil` if there is none.
    private(set) var bounds: PictureRegion?

    init(_ samples: SparseSamples, colour: FlatColour) {
        let step = GutterColours.step
        let columns = samples.width / step, rows = samples.rows.positions.count
        guard columns > 1, rows > 1 else { return }
        var isOpen = [Bool](repeating: false, count: columns * rows)
        let luma = samples.rows.luma.values.span
        for row in 0..<rows {
            let line = luma.extracting(row * samples.width..<(row + 1) * samples.width)
            for column in 0..<columns {
                let x = column * step + step / 2
                guard abs(Int(line[x]) - Int(colour.luma)) <= GutterTone.flatLuma else { continue }
                isOpen[row * columns + column] =
                    samples.colour(row: row, column: x).distance(to: colour) <= GutterTone.flatLuma
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
            bounds = PictureRegion(
                columns: left * step..<min((right + 1) * step, samples.width),
                rows: positions[top]..<positions[bottom] + 1)
        }
        if best < columns * rows / 100 { bounds = nil }
    }
}
