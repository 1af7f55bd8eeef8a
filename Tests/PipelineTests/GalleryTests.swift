import FoundationEssentials
import MediaIO
import Raster
import Reactions
import TestSupport
import Testing
@testable import Vision

@testable import Pipeline

@Suite struct GalleryTests {
    private let pool = FramePool()
    private let left = LayoutTile(id: 1, x: 0.02, y: 0.1, width: 0.46, height: 0.8)
    private let right = LayoutTile(id: 2, x: 0.52, y: 0.1, width: 0.46, height: 0.8)

    private func engine(
        _ reactions: [ScheduledReaction], layouts: LayoutTimeline?
    ) throws -> ReactionEngine {
        let catalog = try EffectCatalog(
            resources: Resources(assets: Repository.root.appending(path: "Assets").path))
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: Configuration(), resources: Resources(), pool: pool)
        setup.schedule = reactions.map(ScheduledRequest.init)
        setup.avoidsFaces = false
        setup.layouts = layouts
        return ReactionEngine(setup)
    }

    private func time(_ index: Int) -> MediaTime { MediaTime(value: Int64(index), timeBase: Rational(1, 10)) }

    /// Processes a frame without requests.
    private func process(
        _ engine: ReactionEngine, _ frame: consuming VideoFrame, _ index: Int, findings: GestureFindings = .init()
    ) throws -> PipelineFrame {
        var item = PipelineFrame(frame: frame, id: index, time: time(index).seconds)
        item.findings = findings
        #expect(
            try engine.process(&item, EngineSwitches(Configuration())) { EngineRequests(style: ReactionStyle()) })
        return item
    }

    @Test(
        "An effect in a tile is drawn as in a video of that size, and no sample outside of the tile changes",
        arguments: [ChromaSubsampling.yuv420, .yuv444], ["confetti", "balloons", "lasers"])
    func tileIsAStageOfItsOwn(_ chroma: ChromaSubsampling, _ name: String) throws {
        let reaction = ReactionType(rawValue: name)
        let format = PictureFormat(width: 301, height: 161, chroma: chroma)
        let layouts = LayoutTimeline([.init(startTime: 0, tiles: [left, right])])
        let whole = try engine(
            [ScheduledReaction(reaction, at: 0.1, origin: PicturePoint(x: 0.75, y: 0.5))], layouts: layouts)
        let own = try engine(
            [
                ScheduledReaction(
                    reaction, at: 0.1, origin: right.placeInTile(PicturePoint(x: 0.75, y: 0.5)))
            ], layouts: nil)
        var drawn = 0
        for index in 0..<14 {
            let source = try VideoFrame.pattern(format, at: time(index), pool: pool)
            let region = right.region(of: source)
            let before = try source.region(region).checksum
            let result = try process(whole, try source.shared(), index).takeFrame()
            let expected = try process(own, try source.region(region).copy(pool: pool), index).takeFrame()
            #expect(try result.region(region).checksum == expected.checksum, "frame \(index)")
            drawn += expected.checksum == before ? 0 : 1
            for (columns, rows) in [
                (0..<region.columns.lowerBound, 0..<161), (0..<301, 0..<region.rows.lowerBound),
                (region.columns.upperBound..<301, 0..<161), (0..<301, region.rows.upperBound..<161),
            ] {
                let outside = PictureRegion(columns: columns, rows: rows)
                #expect(try result.region(outside).checksum == source.region(outside).checksum)
            }
        }
        #expect(drawn > 8)
    }

    @Test("Round corners of a tile stay as they are")
    func roundCorners() throws {
        let format = PictureFormat(width: 300, height: 160)
        let tile = LayoutTile(id: 1, x: 0.1, y: 0.1, width: 0.4, height: 0.8)
        let engine = try engine(
            [ScheduledReaction(.lasers, at: 0.1, origin: PicturePoint(x: 0.3, y: 0.5))],
            layouts: LayoutTimeline([.init(startTime: 0, tiles: [tile, right])]))
        for index in 0..<10 {
            var source = try VideoFrame.pattern(format, at: time(index), pool: pool)
            let region = tile.region(of: source)
            // The gutter's colour around the tile and in corners with a radius of 12 samples.
            try source.withMutablePicture(pool: pool) { picture in
                picture.with8BitPlane(.luma) { samples, stride in
                    for y in 0..<160 {
                        for x in 0..<300 {
                            let dx = max(region.columns.lowerBound + 12 - x, x - region.columns.upperBound + 13, 0)
                            let dy = max(region.rows.lowerBound + 12 - y, y - region.rows.upperBound + 13, 0)
                            if dx * dx + dy * dy > 144 { samples[y * stride + x] = 18 }
                        }
                    }
                }
            }
            let result = try process(engine, try source.shared(), index).takeFrame()
            for (x, y) in [
                (region.columns.lowerBound, region.rows.lowerBound),
                (region.columns.upperBound - 2, region.rows.upperBound - 2),
            ] {
                let corner = PictureRegion(columns: x..<x + 2, rows: y..<y + 2)
                #expect(try result.region(corner).checksum == source.region(corner).checksum)
            }
            if index > 3 { #expect(try result.region(region).checksum != source.region(region).checksum) }
        }
    }

    /// The gesture of a person in a tile.
    private func victory(in tile: LayoutTile, layout: [LayoutTile]? = nil) -> GestureFindings {
        var event = GestureEvent(
            gesture: .victory, confidence: 0.9, origin: tile.placeInPicture(PicturePoint(x: 0.5, y: 0.5)), heldSince: 0,
            time: 0.1)
        event.tile = tile
        return GestureFindings(fired: [event], layout: layout)
    }

    private func states(_ item: borrowing PipelineFrame) -> [PlannedEffect] { item.plan.effects }

    @Test("Two people who make the same gesture get an effect each")
    func sameReactionInTwoTiles() throws {
        let engine = try engine([], layouts: nil)
        let format = PictureFormat(width: 320, height: 160)
        var findings = victory(in: left, layout: [left, right])
        findings.fired += victory(in: right).fired
        let item = try process(engine, try VideoFrame.pattern(format, at: time(0), pool: pool), 0, findings: findings)
        #expect(states(item).map(\.tile) == [left, right])
        #expect(item.plan.events.map(\.name).contains("layoutChanged"))
        // A further gesture extends the effect of its tile alone.
        let later = try process(
            engine, try VideoFrame.pattern(format, at: time(30), pool: pool), 30, findings: victory(in: right))
        #expect(later.plan.events.count { $0.name == "effectStarted" } == 0)
        #expect(
            later.plan.events.compactMap { event -> ReactionEvent.EffectExtension? in
                if case .effectExtended(let effect) = event.kind { effect } else { nil }
            } == [.init(id: 2, reactionType: .balloons, trigger: .gesture, tile: right)])
    }

    @Test("An effect moves with its tile, and fades out within 0.3 s where the tile is gone")
    func effectsFollowTiles() throws {
        let moved = LayoutTile(id: 2, x: 0.1, y: 0.2, width: 0.3, height: 0.6)
        let engine = try engine(
            [ScheduledReaction(.balloons, at: 0, origin: right.placeInPicture(PicturePoint(x: 0.5, y: 0.9)))],
            layouts: LayoutTimeline([
                .init(startTime: 0, tiles: [left, right]), .init(startTime: 1, tiles: [moved]),
                .init(startTime: 2, tiles: [left]),
            ]))
        let format = PictureFormat(width: 320, height: 160)
        var places: [Int: [PlannedEffect]] = [:]
        for index in 0..<26 {
            let item = try process(engine, try VideoFrame.pattern(format, at: time(index), pool: pool), index)
            places[index] = states(item)
        }
        #expect(places[9]?.map(\.tile) == [right])
        #expect(places[10]?.map(\.tile) == [moved])
        let origin = try #require(places[10]?.first?.origin)
        let expected = moved.placeInPicture(PicturePoint(x: 0.5, y: 0.9))
        #expect(abs(origin.x - expected.x) < 1e-9 && abs(origin.y - expected.y) < 1e-9)
        #expect(places[22]?.count == 1)
        #expect(places[23]?.isEmpty == true)
    }

    @Test("A reaction at a place outside of all tiles, or without a place, is drawn on the whole picture")
    func wholePicture() throws {
        let engine = try engine(
            [
                ScheduledReaction(.balloons, at: 0, origin: PicturePoint(x: 0.5, y: 0.5)),
                ScheduledReaction(.confetti, at: 0),
            ], layouts: LayoutTimeline([.init(startTime: 0, tiles: [left, right])]))
        let item = try process(
            engine, try VideoFrame.pattern(PictureFormat(width: 320, height: 160), at: time(0), pool: pool), 0)
        #expect(states(item).map(\.tile) == [nil, nil])
    }
}

