import MediaIO
import Reactions
import Vision

/// The layouts of one segment of a recording. Their tile numbers apply only in this segment.
struct ScannedLayouts: Sendable {
    /// The time of the first frame, and of the last one.
    private(set) var start: Double?
    private(set) var end = 0.0
    private(set) var layouts: [LayoutTimeline.Layout] = []
    /// The appearance of the tiles at the first layout, and at the last sample.
    private var firstKnown: TileMemory?, lastKnown = TileMemory()

    /// The maximum time until the detector finds a layout, in seconds from the first frame.
    private static let patience = 1.0
    /// The minimum intersection over union at which two rectangles are the same tile.
    private static let sameOverlap = 0.8

    /// Extends the segment to a time. If tiles were sampled at this time, their appearance is recorded.
    mutating func pass(_ time: Double, _ known: TileMemory? = nil) {
        if let known { lastKnown = known }
        start = min(start ?? time, time)
        end = max(end, time)
    }

    /// Records the tiles from a time on, which may be earlier than the last frame.
    mutating func add(_ tiles: [LayoutTile], at time: Double) {
        if layouts.isEmpty { firstKnown = lastKnown }
        let earliest = max(start ?? time, layouts.last?.startTime ?? time)
        layouts.append(LayoutTimeline.Layout(startTime: max(time, earliest), tiles: tiles))
    }

    /// Returns whether two layouts have the same tiles, whatever their numbers.
    private static func isSame(_ a: [LayoutTile], _ b: [LayoutTile]) -> Bool {
        a.count == b.count && !a.isEmpty
            && a.allSatisfy { tile in b.contains { $0.intersectionOverUnion(tile) >= sameOverlap } }
    }

    /// Returns, for each tile of the first layout, its number in the whole recording. New tiles are omitted.
    ///
    /// - Parameters:
    ///   - current: The tiles at the end of the previous segment.
    ///   - known: The appearances of these tiles, and of tiles that disappeared shortly before.
    private func numbers(after current: [LayoutTile], _ known: TileMemory) -> [Int: Int] {
        guard let first = layouts.first else { return [:] }
        var ids: [Int: Int] = [:]
        if Self.isSame(first.tiles, current) {
            for tile in first.tiles {
                ids[tile.id] = current.first { $0.intersectionOverUnion(tile) >= Self.sameOverlap }?.id
            }
        } else if let firstKnown {
            ids = known.identifiers(of: first.tiles.map(\.id), in: firstKnown, at: first.startTime)
        }
        // A tile whose appearance is unknown is recognised by its place.
        for tile in first.tiles where ids[tile.id] == nil {
            let place = current.first { $0.intersectionOverUnion(tile) >= Self.sameOverlap }
            if let place, !ids.values.contains(place.id) { ids[tile.id] = place.id }
        }
        return ids
    }

    /// Joins the layouts of a recording's segments, given in any order. Tiles get numbers that apply to the whole
    /// recording.
    static func joined(_ segments: [ScannedLayouts]) -> LayoutTimeline {
        var joined: [LayoutTimeline.Layout] = []
        var current: [LayoutTile] = []
        var known = TileMemory()
        var nextID = 1
        for segment in segments.sorted(by: { ($0.start ?? 0) < ($1.start ?? 0) }) {
            guard let start = segment.start else { continue }
            var layouts = segment.layouts
            var ids = segment.numbers(after: current, known)
            // The detector reports only changes, so a segment that begins without tiles has no layout at its beginning.
            let isLate = layouts.first.map { $0.startTime > start + patience } ?? (segment.end > start + patience)
            let goesOn = layouts.first.map { isSame($0.tiles, current) } ?? false
            if isLate, !goesOn {
                layouts.insert(LayoutTimeline.Layout(startTime: start + patience, tiles: []), at: 0)
            }
            for var layout in layouts {
                for index in layout.tiles.indices {
                    let tile = layout.tiles[index]
                    let id = ids[tile.id] ?? nextID
                    if ids[tile.id] == nil { nextID += 1 }
                    ids[tile.id] = id
                    layout.tiles[index].id = id
                }
                let isUnchanged =
                    layout.tiles.count == current.count
                    && layout.tiles.allSatisfy { tile in
                        current.contains { $0.id == tile.id && $0.intersectionOverUnion(tile) >= 0.98 }
                    }
                if isUnchanged { continue }
                current = layout.tiles
                joined.append(layout)
            }
            known = segment.lastKnown.renumbered(ids)
        }
        return LayoutTimeline(joined)
    }
}
