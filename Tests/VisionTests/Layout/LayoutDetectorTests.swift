import Raster
import Testing

@testable import Vision

/// Layouts of pictures that the tests draw.
@Suite struct LayoutDetectorTests {
    /// Expects that the tiles of a detector are those of a scene.
    private func expectTiles(
        _ detector: LayoutDetector, _ expected: [PictureRegion], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(detector.tiles.count == expected.count, sourceLocation: sourceLocation)
        for rect in expected {
            let best = detector.tiles.map { $0.rect.intersectionOverUnion(rect) }.max() ?? 0
            #expect(best >= 0.9, "\(rect)", sourceLocation: sourceLocation)
        }
    }

    @Test func findsGrid() {
        var film = GalleryFilm()
        film.tiles = GalleryFilm.grid(columns: 2, rows: 2, gutter: 8)
        expectTiles(film.run(seconds: 1), film.tiles.map(\.rect))
    }

    @Test func findsUnequalRows() {
        var film = GalleryFilm(gutter: GalleryFilm.white)
        film.tiles = [
            GalleryFilm.Tile(10, 10, 400, 160), GalleryFilm.Tile(420, 10, 210, 160),
            GalleryFilm.Tile(10, 180, 200, 170), GalleryFilm.Tile(220, 180, 410, 170),
        ]
        expectTiles(film.run(seconds: 1), film.tiles.map(\.rect))
    }

    @Test func findsSpeakerAndStrip() {
        var film = GalleryFilm()
        film.tiles = [
            GalleryFilm.Tile(0, 0, 500, 360), GalleryFilm.Tile(508, 40, 132, 74), GalleryFilm.Tile(508, 122, 132, 74),
            GalleryFilm.Tile(508, 204, 132, 74),
        ]
        expectTiles(film.run(seconds: 1), film.tiles.map(\.rect))
    }

    @Test func findsRoundedCorners() {
        var film = GalleryFilm()
        film.tiles = GalleryFilm.grid(columns: 3, rows: 2, gutter: 10)
        film.radius = 12
        expectTiles(film.run(seconds: 1), film.tiles.map(\.rect))
    }

    @Test func findsTilesBehindSpeakerFrame() {
        var film = GalleryFilm()
        film.tiles = GalleryFilm.grid(columns: 2, rows: 2, gutter: 6)
        film.framed = 0
        expectTiles(film.run(seconds: 1), film.tiles.map(\.rect))
    }

    @Test func findsTileWithDarkContent() {
        var film = GalleryFilm()
        film.tiles = GalleryFilm.grid(columns: 3, rows: 3, gutter: 8)
        film.tiles[4].content = .darkLeft
        expectTiles(film.run(seconds: 1), film.tiles.map(\.rect))
    }

    @Test func findsAvatars() {
        var film = GalleryFilm()
        film.tiles = GalleryFilm.grid(columns: 2, rows: 2, gutter: 8)
        for index in film.tiles.indices { film.tiles[index].content = .avatar }
        expectTiles(film.run(seconds: 1), film.tiles.map(\.rect))
    }

    // MARK: - Single pictures

    @Test func keepsLetterboxedPicture() {
        var film = GalleryFilm(gutter: GalleryFilm.black)
        film.tiles = [GalleryFilm.Tile(0, 45, 640, 270)]
        expectTiles(film.run(seconds: 2), [])
        film.tiles = [GalleryFilm.Tile(220, 0, 200, 360)]
        expectTiles(film.run(seconds: 2), [])
    }

    @Test func keepsPersonBeforeWall() {
        var film = GalleryFilm(gutter: GalleryFilm.wall)
        film.person = (x: 320, width: 200)
        expectTiles(film.run(seconds: 2), [])
    }

    @Test func keepsDoorFrame() {
        var film = GalleryFilm(gutter: GalleryFilm.white)
        // Walls on both sides of a door post, and a person before it.
        film.tiles = [GalleryFilm.Tile(0, 0, 300, 360), GalleryFilm.Tile(316, 0, 324, 360)]
        film.person = (x: 320, width: 220)
        expectTiles(film.run(seconds: 2), [])
    }

