package import MediaIO
package import Raster
package import Reactions
package import Vision

/// Provides the tiles of a video at each frame: from a plan, from a file, or by detection.
///
/// Used by one thread at a time.
package struct LayoutFollower: Sendable {
    private var detector: LayoutDetector?
    private let timeline: LayoutTimeline?
    /// The tiles at the last frame; empty if the picture is not a gallery.
    package private(set) var tiles: [LayoutTile] = []

    /// The time from which the current tiles have been shown, in seconds. Detected tiles are certain only later.
    package private(set) var shownSince = -Double.infinity

    /// The appearances of the tiles when they were shown last; empty if tiles are not detected.
    package var known: TileMemory { detector?.known ?? TileMemory() }

    package init(_ choice: LayoutChoice) {
        switch choice {
        case .automatic: (detector, timeline) = (LayoutDetector(), nil)
        case .single: (detector, timeline) = (nil, nil)
        case .fixed(let layouts): (detector, timeline) = (nil, layouts)
        }
    }

    /// Returns whether tiles must be detected in the frame at a time, in seconds.
    package func isDue(at time: Double) -> Bool { detector?.isDue(at: time) ?? false }

    /// Advances to a frame.
    ///
    /// - Parameter frame: a frame; it must have a picture if tiles are detected.
    /// - Returns: Whether the tiles changed.
    package mutating func follow(_ frame: borrowing VideoFrame, at time: Double) -> Bool {
        if let timeline {
            let now = timeline.tiles(at: time)
            if now == tiles { return false }
            (tiles, shownSince) = (now, time)
            return true
        }
        guard detector?.isDue(at: time) == true, frame.hasPicture else { return false }
        let changed = frame.withPicture { detector?.update(with: $0, at: time) } ?? false
        guard changed, let detector else { return false }
        let geometry = frame.geometry
        tiles = detector.tiles.map { LayoutTile($0, geometry) }
        shownSince = min(detector.shownSince, time)
        return true
    }
}

extension VideoFrame {
    /// Returns the picture of a tile as a separate frame that shares the pixels.
    /// - Throws: `MediaError` if there is no memory.
    package borrowing func picture(of tile: LayoutTile) throws(MediaError) -> VideoFrame {
        try region(tile.region(of: self))
    }
}

extension LayoutTile {
    /// Creates the tile of a rectangle of the stored picture.
    init(_ tile: LayoutDetector.Tile, _ geometry: DisplayGeometry) {
        let toUpright = geometry.uprightToStored.inverse
        let corners = [
            toUpright.apply(x: Double(tile.rect.columns.lowerBound), y: Double(tile.rect.rows.lowerBound)),
            toUpright.apply(x: Double(tile.rect.columns.upperBound), y: Double(tile.rect.rows.upperBound)),
        ]
        let left = min(corners[0].x, corners[1].x) / geometry.uprightWidth
        let top = min(corners[0].y, corners[1].y) / geometry.uprightHeight
        let width = abs(corners[0].x - corners[1].x) / geometry.uprightWidth
        let height = abs(corners[0].y - corners[1].y) / geometry.uprightHeight
        self.init(id: tile.id, x: left, y: top, width: width, height: height)
    }

    /// Returns whether this tile is the other one with corrected sides, as opposed to a tile that moved or grew.
    package func isCorrection(of other: LayoutTile) -> Bool { id == other.id && intersectionOverUnion(other) >= 0.85 }

    /// Returns the samples of the stored picture within the tile.
    ///
    /// The sides are between chroma samples, so drawing on the region does not change pixels outside the tile.
    package func region(of frame: borrowing VideoFrame) -> PictureRegion {
        let geometry = frame.geometry, chroma = frame.pictureFormat.chroma
        let corners = [(x, y), (x + width, y + height)].map {
            geometry.uprightToStored.apply(x: $0 * geometry.uprightWidth, y: $1 * geometry.uprightHeight)
        }
        func range(_ a: Double, _ b: Double, _ size: Int, _ shift: Int) -> Range<Int> {
            let step = Double(1 << shift)
            // A tolerance of 0.05 samples, since a tile's sides are rounded to five decimal places.
            let first = Int(((min(a, b) - 0.05) / step).rounded(.up)) << shift
            let exact = max(a, b) + 0.05
            let last = exact >= Double(size) ? size : Int((exact / step).rounded(.down)) << shift
            let low = (min(max(first, 0), size - 1) >> shift) << shift
            return low..<max(min(last, size), low + 1)
        }
        return PictureRegion(
            columns: range(corners[0].x, corners[1].x, geometry.storedWidth, chroma.shiftX),
            rows: range(corners[0].y, corners[1].y, geometry.storedHeight, chroma.shiftY))
    }
}

extension LayoutTile {
    /// Returns the area of the intersection divided by the area of the union, 0…1.
    package func intersectionOverUnion(_ other: LayoutTile) -> Double {
        rectangle.intersectionOverUnion(other.rectangle)
    }

    /// The tile's rectangle, in fractions of the upright picture.
    package var rectangle: Rectangle { Rectangle(left: x, top: y, right: x + width, bottom: y + height) }
}
