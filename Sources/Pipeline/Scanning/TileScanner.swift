import HandPose
import MediaIO
import Reactions

/// Scans a segment of a recording for candidates in each tile, as in a separate video.
///
/// Used by one thread at a time.
struct TileScanner {
    private struct Tile {
        let tile: LayoutTile
        var scanner: CoarseScanner
    }

    private let analyser: HandAnalyser
    private var layout: LayoutFollower
    private var whole: CoarseScanner
    private var tiles: [Tile] = []
    private(set) var intervals = CandidateIntervals()
    private(set) var layouts = ScannedLayouts()

    /// A Boolean value that indicates whether pictures are so dark that hand detection needs the codec's loop filter.
    var needsLoopFilter: Bool {
        tiles.isEmpty ? whole.needsLoopFilter : tiles.contains { $0.scanner.needsLoopFilter }
    }

    init(_ analyser: HandAnalyser, layout: LayoutChoice) {
        self.analyser = analyser
        self.layout = LayoutFollower(layout)
        whole = CoarseScanner(analyser)
    }

    /// Analyses a frame, if it is due and worth an inference.
    /// - Throws: `InferenceError`.
    mutating func add(_ frame: borrowing VideoFrame, at time: Double) throws {
        layouts.pass(time)
        if layout.follow(frame, at: time) {
            layouts.add(layout.tiles, at: time)
            tiles = layout.tiles.map {
                Tile(tile: $0, scanner: CoarseScanner(HandAnalyser(sharingModelsOf: analyser)))
            }
            if tiles.isEmpty { whole = CoarseScanner(analyser) }
        }
        if tiles.isEmpty {
            if let places = try whole.candidates(in: frame, time: time) { intervals.add(time, places: places) }
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
                })
        }
    }
}

/// The layouts of a segment of a recording, with numbers of tiles that hold in the segment alone.
struct ScannedLayouts: Sendable {
    /// The time of the first frame, and of the last one.
    private(set) var start: Double?
    private(set) var end = 0.0
    private(set) var layouts: [LayoutTimeline.Layout] = []

    /// The time by which a layout would have been found, in seconds from the first frame.
    private static let maximumDelay = 1.0
    /// The minimum agreement of two rectangles that are the same tile.
    private static let sameOverlap = 0.8

    /// Records that the segment reaches a time.
    mutating func pass(_ time: Double) {
        start = min(start ?? time, time)
        end = max(end, time)
    }

    /// Records the tiles from a time on.
    mutating func add(_ tiles: [LayoutTile], at time: Double) {
        layouts.append(LayoutTimeline.Layout(startTime: time, tiles: tiles))
    }

    /// Returns whether two layouts have the same tiles, whatever their numbers.
    private static func isSame(_ a: [LayoutTile], _ b: [LayoutTile]) -> Bool {
        a.count == b.count && !a.isEmpty
            && a.allSatisfy { tile in b.contains { $0.intersectionOverUnion(tile) >= sameOverlap } }
    }

    /// Joins the segments of a recording, in any order: the numbers of their tiles become those of the whole.
    static func joined(_ segments: [ScannedLayouts]) -> LayoutTimeline {
        var joined: [LayoutTimeline.Layout] = []
        var current: [LayoutTile] = []
        var nextID = 1
        for segment in segments.sorted(by: { ($0.start ?? 0) < ($1.start ?? 0) }) {
            guard let start = segment.start else { continue }
            var ids: [Int: Int] = [:]
            var isFirst = true
            var layouts = segment.layouts
            // A picture without tiles emits no change.
            let isLate =
                layouts.first.map { $0.startTime > start + maximumDelay } ?? (segment.end > start + maximumDelay)
            let goesOn = layouts.first.map { isSame($0.tiles, current) } ?? false
            if isLate, !goesOn {
                layouts.insert(LayoutTimeline.Layout(startTime: start + maximumDelay, tiles: []), at: 0)
            }
            for var layout in layouts {
                for index in layout.tiles.indices {
                    let tile = layout.tiles[index]
                    let known =
                        ids[tile.id]
                        ?? (isFirst
                            ? current.first { $0.intersectionOverUnion(tile) >= sameOverlap }?.id : nil)
                    let id = known ?? nextID
                    if known == nil { nextID += 1 }
                    ids[tile.id] = id
                    layout.tiles[index].id = id
                }
                isFirst = false
                let isUnchanged =
                    layout.tiles.count == current.count
                    && layout.tiles.allSatisfy { tile in
                        current.contains { $0.id == tile.id && $0.intersectionOverUnion(tile) >= 0.98 }
                    }
                if isUnchanged { continue }
                current = layout.tiles
                joined.append(layout)
            }
        }
        return LayoutTimeline(joined)
    }
}

extension LayoutTile {
    /// Returns the area of the intersection divided by the area of the union, 0…1.
    func intersectionOverUnion(_ other: LayoutTile) -> Double {
        let w = min(x + width, other.x + other.width) - max(x, other.x)
        let h = min(y + height, other.y + other.height) - max(y, other.y)
        guard w > 0, h > 0 else { return 0 }
        return w * h / (width * height + other.width * other.height - w * h)
    }
}
