/// The comparison of one layout with the program's, a second after its start.
struct LayoutScore: Encodable, Sendable {
    var composite: String
    var kind: String
    var from: Double
    var until: Double
    var tiles: Int
    /// Tiles found with an overlap of at least ``minimumOverlap``.
    var found: Int
    /// The same just before the layout ends.
    var foundAtEnd: Int
    /// Tiles of the program that match none, a second after the start.
    var extra: Int
    /// The mean overlap of all true tiles with the program's nearest.
    var overlap: Double
    /// Changes of the layout, more than a second after its start, that the composite does not have.
    var strayChanges: Int

    static let minimumOverlap = 0.9
    /// Seconds in which a layout must be found.
    static let delay = 1.0

    var isExact: Bool { found == tiles && extra == 0 }

    init(_ layout: GalleryTruth.Layout, of truth: GalleryTruth, _ events: GalleryEvents) {
        let expected = layout.tiles.map { GalleryEvents.Tile($0, of: truth) }
        let checked = layout.from + Self.delay
        let actual = events.tiles(at: checked)
        composite = truth.video
        kind = truth.kind
        from = layout.from
        until = layout.until
        tiles = expected.count
        let pairs = Self.pairs(expected, actual)
        found = pairs.count
        extra = actual.count - pairs.count
        foundAtEnd = Self.pairs(expected, events.tiles(at: layout.until - 0.05)).count
        overlap =
            expected.isEmpty
            ? 0
            : expected.map { tile in actual.map { tile.overlap(with: $0) }.max() ?? 0 }.reduce(0, +)
                / Double(expected.count)
        strayChanges = events.changes.count { $0.time > checked && $0.time < layout.until - 1e-3 }
    }

    /// Pairs tiles that overlap enough, those that overlap most first.
    private static func pairs(
        _ expected: [GalleryEvents.Tile], _ actual: [GalleryEvents.Tile]
    ) -> [(expected: Int, actual: Int)] {
        let candidates = expected.indices.flatMap { first in
            actual.indices.map { (first, $0, expected[first].overlap(with: actual[$0])) }
        }.filter { $0.2 >= minimumOverlap }.sorted { $0.2 > $1.2 }
        var pairs: [(expected: Int, actual: Int)] = []
        for (first, second, _) in candidates
        where !pairs.contains(where: { $0.expected == first || $0.actual == second }) {
            pairs.append((first, second))
        }
        return pairs
    }
}

/// A gesture that is held in a tile, and its recognition in the composite and alone.
struct TileGestureScore: Encodable, Sendable {
    var composite: String
    var kind: String
    var tile: Int
    var width: Int
    var height: Int
    var source: String
    var label: String
    var from: Double
    var until: Double
    var isFound: Bool
    var isFoundAlone: Bool
}

/// A gesture that was recognised where none is held.
struct TileFalseTrigger: Encodable, Sendable {
    var composite: String
    var kind: String
    var gesture: String
    var time: Double
    /// The participant whose tile contains it, if any.
    var tile: Int?
    var source: String?
}

/// The results of one composite.
struct GalleryScore: Encodable, Sendable {
    var composite: String
    var kind: String
    var seconds: Double
    var cpu: Double
    var layouts: [LayoutScore]
    var gestures: [TileGestureScore]
    var falseTriggers: [TileFalseTrigger]
    /// Hours of all tiles in which a camera is on.
    var tileHours: Double

    /// - Parameter alone: the runs over the clips alone, in the order of the truth's gestures.
    init(_ truth: GalleryTruth, _ events: GalleryEvents, alone: [GalleryEvents]) {
        composite = truth.video
        kind = truth.kind
        seconds = truth.seconds
        cpu = events.cpu
        layouts = truth.layouts.map { LayoutScore($0, of: truth, events) }
        let held = truth.heldGestures
        var explained: Set<Int> = []
        gestures = zip(held, alone).map { item, alone in
            let matching = events.gestures.enumerated().filter {
                item.gesture.matches($0.element) && truth.tile(of: $0.element)?.id == item.tile.id
            }
            explained.formUnion(matching.map(\.offset))
            return TileGestureScore(
                composite: truth.video, kind: truth.kind, tile: item.tile.id, width: item.tile.width,
                height: item.tile.height, source: item.tile.source, label: item.gesture.label, from: item.gesture.from,
                until: item.gesture.until, isFound: !matching.isEmpty,
                isFoundAlone: alone.gestures.contains { item.gesture.matches($0, from: item.gesture.shownFrom) })
        }
        falseTriggers = events.gestures.enumerated().filter { !explained.contains($0.offset) }.map { _, event in
            let tile = truth.tile(of: event)
            return TileFalseTrigger(
                composite: truth.video, kind: truth.kind, gesture: event.gesture ?? "", time: event.time,
                tile: tile?.id,
                source: tile?.source)
        }
        tileHours =
            truth.layouts.flatMap { layout in
                layout.tiles.filter { $0.kind == .person }.map {
                    $0.gesture.map { $0.shownUntil - $0.shownFrom } ?? layout.until - layout.from
                }
            }.reduce(0, +) / 3600
    }
}

extension GalleryTruth {
    /// The gestures with their tiles, by time.
    var heldGestures: [(tile: Tile, gesture: Gesture)] {
        layouts.flatMap { layout in layout.tiles.compactMap { tile in tile.gesture.map { (tile, $0) } } }
    }

    /// Returns the tile in which a gesture was recognised: by the event's tile, or its place where it has none.
    func tile(of event: GalleryEvents.Line) -> Tile? {
        let layout = layouts.last { $0.from <= event.time } ?? layouts[0]
        let tiles = layout.tiles.map { (tile: $0, place: GalleryEvents.Tile($0, of: self)) }
        if let actual = event.tile {
            let nearest = tiles.max { $0.place.overlap(with: actual) < $1.place.overlap(with: actual) }
            return nearest.flatMap { $0.place.overlap(with: actual) >= 0.5 ? $0.tile : nil }
        }
        return tiles.first { tile in event.origin.map { tile.place.contains($0) } ?? false }?.tile
    }
}