    @Test func ignoresThinLine() {
        var film = GalleryFilm()
        film.tiles = [GalleryFilm.Tile(0, 0, 640, 180), GalleryFilm.Tile(0, 181, 640, 179)]
        expectTiles(film.run(seconds: 2), [])
    }

    // MARK: - Changes

    @Test func followsChangeWithinOneSecond() {
        var film = GalleryFilm()
        film.tiles = GalleryFilm.grid(columns: 2, rows: 1, gutter: 8)
        var detector = film.run(seconds: 2)
        expectTiles(detector, film.tiles.map(\.rect))
        film.tiles = GalleryFilm.grid(columns: 2, rows: 2, gutter: 8)
        film.run(&detector, after: 2, seconds: 1)
        expectTiles(detector, film.tiles.map(\.rect))
        film.tiles = [GalleryFilm.Tile(0, 0, 640, 360)]
        film.run(&detector, after: 3, seconds: 1)
        expectTiles(detector, [])
    }

    /// The samples are 0.2 s apart.
    @Test("The time from which a layout has been shown is exact to a sample")
    func shownSince() {
        var film = GalleryFilm()
        film.tiles = GalleryFilm.grid(columns: 2, rows: 1, gutter: 8)
        var detector = film.run(seconds: 2)
        #expect(detector.shownSince == 0)
        for (time, tiles) in [
            (2.0, GalleryFilm.grid(columns: 2, rows: 2, gutter: 8)), (3, [GalleryFilm.Tile(0, 0, 640, 360)]),
            (4, GalleryFilm.grid(columns: 3, rows: 2, gutter: 8)),
            (5, GalleryFilm.grid(columns: 2, rows: 1, gutter: 8)),
        ] {
            film.tiles = tiles
            film.run(&detector, after: time, seconds: 1)
            expectTiles(detector, tiles.count > 1 ? tiles.map(\.rect) : [])
            #expect((time...time + 0.31).contains(detector.shownSince), "\(time): \(detector.shownSince)")
        }
    }

    @Test func identifiersFollowTiles() {
        var film = GalleryFilm()
        film.tiles = GalleryFilm.grid(columns: 3, rows: 1, gutter: 8)
        for index in film.tiles.indices { film.tiles[index].person = index }
        var detector = film.run(seconds: 1)
        let before = detector.tiles.map(\.id)
        #expect(Set(before).count == 3)
        // The first person leaves; the others move up.
        film.tiles = GalleryFilm.grid(columns: 2, rows: 1, gutter: 8)
        for index in film.tiles.indices { film.tiles[index].person = index + 1 }
        film.run(&detector, after: 1, seconds: 1)
        #expect(detector.tiles.map(\.id) == Array(before.dropFirst()))
    }

    @Test("A layout stays while something covers gutters, and while content has their colour")
    func keepsTilesBehindPasserBy() {
        for content in [GalleryFilm.Tile.Content.person, .darkLeft] {
            var film = GalleryFilm()
            film.tiles = GalleryFilm.grid(columns: 3, rows: 3, gutter: 8)
            var detector = film.run(seconds: 2)
            let before = detector.tiles
            #expect(before.count == 9)
            let start = film
            if content == .person { film.person = (x: 212, width: 60) } else { film.tiles[4].content = content }
            film.run(&detector, after: 2, seconds: 1)
            #expect(detector.tiles == before)
            start.run(&detector, after: 3, seconds: 1)
            #expect(detector.tiles == before)
        }
    }

    @Test("A shorter last row is found although a frame covers its gutter")
    func findsShortRowBehindFrame() {
        for gutter in [3, 4] {
            var film = GalleryFilm()
            film.tiles = Array(GalleryFilm.grid(columns: 3, rows: 2, gutter: gutter).prefix(5))
            let shift = (film.tiles[0].rect.width + gutter) / 2
            for index in 3..<5 { film.tiles[index].move(by: shift) }
            film.framed = 1
            expectTiles(film.run(seconds: 1), film.tiles.map(\.rect))
        }
    }

