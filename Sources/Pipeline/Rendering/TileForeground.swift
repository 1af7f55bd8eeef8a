import MediaIO
import Raster
import Vision

/// Finds the parts of a tile that effects must not change: the gutter (the gallery's background) in its round corners,
/// and its name label.
///
/// They are measured when an effect is drawn in the tile, and again every half second of video.
struct TileForeground {
    /// The parts, in samples of the tile's picture.
    private(set) var regions: [KeptRegion] = []

    private var tile: PictureRegion?
    private var period = 0.0
    private var label = Label.unknown

    private enum Label {
        case unknown
        /// `misses` is the number of measurements since then that did not find it: a hand may cover it for a moment.
        case found(PictureRegion, misses: Int)
        /// There is none, or it did not stay in its place. It is searched again from a time on.
        case none(until: Double)
    }

    /// The time between two measurements, in seconds.
    private static let interval = 0.5
    /// The time after which a label is searched again if there was none, in seconds.
    private static let pause = 5.0
    /// The number of measurements without the label after which it counts as gone.
    private static let allowedMisses = 1
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
        if case .none(let until) = label, (until - Self.pause..<until).contains(time) { return }
        let found = try frame.region(tile).withPicture { NameLabel.region(in: $0) }
        switch (label, found) {
        case (.unknown, let found?), (.none, let found?): label = .found(found, misses: 0)
        case (.found(let known, _), let found?) where known.intersectionOverUnion(found) >= Self.sameOverlap:
            label = .found(known, misses: 0)
        case (.found(let known, let misses), nil) where misses < Self.allowedMisses:
            label = .found(known, misses: misses + 1)
        default: label = .none(until: time + Self.pause)
        }
        if case .found(let region, _) = label { regions.append(KeptRegion(region.aligned(to: format, in: tile))) }
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
/// The radius is measured in the picture: along the tile's sides, the gutter's colour extends over a part of the arc.
private enum TileCorners {
    /// The maximum radius as a share of a tile's shorter side.
    private static let largestRadius = 0.14
    /// The maximum difference of a sample of the gutter, in codes of 8 bits.
    private static let tolerance = 10

    /// Returns the corners of a tile, relative to the tile.
    static func regions(radius: Double, in tile: PictureRegion, _ format: PictureFormat) -> [KeptRegion] {
        guard radius > 0 else { return [] }
        let stepX = 1 << format.chroma.shiftX, stepY = 1 << format.chroma.shiftY
        let side = Int(radius.rounded(.up))
        let (right, lower) = ((tile.width - side) / stepX * stepX, (tile.height - side) / stepY * stepY)
        let (width, height) = ((side + stepX - 1) / stepX * stepX, (side + stepY - 1) / stepY * stepY)
        guard right >= width, lower >= height else { return [] }
        return [false, true].flatMap { isLower in
            [false, true].map { isRight in
                KeptRegion(
                    PictureRegion(
                        columns: isRight ? right..<tile.width : 0..<width,
                        rows: isLower ? lower..<tile.height : 0..<height),
                    corner: KeptRegion.Corner(radius: radius, isRight: isRight, isLower: isLower))
            }
        }
    }

    /// Returns the radius of the corners in samples of luma; 0 for square ones.
    static func radius(_ region: PictureRegion, of frame: borrowing VideoFrame) -> Double {
        let limit = Int(largestRadius * Double(min(region.columns.count, region.rows.count)))
        let (left, right) = (region.columns.lowerBound, region.columns.upperBound - 1)
        let (top, bottom) = (region.rows.lowerBound, region.rows.upperBound - 1)
        // Without three samples of gutter on each side, there is no colour to compare with.
        guard left >= 3, top >= 3, right + 3 < frame.width, bottom + 3 < frame.height, limit > 1 else { return 0 }
        let corners = Corners(left: left, right: right, top: top, bottom: bottom, limit: limit)
        let depth = frame.pictureFormat.bitDepth
        let run = frame.withPicture { picture in
            depth == 8
                ? picture.with8BitPlane(.luma) { corners.run($0, stride: $1, depthShift: 0) }
                : picture.with16BitPlane(.luma) { corners.run($0, stride: $1, depthShift: depth - 8) }
        }
        // The outermost row of samples of a square corner may have the gutter's colour for other reasons.
        guard run > 1 else { return 0 }
        // An arc of radius r enters the outermost row, which is one sample deep, r − √(2r − 1) samples from the corner.
        let arc = Double(run) + (2 * Double(run)).squareRoot() + 1
        return min(arc, Double(min(region.columns.count, region.rows.count)) / 2)
    }

    /// The positions of a tile's corner samples, and the maximum radius.
    private struct Corners {
        let left: Int, right: Int, top: Int, bottom: Int
        let limit: Int

        /// Returns the length of the gutter's colour along the sides, in samples of luma. Samples are reduced to 8 bits by
        /// `depthShift`.
        func run<Sample: FixedWidthInteger & UnsignedInteger>(
            _ samples: Span<Sample>, stride: Int, depthShift: Int
        ) -> Int {
            // The second smallest of four lengths counts, because a corner may show something of the gutter's colour,
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
