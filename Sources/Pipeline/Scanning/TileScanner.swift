import MediaIO
import Raster
import Reactions
import Vision

/// Scans a segment of a recording for candidates in each tile, as if each tile were a separate video.
/// ``SegmentScanner`` creates one for each segment.
///
/// Used by one thread at a time.
struct TileScanner {
    private struct Tile {
        var tile: LayoutTile
        var scanner: CoarseScanner
    }

    private let analyser: HandAnalyser
    private var layout: LayoutFollower
    private var whole: CoarseScanner
    private var tiles: [Tile] = []
    private(set) var intervals = CandidateIntervals()
    private(set) var layouts = ScannedLayouts()

    /// True if pictures are so dark that hand detection needs the codec's loop filter.
    var needsLoopFilter: Bool {
        tiles.isEmpty ? whole.needsLoopFilter : tiles.contains { $0.scanner.needsLoopFilter }
    }

    init(_ analyser: HandAnalyser, layout: LayoutChoice) {
        self.analyser = analyser
        self.layout = LayoutFollower(layout)
        whole = CoarseScanner(analyser)
    }

    /// Analyses a frame if it is due, and an inference is worthwhile.
    /// - Throws: `InferenceError`.
    mutating func add(_ frame: borrowing VideoFrame, at time: Double) throws {
        let isSampled = layout.isDue(at: time)
        let isChanged = layout.follow(frame, at: time)
        layouts.pass(time, isSampled ? layout.known : nil)
        if isChanged {
            layouts.add(layout.tiles, at: layout.shownSince)
            tiles = layout.tiles.map { tile in
                if var corrected = tiles.first(where: { tile.isCorrection(of: $0.tile) }) {
                    corrected.tile = tile
                    return corrected
                }
                return Tile(tile: tile, scanner: CoarseScanner(HandAnalyser(sharingModelsOf: analyser)))
            }
            if tiles.isEmpty { whole = CoarseScanner(analyser) }
        }
        if tiles.isEmpty {
            // Tiles may not be known yet, so each hand belongs to the part of the picture that it covers.
            for place in try whole.candidates(in: frame, time: time) ?? [] {
                intervals.add(time, places: [place], in: place.bounds(in: frame.geometry))
            }
            return
        }
        for index in tiles.indices where tiles[index].scanner.isDue(at: time) {
            let tile = tiles[index].tile
            let part = try frame.picture(of: tile)
            guard let places = try tiles[index].scanner.candidates(in: part, time: time) else { continue }
            let offset = tile.offset(in: frame)
            intervals.add(
                time,
                places: places.map { place in
                    var moved = place
                    (moved.centreX, moved.centreY) = (place.centreX + offset.x, place.centreY + offset.y)
                    return moved
                }, in: tile.rectangle)
        }
    }
}

extension HandRegion {
    /// Returns the square without its rotation, in fractions of the upright picture.
    fileprivate func bounds(in geometry: DisplayGeometry) -> Rectangle {
        let (width, height) = (geometry.uprightWidth, geometry.uprightHeight)
        return Rectangle(
            left: (centreX - side / 2) / width, top: (centreY - side / 2) / height,
            right: (centreX + side / 2) / width, bottom: (centreY + side / 2) / height)
    }
}
