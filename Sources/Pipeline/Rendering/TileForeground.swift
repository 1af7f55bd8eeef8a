import Layout
import MediaIO
import Raster

/// Finds the parts of a tile that effects must not change: the gutter (the gallery's background) in its round corners,
/// and its name label.
///
/// They are measured when an effect is drawn in the tile, and again every half second of video.
struct TileForeground {
    /// The parts, in samples of the tile's picture.
    private(set) var regions: [PictureRegion] = []

    private var tile: PictureRegion?
    private var period = 0.0
    private var label = Label.unknown

    private enum Label {
        case unknown
        case found(PictureRegion)
        /// There is none, or it did not stay in its place.
        case none
    }

    /// The time between two measurements, in seconds.
    private static let interval = 0.5
    /// The minimum intersection over union of a label's region and the region in which the label was first found.
    private static let sameOverlap = 0.7

    /// Measures the parts in a frame that has no effects yet. It does nothing if the tile has the same place and the
    /// same half second of video as at the last measurement.
    ///
    /// - Parameter tile: The tile's region of the frame.
    mutating func update(_ frame: borrowing VideoFrame, _ tile: PictureRegion, at time: Double) throws(MediaError) {
        guard frame.hasPicture else { return }
        let period = (time / Self.interval).rounded(.down)
        let isSame = tile == self.tile
        if isSame, period == self.period { return }
        if !isSame { label = .unknown }
        (self.tile, self.period) = (tile, period)
        let format = frame.pictureFormat
        regions = TileCorners.regions(radius: TileCorners.radius(tile, of: frame), in: tile, format)
        if case .none = label { return }
        let found = try frame.region(tile).withPicture { NameLabel.region(in: $0) }
        switch (label, found) {
        case (.unknown, let found?): label = .found(found)
        case (.found(let known), let found?) where known.intersectionOverUnion(found) >= Self.sameOverlap: break
        default: label = .none
        }
        if case .found(let region) = label { regions.append(region.aligned(to: format, in: tile)) }
    }
}

extension PictureRegion {
    /// Returns the smallest region around this one that begins and ends with samples of chroma, within a tile.
    fileprivate func aligned(to format: PictureFormat, in tile: PictureRegion) -> PictureRegion {
        func aligned(_ range: Range<Int>, _ shift: Int, _ count: Int) -> Range<Int> {
            let end = ((range.upperBound + (1 << shift) - 1) >> shift) << shift
            return (range.lowerBound >> shift) << shift..<min(end, count)
        }
        return PictureRegion(
            columns: aligned(columns, format.chroma.shiftX, tile.width),
            rows: aligned(rows, format.chroma.shiftY, tile.height))
    }
}

/// The corners of a tile outside its round outline.
///
/// The radius is measured in the picture: along the tile's sides, the gutter's colour extends over the round part.
private enum TileCorners {
    /// The maximum radius as a share of a tile's shorter side.
    private static let largestRadius = 0.14
    /// The maximum difference of a sample of the gutter, in codes of 8 bits.
    private static let tolerance = 10

    /// Returns strips of samples outside of the outline, relative to the tile.
    static func regions(radius: Int, in tile: PictureRegion, _ format: PictureFormat) -> [PictureRegion] {
        guard radius > 1 else { return [] }
        let stepX = 1 << format.chroma.shiftX, stepY = 1 << format.chroma.shiftY
        var strips: [PictureRegion] = []
        for row in stride(from: 0, to: radius, by: stepY) {
            // The circle at the upper edge of the strip, where the corner is widest.
            let down = Double(radius - row)
            let across = Double(radius) - (Double(radius * radius) - down * down).squareRoot()
            let inset = (Int(across.rounded(.up)) + stepX - 1) / stepX * stepX
            guard inset > 0, 2 * inset < tile.width else { continue }
            let lower = (tile.height - row - stepY) / stepY * stepY
            for top in [row, lower] where top >= 0 {
                let rows = top..<min(top + stepY, tile.height)
                let right = (tile.width - inset) / stepX * stepX
                for columns in [0..<inset, right..<tile.width] {
                    strips.append(PictureRegion(columns: columns, rows: rows))
                }
            }
        }
        return strips
    }

    /// Returns the radius of the corners in samples of luma; 0 for square ones.
    static func radius(_ region: PictureRegion, of frame: borrowing VideoFrame) -> Int {
        let limit = Int(largestRadius * Double(min(region.columns.count, region.rows.count)))
        let (left, right) = (region.columns.lowerBound, region.columns.upperBound - 1)
        let (top, bottom) = (region.rows.lowerBound, region.rows.upperBound - 1)
        // Without three samples of gutter on each side, there is no colour to compare with.
        guard left >= 3, top >= 3, right + 3 < frame.width, bottom + 3 < frame.height, limit > 1 else { return 0 }
        let corners = Corners(left: left, right: right, top: top, bottom: bottom, limit: limit)
        let depth = frame.pictureFormat.bitDepth
        return frame.withPicture { picture in
            depth == 8
                ? picture.with8BitPlane(.luma) { corners.radius($0, stride: $1, depthShift: 0) }
                : picture.with16BitPlane(.luma) { corners.radius($0, stride: $1, depthShift: depth - 8) }
        }
    }

    /// The positions of a tile's corner samples, and the maximum radius.
    private struct Corners {
        let left: Int, right: Int, top: Int, bottom: Int
        let limit: Int

        /// Returns the radius in samples of luma. Samples are reduced to 8 bits by `depthShift`.
        func radius<Sample: FixedWidthInteger & UnsignedInteger>(
            _ samples: Span<Sample>, stride: Int, depthShift: Int
        ) -> Int {
            // The second smallest of four radii counts, because a corner may show something of the gutter's colour,
            // such as a dark wall.
            var runs: [Int] = []
            for (x, y, dx, dy) in [
                (left, top, 1, 1), (right, top, -1, 1), (left, bottom, 1, -1), (right, bottom, -1, -1),
            ] {
                let outside = Int(samples[(y - 3 * dy) * stride + x - 3 * dx]) >> depthShift
                var across = 0, down = 0
                while across < limit,
                    abs((Int(samples[y * stride + x + across * dx]) >> depthShift) - outside) <= TileCorners.tolerance
                {
                    across += 1
                }
                while down < limit,
                    abs((Int(samples[(y + down * dy) * stride + x]) >> depthShift) - outside) <= TileCorners.tolerance
                {
                    down += 1
                }
                runs.append(min(across, down))
            }
            return runs.sorted()[1]
        }
    }
}

extension VideoFrame {
    /// Returns the geometry of a region.
    func geometry(of region: PictureRegion) -> DisplayGeometry {
        DisplayGeometry(
            storedWidth: region.columns.count, storedHeight: region.rows.count,
            sampleAspectRatio: sampleAspectRatio.value, orientation: orientation)
    }
}