@Suite struct ScannedLayoutsTests {
    private func tile(_ id: Int, _ x: Double, width: Double = 0.3) -> LayoutTile {
        LayoutTile(id: id, x: x, y: 0.1, width: width, height: 0.5)
    }

    private func segment(_ range: ClosedRange<Double>, _ layouts: [(Double, [LayoutTile])]) -> ScannedLayouts {
        var segment = ScannedLayouts()
        segment.pass(range.lowerBound)
        for (time, tiles) in layouts { segment.add(tiles, at: time) }
        segment.pass(range.upperBound)
        return segment
    }

    @Test("Segments that see the same tiles make one layout, whatever their order and numbers")
    func sameTilesAcrossSegments() {
        let first = segment(0...10, [(0.6, [tile(1, 0), tile(2, 0.5)])])
        let second = segment(10...20, [(10.6, [tile(1, 0.5), tile(2, 0.001)])])
        let joined = ScannedLayouts.joined([second, first])
        #expect(joined.layouts.count == 1)
        #expect(joined.tiles(at: 15).map(\.id) == [1, 2])
    }

    @Test("New tiles get new numbers, and a segment without tiles ends the layout")
    func changes() {
        let joined = ScannedLayouts.joined([
            segment(0...10, [(0.6, [tile(1, 0), tile(2, 0.5)]), (5, [tile(2, 0), tile(3, 0.5)])]),
            segment(10...20, []),
            segment(20...30, [(20.6, [tile(1, 0), tile(2, 0.5)])]),
        ])
        #expect(joined.layouts.map(\.startTime) == [0.6, 5, 11, 20.6])
        #expect(joined.layouts.map { $0.tiles.map(\.id) } == [[1, 2], [2, 3], [], [4, 5]])
    }