    @Test("A tile with content of the gutter's colour gets the size of the other tiles of its row")
    func continuesRow() {
        var film = GalleryFilm()
        film.tiles = [GalleryFilm.Tile(60, 10, 520, 240)]
        film.tiles += (0..<4).map { GalleryFilm.Tile(60 + $0 * 132, 260, 124, 80) }
        film.tiles[4].content = .darkLeft
        expectTiles(film.run(seconds: 1), film.tiles.map(\.rect))
    }

    @Test("A frame at the border of a tile is found to be part of it once it is gone; the tile stays the same")
    func correctsSides() {
        var film = GalleryFilm()
        film.tiles = [GalleryFilm.Tile(10, 10, 400, 340), GalleryFilm.Tile(420, 10, 210, 340)]
        film.framed = 0
        film.isFrameInside = true
        var detector = film.run(seconds: 1)
        let before = detector.tiles
        #expect(before.count == 2 && !before.map(\.rect).contains(film.tiles[0].rect))
        film.framed = nil
        var changes = 0
        for index in 1...20 { changes += film.sample(&detector, at: 1 + Double(index) / 10) ? 1 : 0 }
        #expect(changes == 1)
        #expect(detector.tiles.map(\.id) == before.map(\.id))
        #expect(Set(detector.tiles.map(\.rect)) == Set(film.tiles.map(\.rect)))
    }

    @Test("Another detector's tiles are recognised by their pictures")
    func memoryRecognisesTiles() {
        var film = GalleryFilm()
        film.tiles = GalleryFilm.grid(columns: 3, rows: 1, gutter: 8)
        for index in film.tiles.indices { film.tiles[index].person = index }
        let first = film.run(seconds: 1)
        film.tiles = GalleryFilm.grid(columns: 2, rows: 1, gutter: 8)
        for index in film.tiles.indices { film.tiles[index].person = index + 1 }
        let second = film.run(seconds: 1)
        let ids = first.known.identifiers(of: second.tiles.map(\.id), in: second.known, at: 1.2)
        #expect(ids == [1: 2, 2: 3])
        #expect(first.known.identifiers(of: [1, 2], in: second.known, at: 30).isEmpty)
    }

    @Test func samplesAtFixedInterval() {
        var detector = LayoutDetector()
        #expect(detector.isDue(at: 0))
        _ = GalleryFilm().sample(&detector, at: 0)
        #expect(!detector.isDue(at: 0.1))
        #expect(detector.isDue(at: 0.2))
    }
}

/// Draws the pictures of a call: tiles before a background.
struct GalleryFilm {
    typealias Colour = (luma: UInt8, cb: UInt8, cr: UInt8)
    static let (grey, white, black): (Colour, Colour, Colour) = ((45, 128, 128), (235, 128, 128), (16, 128, 128))
    static let (wall, green): (Colour, Colour) = ((170, 124, 130), (150, 70, 60))

    struct Tile {
        enum Content { case person, darkLeft, avatar }

        var rect: PictureRegion
        var content = Content.person
        /// Selects the colours of the content.
        var person = 0

        init(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
            rect = PictureRegion(columns: x..<x + width, rows: y..<y + height)
        }

        mutating func move(by x: Int) {
            rect.columns = rect.columns.lowerBound + x..<rect.columns.upperBound + x
        }
    }

    static let (width, height) = (640, 360)
    var gutter: Colour = grey
    var tiles: [Tile] = []
    var radius = 0
    /// The tile with the active speaker's frame.
    var framed: Int?
    var isFrameInside = false
    /// A person in front of everything.
    var person: (x: Int, width: Int)?

    static func grid(columns: Int, rows: Int, gutter: Int) -> [Tile] {
        let width = (Self.width - (columns + 1) * gutter) / columns, height = (Self.height - (rows + 1) * gutter) / rows
        return (0..<rows * columns).map {
            Tile(
                gutter + $0 % columns * (width + gutter), gutter + $0 / columns * (height + gutter), width, height)
        }
    }

    /// Returns a detector after pictures at ten a second.
    func run(seconds: Double) -> LayoutDetector {
        var detector = LayoutDetector()
        for index in 0...Int(seconds * 10) { _ = sample(&detector, at: Double(index) / 10) }
        return detector
    }

    /// Continues with pictures after a time, at ten a second.
    func run(_ detector: inout LayoutDetector, after time: Double, seconds: Double) {
        for index in 1...Int(seconds * 10) { _ = sample(&detector, at: time + Double(index) / 10) }
    }

