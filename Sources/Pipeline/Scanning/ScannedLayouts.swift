import HandPose
import MediaIO
import Reactions

/// The layouts of a segment of a recording. The numbers of their tiles are valid only in that segment.
struct ScannedLayouts: Sendable {
    /// The time of the first frame, and of the last one.
    private(set) var start: Double?
    private(set) var end = 0.0
    private(set) var layouts: [LayoutTimeline.Layout] = []

    /// The time, in seconds from the first frame, within which a layout would have been found.
    private static let maximumDelay = 1.0
    /// The minimum agreement of two rectangles that are the same tile.
    private static let sameOverlap = 0.8

    /// Records that the segment extends to a time.
    mutating func pass(_ time: Double) {
        start = min(start ?? time, time)
        end = max(end, time)
    }

    /// Records the tiles from a time on.
    mutating func add(_ tiles: [LayoutTile], at time: Double) {
        layouts.append(LayoutTimeline.Layout(startTime: time, tiles: tiles))
    }

    /// Returns whether two layouts have the same tiles, regardless of their numbers.
    private static func isSame(_ a: [LayoutTile], _ b: [LayoutTile]) -> Bool {
        a.count == b.count && !a.isEmpty
            && a.allSatisfy { tile in b.contains { $0.intersectionOverUnion(tile) >= sameOverlap } }
    }

    /// Joins the segments of a recording in any order. The numbers of their tiles become numbers of the whole
    /// recording.
    static func joined(_ segments: [ScannedLayouts]) -> LayoutTimeline {
        var joined: [LayoutTimeline.Layout] = []
        var current: [LayoutTile] = []
        var nextID = 1
        for segment in segments.sorted(by: { ($0.start ?? 0) < ($1.start ?? 0) }) {
            guard let start = segment.start else { continue }
            var ids: [Int: Int] = [:]
            var isFirst = true
            var layouts = segment.layouts
            // A picture without tiles does not cause a change.
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
