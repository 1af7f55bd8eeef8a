import FoundationEssentials
import MediaIO
@testable import Puppet
import Raster
import Reactions
import TestSupport
import Testing

@testable import Pipeline
@testable import Vision

@Suite("Name labels") struct NameLabelTests {
    private let pool = FramePool()

    private static let names = ["Ada", "Ben K.", "Chi-Lin", "Dev", "Eve", "Finn O.", "Guadalupe", "Hal", "Ida"]
    private static let walls = [
        "#c9b79c", "#5d6f8c", "#70879c", "#d8d2c8", "#8c5d5d", "#6b8a6b", "#a0a0a8", "#3f4a5a", "#b5895a",
    ]

    /// A gallery of people with different rooms and clothes.
    private static func gallery(
        _ count: Int, width: Int, height: Int, kind: PuppetView.Kind = .grid, labels: Bool = true, corner: Int = 12
    ) -> PuppetGallery {
        let skins = ["light", "tan", "brown", "dark"]
        let clothes = ["#2f4858", "#8a2f3c", "#e8e4da", "#1d1d22", "#4b7f52"]
        return PuppetGallery(
            width: width, height: height, rate: 10, duration: 4,
            callers: names.prefix(count).enumerated().map { index, name in
                PuppetCaller(
                    name: name,
                    scene: PuppetScene(
                        wall: walls[index % walls.count], clothes: clothes[index % 5], skin: skins[index % 4],
                        seed: UInt32(index + 1)), zoom: 1 + 0.1 * Double(index % 4))
            }, views: [PuppetView(time: 0, kind: kind, callers: Array(names.prefix(count)))], corner: corner,
            labels: labels)
    }

    private func frame(_ director: PuppetGalleryDirector, _ index: Int) throws -> VideoFrame {
        var frame = try VideoFrame(
            format: director.format, time: MediaTime(value: Int64(index), timeBase: Rational(1, 10)), pool: pool)
        try frame.withMutablePicture(pool: pool) { director.draw(frame: index, into: &$0) }
        return frame
    }

    private func region(_ tile: PuppetGalleryTruth.Tile) -> PictureRegion {
        PictureRegion(columns: tile.x..<tile.x + tile.width, rows: tile.y..<tile.y + tile.height)
    }

    /// Returns the number of labels in a picture, and of those that are found in their place.
    private func found(_ gallery: PuppetGallery, at index: Int) throws -> (labels: Int, found: Int, others: Int) {
        let director = try PuppetGalleryDirector(gallery: gallery)
        let frame = try frame(director, index)
        var (labels, hits, others) = (0, 0, 0)
        for tile in director.truth.layouts[0].tiles where tile.height >= 96 {
            let region = try frame.region(region(tile)).withPicture { NameLabel.region(in: $0) }
            labels += tile.label == nil ? 0 : 1
            guard let region else { continue }
            guard let label = tile.label else {
                others += 1
                continue
            }
            let truth = PictureRegion(
                columns: label.x - tile.x..<label.x - tile.x + label.width,
                rows: label.y - tile.y..<label.y - tile.y + label.height)
            let covers =
                region.intersection(truth).area * 20 >= truth.area * 19 && region.area * 2 <= truth.area * 3
            if covers { hits += 1 } else { others += 1 }
        }
        return (labels, hits, others)
    }

    @Test("Labels of drawn galleries are found, and nothing else is")
    func labelsAreFound() throws {
        var (labels, hits) = (0, 0)
        for (count, width, height, kind) in [
            (2, 1280, 720, PuppetView.Kind.grid), (4, 1280, 720, .grid), (9, 1280, 720, .grid), (9, 1920, 1080, .grid),
            (6, 1280, 720, .speaker), (4, 960, 540, .grid),
        ] {
            for corner in [0, 12] {
                let result = try found(
                    Self.gallery(count, width: width, height: height, kind: kind, corner: corner), at: 7)
                #expect(result.others == 0, "\(count) people, \(width)×\(height), corner \(corner)")
                (labels, hits) = (labels + result.labels, hits + result.found)
            }
        }
        #expect(Double(hits) >= 0.75 * Double(labels), "\(hits) of \(labels)")
    }