    @Test("Tiles that moved at the beginning of a segment keep their numbers; new ones get new numbers")
    func movedTilesAcrossSegments() throws {
        let frame = try VideoFrame.pattern(
            PictureFormat(width: 320, height: 180), at: MediaTime(value: 0, timeBase: Rational(1, 10)),
            pool: FramePool())
        let places = [0, 80, 160, 240].map { PictureRegion(columns: $0..<$0 + 60, rows: 20..<160) }
        let looks = frame.withPicture { picture in
            let samples = SparseSamples(picture)
            return places.map { TileAppearance($0, samples) }
        }
        /// Creates a memory of tiles: numbers, looks and places.
        func memory(_ tiles: [(Int, Int, Int)], at time: Double) -> TileMemory {
            var memory = TileMemory()
            for (id, look, place) in tiles { memory.record(id, looks[look], at: places[place], time: time) }
            return memory
        }
        // Two parts of the test pattern that differ clearly.
        #expect(looks[0].distance(to: looks[3]) > 12)
        var first = ScannedLayouts()
        first.pass(0, memory([(1, 0, 0), (2, 3, 1)], at: 0.6))
        first.add([tile(1, 0), tile(2, 0.5)], at: 0.6)
        first.pass(10, memory([(1, 0, 0), (2, 3, 1)], at: 9.9))
        var second = ScannedLayouts()
        second.pass(10)
        second.pass(10.6, memory([(1, 3, 2), (2, 0, 3)], at: 10.6))
        second.add([tile(1, 0.3, width: 0.2), tile(2, 0.65, width: 0.2)], at: 10.6)
        second.pass(20)
        #expect(ScannedLayouts.joined([second, first]).layouts.map { $0.tiles.map(\.id) } == [[1, 2], [2, 1]])
    }

    @Test("A recording without tiles has no layouts")
    func single() {
        #expect(ScannedLayouts.joined([segment(0...10, []), segment(10...20, [])]).layouts.isEmpty)
    }
}

@Suite struct LayoutChoiceTests {
    @Test func wordsAndGridsAreRead() throws {
        #expect(try LayoutChoice("auto") == .automatic)
        #expect(try LayoutChoice("single") == .single)
        let grid = try #require(try timeline(LayoutChoice("3x2")))
        #expect(grid.tiles(at: 0).count == 6)
        #expect(grid.tiles(at: 0)[4] == LayoutTile(id: 5, x: 1.0 / 3, y: 0.5, width: 1.0 / 3, height: 0.5))
    }

    @Test("Other words are refused", arguments: ["", "3x", "x2", "0x2", "11x1", "3x2x1", "gallery", "-1x2"])
    func wordsThatAreNoLayout(_ word: String) {
        let error = #expect(throws: FlourishError.self) { try LayoutChoice(word) }
        #expect(error?.code == .usage)
    }

    private func timeline(_ choice: LayoutChoice) -> LayoutTimeline? {
        if case .fixed(let timeline) = choice { timeline } else { nil }
    }

    private func choice(of json: String) throws -> LayoutChoice {
        let folder = try TemporaryFolder.create()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "tiles.json")
        try Data(json.utf8).write(to: file)
        return try LayoutChoice(file.path)
    }

    @Test func filesNumberTheirTiles() throws {
        let text = #"{"tiles":[{"x":0,"y":0,"width":0.5,"height":1},{"x":0.5,"y":0,"width":0.5,"height":1}]}"#
        let read = try #require(try timeline(choice(of: text)))
        #expect(read.tiles(at: 0).map(\.id) == [1, 2])
    }

    @Test(
        "Files with faults are refused with the place or the tile",
        arguments: [
            (#"{"tiles":[{"x":0,"y":0,"width":0.6,"height":1},{"x":0.5,"y":0,"width":0.5,"height":1}]}"#, "overlap"),
            (#"{"tiles":[{"x":0.6,"y":0,"width":0.5,"height":1}]}"#, "not within the picture"),
            (#"{"tiles":[{"x":0,"y":0,"width":0,"height":1}]}"#, "empty"),
            (
                #"{"tiles":[{"id":1,"x":0,"y":0,"width":0.1,"height":1},{"id":1,"x":0.5,"y":0,"width":0.1,"height":1}]}"#,
                "duplicate number"
            ),
            (#"{"tiles":[{"x":0,"y":0,"width":"a","height":1}]}"#, "tiles[0].width"),
            ("{", "line 1"), ("[]", ""),
        ])
    func faults(_ json: String, _ part: String) {
        let error = #expect(throws: FlourishError.self) { try choice(of: json) }
        #expect(error?.code == .inputUnusable)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
}
