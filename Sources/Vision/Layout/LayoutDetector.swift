package import Raster

/// Finds the tiles of a recorded video conference in gallery view (one tile for each participant), and their changes. A
/// value that keeps the last samples of the picture; used by one thread at a time. `LayoutFollower` of Frames owns it.
///
/// Tiles are rectangles with straight sides between gutters of one colour, that keep their places, and in which people
/// move. In case of doubt, or with fewer than two tiles, the picture counts as a single one, without tiles.
package struct LayoutDetector: Sendable {
    /// A tile of the current layout.
    package struct Tile: Sendable, Hashable {
        /// The tile's number, counted from 1, which stays the same while the tile moves and grows.
        package var id: Int
        package var rect: PictureRegion

        package init(id: Int, rect: PictureRegion) { (self.id, self.rect) = (id, rect) }
    }

    /// A layout that was found once, and must be found again before it is adopted; `nil` for a single picture.
    private struct Pending: Sendable {
        var finding: TileFinder.Finding?
        /// The time of the first of the consecutive findings that agree.
        var since: Double
    }

    /// The tiles of the current layout, row after row; empty while the picture is a single one.
    package private(set) var tiles: [Tile] = []
    /// The time of the first sample that shows the current layout, in seconds. It is before the time at which the layout
    /// was certain.
    package private(set) var shownSince = -Double.infinity
    /// The colour of the gutters of the current layout.
    private var tone: GutterTone?
    /// The tiles as they were shown last, by which they keep their numbers when they move or return.
    package private(set) var known = TileMemory()
    private var pending: Pending?
    /// The time of the first sample whose finding differs from the current layout; `nil` while findings agree with it.
    /// Earlier samples may show another layout.
    private var changedSince: Double? = -Double.infinity
    /// The last samples of the picture, the newest at the end.
    private var history: [SparseSamples] = []
    /// Memory of earlier samples, flags and masks for reuse, because it is large and slow to allocate.
    private var spare: SparseSamples?
    private var flags = SparseSamples.StableFlags()
    private var memory = MaskMemory()
    private var lastTime: Double?
    private var nextID = 1
    private var size = (width: 0, height: 0)

    /// The time between two samples, in seconds.
    private static let interval = 0.2
    /// The number of consecutive samples that a finding needs, over which gutters must keep their colour. A new layout
    /// needs two such findings that agree.
    private static let sampleCount = 3
    /// The minimum intersection over union of two rectangles that are the same tile in two samples.
    private static let sameOverlap = 0.93
    /// The tolerance of times, in seconds.
    private static let slack = 0.004

    package init() {}

    /// Returns whether the picture at a time, in seconds, is to be sampled.
    package func isDue(at time: Double) -> Bool {
        guard let lastTime else { return true }
        return time < lastTime || time >= lastTime + Self.interval - Self.slack
    }

    /// Samples a picture at a time in seconds, and returns whether the layout changed. Called when ``isDue(at:)`` is
    /// true.
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
            (lastTime, shownSince) = (time, time)
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
            let isCorrected = correct(finding)
            if isCorrected { shownSince = time }
            settle(samples, at: time)
            return isCorrected
        }
        let finding = finder.find()
        if isCurrent(finding?.tiles ?? []) {
            settle(samples, at: time)
            return false
        }
        if stillHolds(against: finding, &finder, at: time) {
            // The tiles stay, but their content may already belong to another layout, so their appearance is not
            // recorded.
            pending = nil
            changedSince = changedSince ?? time
            for tile in tiles { known.touch(tile.id, at: time) }
            return false
        }
        return consider(finding, samples, &finder, at: time)
    }

    /// Creates an empty detector whose identifiers do not repeat the other detector's.
    private init(continuing other: LayoutDetector) { nextID = other.nextID }

    // MARK: - Agreement

    private func isCurrent(_ rects: [PictureRegion]) -> Bool { Self.agree(rects, tiles.map(\.rect)) }

    private static func agree(_ a: [PictureRegion], _ b: [PictureRegion]) -> Bool {
        a.count == b.count && matches(a, b) == a.count
    }

    /// Returns the number of rectangles that two layouts have in common.
    private static func matches(_ a: [PictureRegion], _ b: [PictureRegion]) -> Int {
        a.count { rect in
            b.contains {
                rect.intersectionOverUnion($0) >= sameOverlap || rect.isFramed(by: $0) || $0.isFramed(by: rect)
            }
        }
    }

    /// Returns whether two findings show the same layout. One of them may lack gutters that are covered, or some tiles
    /// of a large gallery, whose gutters are thin.
    private static func areSimilar(_ a: [PictureRegion], _ b: [PictureRegion]) -> Bool {
        if agree(a, b) { return true }
        let (fine, coarse) = a.count >= b.count ? (a, b) : (b, a)
        let isJoined = coarse.allSatisfy { rect in
            fine.contains { $0.intersectionOverUnion(rect) >= sameOverlap }
                || fine.reduce(0) { $0 + $1.intersection(rect).area } * 10 >= rect.area * 8
        }
        let maximum = fine.count
        if isJoined, matches(coarse, fine) >= 2 { return true }
        return maximum >= minimumMatchCount && matches(a, b) * 4 >= maximum * 3
    }

    /// The minimum number of tiles at which two findings may differ in some of them.
    private static let minimumMatchCount = 4

    /// Corrects tiles that were found while an active speaker's frame was drawn on them, or around them.
    ///
    /// - Returns: Whether a tile changed.
    private mutating func correct(_ finding: TileFinder.Finding) -> Bool {
        guard !finding.usesFrame else { return false }
        var changed = false
        for rect in finding.tiles {
            guard let index = tiles.firstIndex(where: { rect.isFramed(by: $0.rect) || $0.rect.isFramed(by: rect) })
            else {
                continue
            }
            tiles[index].rect = rect
            changed = true
        }
        return changed
    }

    /// The shares of the current tiles' sides that must still be visible for a different finding to count as wrong.
    /// From `standing` on it is wrong in any case. From `mostlyStanding` on it is wrong if it fits the current tiles,
    /// and from `partlyStanding` on if it also has lasted for less than ``patience``.
    private static let (standing, mostlyStanding, partlyStanding) = (0.94, 0.75, 0.5)
    /// The time in seconds for which a layout is kept of which only some sides are visible.
    private static let patience = 1.5

    /// Returns whether the sides of the current tiles are still visible although a finding differs. The finding is then
    /// wrong: content has the gutter's colour, or something covers gutters.
    private func stillHolds(against finding: TileFinder.Finding?, _ finder: inout TileFinder, at time: Double) -> Bool {
        guard let tone, !tiles.isEmpty else { return false }
        let rects = tiles.map(\.rect), found = finding?.tiles ?? []
        if found.contains(where: { isNew($0, beside: rects) || isPart($0, of: rects, in: found) }) { return false }
        let support = finder.support(of: rects, tone)
        if support >= Self.standing { return true }
        let fits = found.allSatisfy { rect in
            rect.sidesInCommon(with: rects) >= 3 && rects.allSatisfy { !rect.crosses($0) }
        }
        guard fits, support >= Self.partlyStanding else { return false }
        return support >= Self.mostlyStanding || time - (changedSince ?? time) < Self.patience
    }

    /// Returns whether a rectangle shares less than a tenth of its area with each of the tiles `rects`.
    private func isNew(_ rect: PictureRegion, beside rects: [PictureRegion]) -> Bool {
        rects.allSatisfy { $0.intersection(rect).area * 10 < rect.area }
    }

    /// Returns whether a rectangle is one of several equal ones that fill a tile of `rects`. When that tile was found,
    /// the gutters in it were covered.
    private func isPart(_ rect: PictureRegion, of rects: [PictureRegion], in found: [PictureRegion]) -> Bool {
        guard
            let tile = rects.first(where: {
                $0.contains(rect, tolerance: 3) && rect.intersectionOverUnion($0) < Self.sameOverlap
            })
        else { return false }
        let parts = found.filter { tile.contains($0, tolerance: 3) }
        return parts.count >= 2 && found.contains { $0 != rect && $0.isAlike(rect) }
            && parts.reduce(0) { $0 + $1.area } * 10 >= tile.area * 8
    }

    /// Returns whether a finding only adds gutters to the current layout, within its tiles.
    private func divides(_ finding: TileFinder.Finding?) -> Bool {
        guard let finding else { return false }
        return tiles.allSatisfy { tile in
            let parts = finding.tiles.filter { tile.rect.contains($0, tolerance: 3) }
            return parts.reduce(0) { $0 + $1.area } * 10 >= tile.rect.area * 8
        }
    }

    /// Keeps the current layout, and records the appearance of its tiles.
    private mutating func settle(_ samples: SparseSamples, at time: Double) {
        (pending, changedSince) = (nil, nil)
        for tile in tiles { known.record(tile.id, TileAppearance(tile.rect, samples), at: tile.rect, time: time) }
    }

    // MARK: - Changes

    private mutating func consider(
        _ finding: TileFinder.Finding?, _ samples: SparseSamples, _ finder: inout TileFinder, at time: Double
    ) -> Bool {
        let since = changedSince ?? time
        changedSince = since
        var agreeing = Pending(finding: finding, since: time)
        let evidence = Double(Self.sampleCount - 1) * Self.interval
        defer { if changedSince != nil { pending = agreeing } }
        guard let pending, Self.areSimilar(pending.finding?.tiles ?? [], finding?.tiles ?? []) else { return false }
        agreeing.since = pending.since
        guard time - since >= evidence - Self.slack, isCredible(finding, samples, &finder) else { return false }
        // The gutters of a finding have kept their colour since the first of its samples. If the former layout lost some of
        // its gutters, the others may be older than the new layout.
        let start = pending.since - evidence
        shownSince = divides(finding) ? start : max(start, since)
        let isBetter = pending.finding?.score ?? 0 > finding?.score ?? 0
        adopt(isBetter ? pending.finding : finding, samples, at: time)
        (self.pending, changedSince) = (nil, nil)
        return true
    }

    /// Returns whether a finding is credible: people move in at least two tiles, or the tiles are regular, continue a
    /// gallery, or are marked by an active speaker's frame.
    private func isCredible(
        _ finding: TileFinder.Finding?, _ samples: SparseSamples, _ finder: inout TileFinder
    ) -> Bool {
        guard let finding else { return true }
        let live = finding.tiles.indices.filter { samples.changedShare(in: finding.tiles[$0]) >= Self.liveShare }
        if live.count >= 2 || isRegular(finding) || isContinuation(finding) { return true }
        if finder.isMarked(finding.tiles) { return true }
        guard let only = live.first else { return false }
        // One person among avatars: the tiles have four sharp sides each, or are alike.
        let rect = finding.tiles[only]
        if finding.weakest >= 0.85, finding.score >= 4 * finding.tiles.count { return true }
        return finding.tiles.indices.contains { $0 != only && finding.tiles[$0].isAlike(rect) }
    }

    /// Returns whether all sides of the tiles are sharp, and there are two tiles of equal size or at least three. Tiles
    /// of people without cameras are like this, and nothing moves in them.
    private func isRegular(_ finding: TileFinder.Finding) -> Bool {
        guard let first = finding.tiles.first, finding.weakest >= 0.95 else { return false }
        return finding.tiles.count >= 3 || finding.tiles.allSatisfy { $0.isAlike(first) }
    }

    /// Returns whether a finding follows another gallery and has sharp sides. With gutters of the same colour, less
    /// sharp sides are sufficient.
    private func isContinuation(_ finding: TileFinder.Finding) -> Bool {
        guard let tone else { return false }
        let isSameColour = tone.colour.distance(to: finding.tone.colour) <= GutterTone.flatLuma
        return finding.weakest >= (isSameColour ? TileCandidate.sharpness : 0.95)
    }

    /// The minimum share of a tile's samples that change while a person is shown. Camera noise and slight movement
    /// exceed it in less than half a second; a picture that is encoded again does not.
    private static let liveShare = 0.004

    /// Replaces the layout. Tiles that are recognised from ``known`` keep their identifiers.
    private mutating func adopt(_ finding: TileFinder.Finding?, _ samples: SparseSamples, at time: Double) {
        tone = finding?.tone
        let fresh = (finding?.tiles ?? []).map { (rect: $0, appearance: TileAppearance($0, samples)) }
        known.forget(at: time)
        let ids = known.identifiers(of: fresh)
        let former = tiles
        tiles = []
        for (index, (rect, appearance)) in fresh.enumerated() {
            let id = ids[index] ?? nextID
            if ids[index] == nil { nextID += 1 }
            // A tile that stays keeps its sides to the pixel.
            let kept = former.first { $0.id == id }?.rect
            let isSame = kept.map { $0.intersectionOverUnion(rect) >= Self.sameOverlap } ?? false
            tiles.append(Tile(id: id, rect: isSame ? kept ?? rect : rect))
            known.record(id, appearance, at: rect, time: time)
        }
    }
}