    @Test("Round corners are found with their radius, and square ones are not", arguments: [0, 8, 12, 24])
    func corners(_ radius: Int) throws {
        let gallery = Self.gallery(4, width: 1280, height: 720, labels: false, corner: radius)
        let director = try PuppetGalleryDirector(gallery: gallery)
        let frame = try frame(director, 7)
        for tile in director.truth.layouts[0].tiles {
            var foreground = TileForeground()
            try foreground.update(frame, region(tile), at: 0.7)
            let corners = foreground.regions.compactMap(\.corner)
            #expect(corners.count == (radius == 0 ? 0 : 4), "tile \(tile.id)")
            for corner in corners { #expect(abs(corner.radius - Double(radius)) < 2, "tile \(tile.id): \(corner)") }
        }
    }

    @Test("A label that was covered for a moment is kept, and found again after a while")
    func coveredLabels() throws {
        let director = try PuppetGalleryDirector(gallery: Self.gallery(4, width: 1280, height: 720))
        let shown = try frame(director, 7)
        let tile = try #require(
            director.truth.layouts[0].tiles.first { tile in
                try tile.label != nil
                    && shown.region(region(tile)).withPicture { NameLabel.region(in: $0) } != nil
            })
        let label = try #require(tile.label)
        var covered = try frame(director, 7)
        try covered.withMutablePicture(pool: pool) { picture in
            picture.with8BitPlane(.luma) { samples, stride in
                for y in label.y..<label.y + label.height {
                    for x in label.x..<label.x + label.width { samples[y * stride + x] = 128 }
                }
            }
        }
        var foreground = TileForeground()
        for (isCovered, time, count) in [
            (false, 0.0, 1), (true, 0.5, 1), (false, 1, 1), (true, 1.5, 1), (true, 2, 0), (false, 4, 0),
            (false, 7.5, 1),
        ] {
            if isCovered {
                try foreground.update(covered, region(tile), at: time)
            } else {
                try foreground.update(shown, region(tile), at: time)
            }
            #expect(foreground.regions.count { $0.corner == nil } == count, "at \(time) s")
        }
    }

    @Test("A narrow and very high tile has no label, and is no failure")
    func narrowTiles() throws {
        let frame = try VideoFrame(format: PictureFormat(width: 98, height: 3840), time: .zero, pool: pool)
        #expect(frame.withPicture { NameLabel.region(in: $0) } == nil)
    }

    @Test("Tiles without labels have none", arguments: [2, 4, 6, 9])
    func noLabels(_ count: Int) throws {
        for index in [0, 13] {
            let result = try found(Self.gallery(count, width: 1280, height: 720, labels: false), at: index)
            #expect(result.labels == 0 && result.others == 0)
        }
    }

    @Test("An effect changes no sample of the label, neither on frames nor alone", arguments: [false, true])
    func effectsAreBehindLabels(_ isAlone: Bool) throws {
        let director = try PuppetGalleryDirector(gallery: Self.gallery(4, width: 960, height: 540))
        let truth = director.truth.layouts[0].tiles
        func layout(_ tile: PuppetGalleryTruth.Tile) -> LayoutTile {
            LayoutTile(
                id: tile.id, x: Double(tile.x) / 960, y: Double(tile.y) / 540, width: Double(tile.width) / 960,
                height: Double(tile.height) / 540)
        }
        let catalog = try EffectCatalog(
            resources: Resources(assets: Repository.root.appending(path: "Assets").path))
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: Configuration(), resources: Resources(), pool: pool)
        let place = layout(truth[0]).placeInPicture(PicturePoint(x: 0.5, y: 0.5))
        setup.schedule = [ScheduledRequest(ScheduledReaction(.lasers, at: 0.1, origin: place))]
        setup.avoidsFaces = false
        setup.layouts = LayoutTimeline([.init(startTime: 0, tiles: truth.map(layout))])
        setup.drawing = isAlone ? .alone : .onFrames
        let engine = ReactionEngine(setup)
        let label = try #require(truth[0].label)
        // The label begins and ends between samples of chroma.
        let inside = PictureRegion(
            columns: (label.x + 1) / 2 * 2..<(label.x + label.width) / 2 * 2,
            rows: (label.y + 1) / 2 * 2..<(label.y + label.height) / 2 * 2)
        var changed = 0
        for index in 0..<20 {
            let source = try frame(director, index)
            var item = PipelineFrame(frame: try source.shared(), id: index, time: Double(index) / 10)
            let isKept = try engine.process(&item, EngineSwitches(Configuration())) {
                EngineRequests(style: ReactionStyle())
            }
            #expect(isKept)
            let result = item.takeFrame()
            let tile = region(truth[0])
            if isAlone {
                #expect(try isTransparent(result, inside), "frame \(index)")
                changed += try isTransparent(result, tile) ? 0 : 1
            } else {
                #expect(try result.region(inside).checksum == source.region(inside).checksum, "frame \(index)")
                changed += try result.region(tile).checksum == source.region(tile).checksum ? 0 : 1
            }
        }
        #expect(changed > 10)
    }

    /// Returns whether no sample in a region of a transparent picture is visible.
    private func isTransparent(_ frame: borrowing VideoFrame, _ region: PictureRegion) throws -> Bool {
        var copy = try frame.copy(pool: pool)
        return try copy.withTransparentPicture(pool: pool) { _, alpha, stride in
            for row in region.rows {
                for column in region.columns where alpha[row * stride + column] != 0 { return false }
            }
            return true
        }
    }
}