    func sample(_ detector: inout LayoutDetector, at time: Double) -> Bool {
        guard detector.isDue(at: time) else { return false }
        var bytes = draw(Int((time * 10).rounded()))
        return unsafe bytes.withUnsafeMutableBytes { raw in
            let (width, height) = (Self.width, Self.height)
            let luma = raw.baseAddress!
            let cb = unsafe luma + width * height, cr = unsafe cb + width * height / 4
            let planes: InlineArray<3, PlaneMemory> = unsafe [
                PlaneMemory(address: luma, stride: width), PlaneMemory(address: cb, stride: width / 2),
                PlaneMemory(address: cr, stride: width / 2),
            ]
            let format = PictureFormat(width: width, height: height, bitDepth: 8, chroma: .yuv420, matrix: .bt709)
            let picture = unsafe Picture(unsafeFormat: format, planes: planes)
            return detector.update(with: picture, at: time)
        }
    }

    /// Returns the bytes of a picture: luma, Cb and Cr.
    private func draw(_ frame: Int) -> [UInt8] {
        let (width, height) = (Self.width, Self.height)
        var bytes = [UInt8](repeating: 0, count: width * height * 3 / 2)
        for y in 0..<height {
            for x in 0..<width {
                let colour = colour(x, y, frame)
                bytes[y * width + x] = colour.luma
                guard x % 2 == 0, y % 2 == 0 else { continue }
                let chroma = width * height + y / 2 * (width / 2) + x / 2
                bytes[chroma] = colour.cb
                bytes[chroma + width * height / 4] = colour.cr
            }
        }
        return bytes
    }

    private func colour(_ x: Int, _ y: Int, _ frame: Int) -> Colour {
        if let person, abs(x - person.x - frame % 5) * 2 < person.width * min(y, 180) / 180, y > 60 {
            return texture(x, y, frame, 3)
        }
        if let framed {
            let rect = tiles[framed].rect
            let isInside = rect.columns.contains(x) && rect.rows.contains(y)
            let reach = 3
            let isBorder =
                isInside
                && (!(rect.columns.lowerBound + 4..<rect.columns.upperBound - 4).contains(x)
                    || !(rect.rows.lowerBound + 4..<rect.rows.upperBound - 4).contains(y))
            if isFrameInside, isBorder { return Self.green }
            if !isFrameInside, !isInside,
                (rect.columns.lowerBound - reach..<rect.columns.upperBound + reach).contains(x),
                (rect.rows.lowerBound - reach..<rect.rows.upperBound + reach).contains(y)
            {
                return Self.green
            }
        }
        guard let tile = tiles.first(where: { $0.rect.columns.contains(x) && $0.rect.rows.contains(y) }) else {
            return gutter
        }
        let (left, top) = (x - tile.rect.columns.lowerBound, y - tile.rect.rows.lowerBound)
        let (right, bottom) = (tile.rect.width - 1 - left, tile.rect.height - 1 - top)
        let (cornerX, cornerY) = (radius - min(left, right), radius - min(top, bottom))
        if cornerX > 0, cornerY > 0, cornerX * cornerX + cornerY * cornerY > radius * radius { return gutter }
        switch tile.content {
        case .person: return texture(left, top, frame, tile.person)
        case .darkLeft: return left < tile.rect.width / 3 ? gutter : texture(left, top, frame, tile.person)
        case .avatar:
            let (dx, dy) = (left - tile.rect.width / 2, top - tile.rect.height / 2)
            return dx * dx + dy * dy < tile.rect.height * tile.rect.height / 16 ? (120, 170, 90) : (90, 140, 120)
        }
    }

    /// A moving texture that differs from all gutters.
    private func texture(_ x: Int, _ y: Int, _ frame: Int, _ person: Int) -> Colour {
        let wave = (x * 3 + y * 5 + (x / 16 * 37 ^ y / 16 * 91) + frame * (x / 40 % 2) * 9) % 60
        return (UInt8(80 + 25 * (person % 3) + wave), UInt8(110 + 12 * (person % 3)), UInt8(150 - 10 * (person % 3)))
    }
}
