import FoundationEssentials
import MediaIO
@testable import Pipeline
import Raster
import Reactions
import Testing
import TestSupport

/// Styles in a tile: an effect has the pixels that it has in a video of the tile's size.
@Suite struct TileStyleTests {
    private static let styles = [
        ReactionStyle(intensity: 0.4), ReactionStyle(intensity: 0), ReactionStyle(isCalm: true),
        ReactionStyle(palette: Palette.designed["gold"]),
        ReactionStyle(intensity: 0.5, palette: Palette.designed["neon"]),
    ]

    private let pool = FramePool()
    private let format = PictureFormat(width: 301, height: 161)
    private let left = LayoutTile(id: 1, x: 0.02, y: 0.1, width: 0.46, height: 0.8)
    private let right = LayoutTile(id: 2, x: 0.52, y: 0.1, width: 0.46, height: 0.8)

    private func time(_ index: Int) -> MediaTime { MediaTime(value: Int64(index), timeBase: Rational(1, 10)) }

    private func engine(
        _ reaction: ReactionType, at place: PicturePoint, _ tiles: [LayoutTile], _ drawing: ReactionEngine.Setup.Drawing
    ) throws -> ReactionEngine {
        let catalog = try EffectCatalog(
            resources: Resources(assets: Repository.root.appending(path: "Assets").path))
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: Configuration(), resources: Resources(), pool: pool)
        setup.schedule = [ScheduledRequest(ScheduledReaction(reaction, at: 0.1, origin: place))]
        setup.avoidsFaces = false
        setup.drawing = drawing
        setup.layouts = tiles.isEmpty ? nil : LayoutTimeline([.init(startTime: 0, tiles: tiles)])
        return ReactionEngine(setup)
    }

    private func drawn(
        _ engine: ReactionEngine, _ frame: consuming VideoFrame, _ index: Int, _ style: ReactionStyle
    ) throws -> VideoFrame {
        var item = PipelineFrame(frame: frame, id: index, time: time(index).seconds)
        #expect(try engine.process(&item, EngineSwitches(Configuration())) { EngineRequests(style: style) })
        return item.takeFrame()
    }

    // Lasers and fireworks darken the room, rain keeps its colours, and confetti takes those of the palette.
    @Test(
        "An effect in a tile has the style, and nothing outside of the tile changes",
        arguments: [ReactionType.lasers, .fireworks, .rain, .confetti], styles)
    func onFrames(_ reaction: ReactionType, _ style: ReactionStyle) throws {
        let place = PicturePoint(x: 0.75, y: 0.5)
        let whole = try engine(reaction, at: place, [left, right], .onFrames)
        let own = try engine(reaction, at: right.placeInTile(place), [], .onFrames)
        let plain = try engine(reaction, at: right.placeInTile(place), [], .onFrames)
        var styled = 0
        for index in 0..<14 {
            let source = try VideoFrame.pattern(format, at: time(index), pool: pool)
            let region = right.region(of: source)
            let result = try drawn(whole, try source.shared(), index, style)
            let expected = try drawn(own, try source.region(region).copy(pool: pool), index, style)
            #expect(try result.region(region).checksum == expected.checksum, "frame \(index)")
            let usual = try drawn(plain, try source.region(region).copy(pool: pool), index, ReactionStyle())
            styled += usual.checksum == expected.checksum ? 0 : 1
            for (columns, rows) in [
                (0..<region.columns.lowerBound, 0..<161), (0..<301, 0..<region.rows.lowerBound),
                (region.columns.upperBound..<301, 0..<161), (0..<301, region.rows.upperBound..<161),
            ] {
                let outside = PictureRegion(columns: columns, rows: rows)
                #expect(try result.region(outside).checksum == source.region(outside).checksum)
            }
        }
        // Rain has its own colours in palettes that are not for all effects.
        let isStyled = reaction != .rain || style.isCalm || style.intensity < 1
        #expect(isStyled ? styled > 6 : styled == 0)
    }

    @Test(
        "An overlay has the effect in the tile alone, in its style",
        arguments: [ReactionType.lasers, .confetti], [ReactionStyle()] + styles)
    func alone(_ reaction: ReactionType, _ style: ReactionStyle) throws {
        let place = PicturePoint(x: 0.75, y: 0.5)
        let whole = try engine(reaction, at: place, [left, right], .alone)
        let own = try engine(reaction, at: right.placeInTile(place), [], .alone)
        let none = try engine(reaction, at: place, [left, right], .alone)
        var visible = 0
        for index in 0..<14 {
            let source = try VideoFrame.pattern(format, at: time(index), pool: pool)
            let region = right.region(of: source)
            let result = try drawn(whole, try source.shared(), index, style)
            let expected = try drawn(own, try source.region(region).copy(pool: pool), index, style)
            // Chroma of the tile's sides is mixed with that beside them, where the background is.
            let inner = PictureRegion(
                columns: region.columns.lowerBound + 2..<region.columns.upperBound - 2,
                rows: region.rows.lowerBound + 2..<region.rows.upperBound - 2)
            let innerOfOwn = PictureRegion(columns: 2..<region.width - 2, rows: 2..<region.height - 2)
            #expect(try result.region(inner).checksum == expected.region(innerOfOwn).checksum, "frame \(index)")
            // Before the effect an overlay is empty.
            let empty = index == 0 ? try drawn(none, try source.shared(), 0, style) : try emptied(result)
            let outside = PictureRegion(columns: 0..<region.columns.lowerBound - 2, rows: 0..<161)
            #expect(try result.region(outside).checksum == empty.region(outside).checksum)
            visible += try result.region(inner).checksum == empty.region(inner).checksum ? 0 : 1
        }
        #expect(visible > 8)
    }

    private func emptied(_ frame: borrowing VideoFrame) throws -> VideoFrame {
        let canvas = OverlayCanvas()
        return try canvas.emptyPicture(like: try VideoFrame.pattern(format, at: frame.time, pool: pool))
    }
}
