package import Raster

/// Finds the tiles of a gallery recording and their changes.
///
/// Tiles are rectangles between gutters of one colour. They have straight sides, keep their places, and show people who
/// move. The layout is a single picture in case of doubt, and if fewer than two tiles are found.
package struct LayoutDetector: Sendable {
    /// A tile of the current layout.
    package struct Tile: Sendable, Hashable {
        /// The identifier, which stays the same while the tile moves and grows; counts from 1.
        package var id: Int
        package var rect: TileRect

        package init(id: Int, rect: TileRect) { (self.id, self.rect) = (id, rect) }
    }

    /// A layout that one finding showed, and that a second one must confirm.
    private struct Pending: Sendable {
        var finding: TileFinder.Finding?
    }

    /// The tiles of the current layout, row after row; empty while the picture is a single one.
    package private(set) var tiles: [Tile] = []
    /// The colour of the gutters of the current layout.
    private var tone: GutterTone?
    private var appearances: [Int: Known] = [:]
    private var pending: Pending?
    /// The score of the finding that showed the current layout.
    private var score = 0
    /// The time of the first sample since which findings differ from the current layout; `nil` while both agree.
    /// Samples before it may show another layout.
    private var changedSince: Double? = -Double.infinity
    /// The last samples, the newest at the end.
    private var history: [SparseSamples] = []
    /// Memory of earlier samples, flags and masks: it is large, and slow to allocate.
    private var spare: SparseSamples?
    private var flags = SparseSamples.StableFlags()
    private var memory = MaskMemory()
    private var lastTime: Double?
    private var nextID = 1
    private var size = (width: 0, height: 0)

    /// The time between two samples, in seconds.
    private static let interval = 0.2
    /// The number of samples over which gutters keep their colour. Two findings, each from this number of samples, must
    /// agree.
    private static let sampleCount = 3
    /// The minimum agreement of two rectangles that are the same tile in two samples.
    private static let sameOverlap = 0.93
    /// The maximum difference of a tile before and after it moved.
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
        if let lastTime, time < lastTime || time > lastTime + 4 * Self.interval {
            (history, pending, changedSince) = ([], nil, nil)
        }
        lastTime = time
        let fresh = SparseSamples(picture, reusing: spare.take())
        var lostTiles = false
        if let last = history.last, last.width != fresh.width || last.height != fresh.height {
            lostTiles = !tiles.isEmpty
            self = Self(continuing: self)
            lastTime = time
        }
        let samples = fresh.stable(since: history, reusing: &flags)
        flags = SparseSamples.StableFlags(of: samples)
        history.append(fresh)
        guard history.count >= Self.sampleCount else { return lostTiles }
        defer { spare = history.removeFirst() }
        var finder = TileFinder(samples, memory: memory)
        memory = MaskMemory()
        defer { memory = finder.memory }
        if let tone, let finding = finder.find(tone), isCurrent(finding.tiles) {
            refine(finding.tiles)
            return settle(samples, at: time)
        }
        let finding = finder.find()
        if isCurrent(finding?.tiles ?? []) { return settle(samples, at: time) }
        if stillHolds(against: finding, &finder) {
            // The content may already belong to another layout.
            (pending, changedSince) = (nil, nil)
            for tile in tiles { appearances[tile.id]?.time = time }
            return false
        }
        return consider(finding, samples, at: time)
    }

    /// A tile as it was shown last.
    private struct Known: Sendable {
        var appearance: TileAppearance
        var rect: TileRect
        var time: Double
    }

    /// Creates an empty detector whose identifiers do not repeat the other detector's.
    private init(continuing other: LayoutDetector) { nextID = other.nextID }

    // MARK: - Agreement

    private func isCurrent(_ rects: [TileRect]) -> Bool { Self.agree(rects, tiles.map(\.rect)) }

    private static func agree(_ a: [TileRect], _ b: [TileRect]) -> Bool {
        a.count == b.count && matches(a, b) == a.count
    }

    /// Returns the number of rectangles that two layouts have in common.
    private static func matches(_ a: [TileRect], _ b: [TileRect]) -> Int {
        a.count { rect in b.contains { rect.intersectionOverUnion($0) >= sameOverlap } }
    }

    /// Returns whether two findings show the same layout. One of them may lack some tiles of a large gallery, whose gutters are
    /// thin.
    private static func areSimilar(_ a: [TileRect], _ b: [TileRect]) -> Bool {
        if agree(a, b) { return true }
        let maximum = max(a.count, b.count)
        return maximum >= minimumMatchCount && matches(a, b) * 4 >= maximum * 3
    }

    /// The minimum number of tiles at which two findings may differ in some of them.
    private static let minimumMatchCount = 8

    /// Replaces rectangles of the current layout by smaller ones: an active-speaker frame makes a tile larger while it is
    /// drawn.
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

    /// Returns whether all sides of the current tiles are still visible although a finding differs. The reason is then
    /// content of the gutter's colour inside tiles.
    private func stillHolds(against finding: TileFinder.Finding?, _ finder: inout TileFinder) -> Bool {
        guard let tone, !tiles.isEmpty, finding?.score ?? 0 <= score, finder.holds(tiles.map(\.rect), tone) else {
            return false
        }
        return finding?.tiles.allSatisfy { rect in
            tiles.contains { $0.rect.intersection(rect).area * 10 >= rect.area * 7 }
        } ?? true
    }

    /// Keeps the current layout.
    private mutating func settle(_ samples: SparseSamples, at time: Double) -> Bool {
        (pending, changedSince) = (nil, nil)
        for tile in tiles {
            appearances[tile.id] = Known(appearance: TileAppearance(tile.rect, samples), rect: tile.rect, time: time)
        }
        return false
    }

    // MARK: - Changes

    private mutating func consider(
        _ finding: TileFinder.Finding?, _ samples: SparseSamples, at time: Double
    ) -> Bool {
        let since = changedSince ?? time
        changedSince = since
        defer { if changedSince != nil { pending = Pending(finding: finding) } }
        guard let pending, Self.areSimilar(pending.finding?.tiles ?? [], finding?.tiles ?? []),
            time - since >= Double(Self.sampleCount - 1) * Self.interval - Self.slack,
            isCredible(finding, samples)
        else { return false }
        let isBetter = pending.finding?.score ?? 0 > finding?.score ?? 0
        adopt(isBetter ? pending.finding : finding, samples, at: time)
        (self.pending, changedSince) = (nil, nil)
        return true
    }

    /// Returns whether people move in enough tiles.
    private func isCredible(_ finding: TileFinder.Finding?, _ samples: SparseSamples) -> Bool {
        guard let finding else { return true }
        let live = finding.tiles.indices.filter { samples.changedShare(in: finding.tiles[$0]) >= Self.liveShare }
        if live.count >= 2 || isRegular(finding) || isContinuation(finding) { return true }
        guard let only = live.first else { return false }
        // One person among avatars: the tiles have four sharp sides each, or the same size.
        let rect = finding.tiles[only]
        if finding.weakest >= 0.85, finding.score >= 4 * finding.tiles.count { return true }
        return finding.tiles.indices.contains { $0 != only && finding.tiles[$0].isAlike(rect) }
    }

    /// Returns whether all tiles have only sharp sides, as the tiles of people without cameras have. There must be two
    /// of equal size, or three.
    private func isRegular(_ finding: TileFinder.Finding) -> Bool {
        guard let first = finding.tiles.first, finding.weakest >= 0.95 else { return false }
        return finding.tiles.count >= 3 || finding.tiles.allSatisfy { $0.isAlike(first) }
    }

    /// Returns whether sharp tiles replace other tiles, or some tiles with gutters of the same colour.
    private func isContinuation(_ finding: TileFinder.Finding) -> Bool {
        guard let tone else { return false }
        let isSameColour = tone.colour.distance(to: finding.tone.colour) <= GutterTone.flatLuma
        return finding.weakest >= (isSameColour ? TileCandidate.sharpness : 0.95)
    }

    /// The minimum share of a tile's samples that change while a person is shown. Camera noise and slight movement
    /// exceed it in less than half a second; a picture that is encoded again does not.
    private static let liveShare = 0.004

    /// The time for which a tile that disappeared is recognised again, in seconds.
    private static let memorySpan = 5.0

    /// Replaces the layout. Tiles that are recognised keep their identifiers.
    private mutating func adopt(_ finding: TileFinder.Finding?, _ samples: SparseSamples, at time: Double) {
        tone = finding?.tone
        score = finding?.score ?? 0
        let fresh = finding?.tiles.map { TileAppearance($0, samples) } ?? []
        var pairs: [(distance: Float, old: Int, new: Int)] = []
        appearances = appearances.filter { time - $0.value.time <= Self.memorySpan && $0.value.time <= time }
        for (id, known) in appearances {
            for (index, appearance) in fresh.enumerated() {
                let isSamePlace = finding?.tiles[index].intersectionOverUnion(known.rect) ?? 0 >= 0.6
                let distance = known.appearance.distance(to: appearance)
                if distance <= (isSamePlace ? 2 : 1) * Self.sameAppearance { pairs.append((distance, id, index)) }
            }
        }
        var ids = [Int?](repeating: nil, count: fresh.count)
        for pair in pairs.sorted(by: { ($0.distance, $0.old, $0.new) < ($1.distance, $1.old, $1.new) })
        where ids[pair.new] == nil && !ids.contains(pair.old) {
            ids[pair.new] = pair.old
        }
        let former = tiles
        tiles = []
        for (index, rect) in (finding?.tiles ?? []).enumerated() {
            let id = ids[index] ?? nextID
            if ids[index] == nil { nextID += 1 }
            // A tile that remains keeps its exact sides.
            let kept = former.first { $0.id == id }?.rect
            let isSame = kept.map { $0.intersectionOverUnion(rect) >= Self.sameOverlap } ?? false
            tiles.append(Tile(id: id, rect: isSame ? kept ?? rect : rect))
            appearances[id] = Known(appearance: fresh[index], rect: rect, time: time)
        }
    }
}

extension TileRect {
    /// Returns whether another tile has the same size but for an active-speaker frame.
    fileprivate func isAlike(_ other: TileRect) -> Bool {
        abs(width - other.width) * 50 <= max(width, 150) && abs(height - other.height) * 50 <= max(height, 150)
    }
}
