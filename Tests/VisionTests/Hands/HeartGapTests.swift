import Foundation
import Raster
import Testing

@testable import Vision

/// Detection of a heart's gap among the regions of a picture, and of its ends.
@Suite struct HeartGapTests {
    /// A shape filled on a plain background: returns whether a place belongs to it, in lengths of 1 about its middle.
    typealias Shape = @Sendable (_ x: Double, _ y: Double) -> Bool

    /// A box with a round notch on top and a tip below, as thumbs and index fingers leave it.
    static let heart: Shape = { x, y in
        let bottom = 0.7 - 0.45 * abs(x)
        let inBox = abs(x) < 0.9 && y > -0.7 && y < bottom
        let notch = (x / 0.35) * (x / 0.35) + ((y + 0.7) / 0.5) * ((y + 0.7) / 0.5) < 1
        return inBox && !notch
    }

    static func picture(
        _ shape: Shape, x: Double = 640, y: Double = 360, size: Double = 120, turn: Double = 0,
        inside: UInt8 = 180, outside: UInt8 = 90, noise: Int = 0
    ) -> PlanarImage {
        let width = 1280, height = 720
        var samples = Data(repeating: 128, count: width * height * 3 / 2)
        var state: UInt64 = 7
        for row in 0..<height {
            for column in 0..<width {
                let dx = (Double(column) - x) / size, dy = (Double(row) - y) / size
                let isInside = shape(dx * cos(turn) + dy * sin(turn), dy * cos(turn) - dx * sin(turn))
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let grain = noise == 0 ? 0 : Int(state >> 33) % (2 * noise + 1) - noise
                samples[row * width + column] = UInt8(Int(isInside ? inside : outside) + grain)
            }
        }
        return PlanarImage(width: width, height: height, samples: samples)
    }

    func holes(_ image: PlanarImage) -> [Hole] {
        let geometry = DisplayGeometry(storedWidth: 1280, storedHeight: 720)
        return image.withPicture { picture in
            var finder = HoleFinder()
            return finder.holes(in: picture, geometry: geometry)
        }
    }

    @Test(arguments: [(180, 90), (60, 130), (120, 100)] as [(UInt8, UInt8)])
    func brightAndDarkHeartsAreFound(inside: UInt8, outside: UInt8) throws {
        let found = holes(Self.picture(Self.heart, inside: inside, outside: outside))
        try #require(found.count == 1)
        #expect(found[0].notch.distance(to: Point(x: 640, y: 336)) < 20)
        #expect(found[0].tip.distance(to: Point(x: 640, y: 444)) < 20)
        #expect(abs(found[0].width - 216) < 24)
    }

    @Test func rotatedSmallAndNoisyHeartsAreFound() throws {
        let found = holes(Self.picture(Self.heart, x: 400, y: 300, size: 50, turn: 0.3, noise: 12))
        let gap = try #require(found.first)
        #expect(abs(gap.axis - 0.3) < 0.15)
        #expect(gap.centre.distance(to: Point(x: 400, y: 300)) < 10)
    }

    /// Many small gaps are false: they need a plain region, and every second picture suffices.
    @Test func smallPlainHeartsAreFoundInEverySecondPicture() throws {
        let geometry = DisplayGeometry(storedWidth: 1280, storedHeight: 720)
        func found(_ finder: inout HoleFinder, _ image: PlanarImage, isThorough: Bool = false) -> Int {
            image.withPicture { finder.holes(in: $0, geometry: geometry, isThorough: isThorough).count }
        }
        let nothing = PlanarImage(width: 1280, height: 720)
        let plain = Self.picture(Self.heart, x: 700, y: 300, size: 28)
        var finder = HoleFinder()
        #expect(found(&finder, nothing) == 0)
        #expect(found(&finder, plain) == 0)
        finder.reset()
        #expect(found(&finder, nothing) == 0)
        finder.reset()
        #expect(found(&finder, plain) == 1)
        #expect(found(&finder, nothing) == 0)
        #expect(found(&finder, plain) == 0)
        #expect(found(&finder, plain) == 1)
        // It is followed from then on.
        #expect(found(&finder, plain) == 1)
        #expect(found(&finder, nothing) == 0)
        #expect(found(&finder, nothing) == 0)
        #expect(found(&finder, nothing) == 0)
        #expect(found(&finder, plain, isThorough: true) == 1)
        let faint = Self.picture(Self.heart, x: 700, y: 300, size: 28, inside: 100, outside: 90)
        #expect(found(&finder, faint, isThorough: true) == 0)
    }

    @Test func otherShapesAreRejected() {
        let circle: Shape = { x, y in x * x + y * y < 0.6 }
        let box: Shape = { x, y in abs(x) < 0.8 && abs(y) < 0.6 }
        let upsideDown: Shape = { x, y in Self.heart(x, -y) }
        let halfOfOne: Shape = { x, y in x > 0 && Self.heart(x, y) }
        let ring: Shape = { x, y in abs((x * x + y * y).squareRoot() - 0.7) < 0.1 }
        for (index, shape) in [circle, box, upsideDown, halfOfOne, ring].enumerated() {
            #expect(holes(Self.picture(shape)).isEmpty, "shape \(index)")
        }
    }

    @Test func croppedHeartsAreRejected() {
        #expect(holes(Self.picture(Self.heart, y: 20)).isEmpty)
        #expect(holes(Self.picture(Self.heart, x: 1250)).isEmpty)
    }

    @Test func plainPicturesHaveNoGap() {
        #expect(holes(PlanarImage(width: 1280, height: 720)).isEmpty)
    }

    // MARK: Regions

    /// The inner regions of a drawing in which `#` is above the level.
    func regions(_ rows: [String]) -> [LevelRegion] {
        var finder = LevelRegions()
        let samples = rows.joined().map { $0 == "#" ? UInt8(200) : 10 }
        finder.load(samples, width: rows[0].count, height: rows.count, levels: [100])
        return finder.inner(at: 0)
    }

    @Test func regionsAreConnectedSideBySideOnly() {
        let found = regions([
            "........",
            ".###.#..",
            ".#.#.#..",
            ".###....",
            "....##..",
            "........",
        ])
        // The ring, its hole, the pair beside it and the pair at its corner.
        #expect(found.filter(\.isBright).map(\.area).sorted() == [2, 2, 8])
        #expect(found.filter { !$0.isBright }.map(\.area) == [1])
        #expect(found.allSatisfy { $0.x >= $0.minX && $0.y == $0.minY })
    }

    @Test func anOutlineIncludesHoles() throws {
        let rows = [
            "........",
            ".#####..",
            ".#...#..",
            ".#...#..",
            ".#####..",
            "........",
        ]
        let ring = try #require(regions(rows).first { $0.isBright })
        let samples = rows.joined().map { $0 == "#" ? UInt8(200) : 10 }
        let outline = try #require(RegionOutline(of: ring, in: samples, width: 8, level: 100, limit: 100))
        #expect(ring.area == 14)
        // The middles of the edges cut the corners off.
        #expect(abs(outline.area - 20) < 1)
        #expect(outline.centre.distance(to: Point(x: 3.5, y: 3)) < 0.01)
        #expect(RegionOutline(of: ring, in: samples, width: 8, level: 100, limit: 10) == nil)
    }
}
