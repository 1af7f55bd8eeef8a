package import Raster

/// Finds the tiles of a gallery recording and their changes.
///
/// Tiles are rectangles with straight sides between gutters of one colour, that keep their places, and in which people move.
/// Whatever is in doubt is no tile: without at least two, the picture is a single one.
///
/// ```swift
/// var detector = LayoutDetector()
/// if detector.isDue(at: time), detector.update(with: picture, at: time) { print(detector.tiles) }
/// ```
package struct LayoutDetector: Sendable {
    /// A tile of the current layout.
    package struct Tile: Sendable, Hashable {
        /// Stays the same while the tile moves and grows; counts from 1.
        package var id: Int
        package var rect: TileRect

        package init(id: Int, rect: TileRect) { (self.id, self.rect) = (id, rect) }
    }

    /// A layout that was seen once.
    private struct Pending: Sendable {
        var finding: TileFinder.Finding?
        var time: Double
    }

    /// The tiles of the current layout, row after row; empty while the picture is a single one.
    package private(set) var tiles: [Tile] = []
    private var colour: FlatColour?
    private var appearances: [Int: TileAppearance] = [:]
    private var pending: Pending?
    /// The last samples, the newest at the end.
    private var history: [SparseSamples] = []
    private var lastTime: Double?
    private var nextID = 1
    private var size = (width: 0, height: 0)

    /// The time between two samples, in seconds.
    private static let interval = 0.2
    /// The number of samples in which gutters keep their colour. Two findings of so many each agree before they count.
    private static let sampleCount = 3
    /// The least agreement of two rectangles that are the same tile in two samples.
    private static let sameOverlap = 0.93
    /// The largest difference of a tile before and after it moved.
    private static let sameAppearance: Float = 16
    private static let slack = 0.004

    package init() {}

    /// Returns whether the picture at a time, in seconds, is to be sampled.
    package func isDue(at time: Double) -> Bool {
        guard let lastTime else { return true }
        return time < lastTime || time >= lastTime + Self.interval - Self.slack
    }

    /// Samples a picture, and returns whether the layout changed.
    package mutating func update(with picture: borrowing Picture, at time: Double) -> Bool {
        if let lastTime, time < lastTime || time > lastTime + 4 * Self.interval { (history, pending) = ([], nil) }
        lastTime = time
        let fresh = SparseSamples(picture)
        if let last = history.last, last.width != fresh.width || last.height != fresh.height {
            self = Self(continuing: self)
            lastTime = time
        }
        let samples = fresh.stable(since: history)
        history.append(fresh)
        guard history.count >= Self.sampleCount else { return false }
        defer { history.removeFirst() }
        let finder = TileFinder(samples)
        if let colour, let finding = finder.find(colour), isCurrent(finding.tiles) {
            refine(finding.tiles)
            return settle(samples)
        }
        let finding = finder.find()
        if isCurrent(finding?.tiles ?? []) || stillHolds(against: finding, finder) { return settle(samples) }
        return consider(finding, samples, at: time)
    }

    /// An empty detector whose identifiers do not repeat those of another one.
    private init(continuing other: LayoutDetector) { nextID = other.nextID }

    // MARK: - Agreement

    private func isCurrent(_ rects: [TileRect]) -> Bool { Self.agree(rects, tiles.map(\.rect)) }

    private static func agree(_ a: [TileRect], _ b: [TileRect]) -> Bool {
        a.count == b.count && a.allSatisfy { rect in b.contains { rect.intersectionOverUnion($0) >= sameOverlap } }
    }

    /// Takes over the smaller of two rectangles: an active-speaker frame makes a tile larger while it is drawn.
    private mutating func refine(_ rects: [TileRect]) {
        for rect in rects {
            guard
                let index = tiles.firstIndex(where: {
                    $0.rect.intersectionOverUnion(rect) >= Self.sameOverlap && $0.rect.contains(rect, tolerance: 0)
                })
            else { continue }
            tiles[index].rect = rect
        }
    }

    /// Returns whether all sides of the current tiles are still there although a finding differs: something in them has the
    /// gutter's colour.
    private func stillHolds(against finding: TileFinder.Finding?, _ finder: TileFinder) -> Bool {
        guard let colour, !tiles.isEmpty, finder.holds(tiles.map(\.rect), colour) else { return false }
        return finding?.tiles.allSatisfy { rect in
            tiles.contains { $0.rect.intersection(rect).area * 10 >= rect.area * 7 }
        } ?? true
    }

    /// Keeps the current layout.
    private mutating func settle(_ samples: SparseSamples) -> Bool {
        pending = nil
        for tile in tiles { appearances[tile.id] = TileAppearance(tile.rect, samples) }
        return false
    }

    // MARK: - Changes

    private mutating func consider(
        _ finding: TileFinder.Finding?, _ samples: SparseSamples, at time: Double
    ) -> Bool {
        guard let pending, Self.agree(pending.finding?.tiles ?? [], finding?.tiles ?? []),
            isCredible(finding, samples)
        else {
            pending = Pending(finding: finding, time: time)
            return false
        }
        adopt(finding, samples)
        self.pending = nil
        return true
    }

    /// Returns whether people move in enough tiles.
    private func isCredible(_ finding: TileFinder.Finding?, _ samples: SparseSamples) -> Bool {
        guard let finding else { return true }
        let live = finding.tiles.indices.filter { samples.changedShare(in: finding.tiles[$0]) >= Self.liveShare }
        if live.count >= 2 { return true }
        guard let only = live.first else { return false }
        // One person among avatars: the tiles are alike.
        let rect = finding.tiles[only]
        return finding.tiles.indices.contains {
            $0 != only && abs(finding.tiles[$0].width - rect.width) * 50 <= rect.width
                && abs(finding.tiles[$0].height - rect.height) * 50 <= rect.height
        }
    }

    /// The least share of a tile's samples that change while a person is shown: noise of a camera and slight movement reach
    /// it in less than half a second; a picture that is encoded again does not.
    private static let liveShare = 0.004

    /// Replaces the layout. Tiles that are recognised keep their identifiers.
    private mutating func adopt(_ finding: TileFinder.Finding?, _ samples: SparseSamples) {
        colour = finding?.colour
        let looks = finding?.tiles.map { TileAppearance($0, samples) } ?? []
        var pairs: [(distance: Float, old: Int, new: Int)] = []
        for tile in tiles {
            guard let before = appearances[tile.id] else { continue }
            for (index, look) in looks.enumerated() {
                let isSamePlace = finding?.tiles[index].intersectionOverUnion(tile.rect) ?? 0 >= 0.6
                let distance = before.distance(to: look)
                if distance <= (isSamePlace ? 2 : 1) * Self.sameAppearance { pairs.append((distance, tile.id, index)) }
            }
        }
        var ids = [Int?](repeating: nil, count: looks.count)
        for pair in pairs.sorted(by: { ($0.distance, $0.old) < ($1.distance, $1.old) })
        where ids[pair.new] == nil && !ids.contains(pair.old) {
            ids[pair.new] = pair.old
        }
        tiles = []
        appearances = [:]
        for (index, rect) in (finding?.tiles ?? []).enumerated() {
            let id = ids[index] ?? nextID
            if ids[index] == nil { nextID += 1 }
            tiles.append(Tile(id: id, rect: rect))
            appearances[id] = looks[index]
        }
    }
}