extension PictureRegion {
    /// Returns whether another tile has the same size, up to the width of an active speaker's frame.
    fileprivate func isAlike(_ other: PictureRegion) -> Bool {
        func isNear(_ a: Int, _ b: Int) -> Bool { abs(a - b) <= min(GalleryGrid.frame, max(3, max(a, b) / 30)) }
        return isNear(width, other.width) && isNear(height, other.height)
    }

    /// Returns whether another rectangle is this one with an active speaker's frame: all sides are some pixels farther
    /// out.
    fileprivate func isFramed(by other: PictureRegion) -> Bool {
        let widths = [
            columns.lowerBound - other.left, other.right - columns.upperBound,
            rows.lowerBound - other.top, other.bottom - rows.upperBound,
        ]
        return widths.allSatisfy { (2...GalleryGrid.frame / 2).contains($0) } && widths.max()! - widths.min()! <= 3
    }

    /// Returns whether both rectangles overlap, but neither contains most of the other.
    fileprivate func crosses(_ other: PictureRegion) -> Bool {
        let common = intersection(other).area * 20
        return common > 3 * area && common < 17 * min(area, other.area)
    }

    /// Returns the number of sides at the place of the same side of one of `rects`, up to the width of an active
    /// speaker's frame.
    fileprivate func sidesInCommon(with rects: [PictureRegion]) -> Int {
        func isCommon(_ side: (PictureRegion) -> Int) -> Bool {
            rects.contains { abs(side($0) - side(self)) <= GalleryGrid.frame / 2 }
        }
        return [
            isCommon { $0.left }, isCommon { $0.right }, isCommon { $0.top },
            isCommon { $0.bottom },
        ].count { $0 }
    }
}
