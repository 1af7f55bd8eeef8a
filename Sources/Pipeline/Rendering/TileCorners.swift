import MediaIO
import Raster

/// The corners of a tile outside its round outline, which effects must not change.
///
/// The radius follows from the picture: the gutter's colour extends along the tile's sides as far as the corner is
/// round.
struct TileCorners {
    /// Strips of the picture before anything was drawn on it.
    private var strips: [(region: PictureRegion, picture: SharedPicture)] = []

    /// The maximum radius as a share of a tile's shorter side.
    private static let largestRadius = 0.14
    /// The maximum difference of a sample of the gutter, in codes of 8 bits.
    private static let tolerance = 10

    /// - Parameter region: the tile.
    /// - Throws: `MediaError` if there is no memory.
    init(_ region: PictureRegion, of frame: borrowing VideoFrame, pool: FramePool) throws {
        let radius = Self.radius(region, of: frame)
        guard radius > 1 else { return }
        let chroma = frame.pictureFormat.chroma
        let stepX = 1 << chroma.shiftX, stepY = 1 << chroma.shiftY
        for row in stride(from: 0, to: radius, by: stepY) {
            // The circle at the upper edge of the strip, where the corner is widest.
            let down = Double(radius - row)
            let across = Double(radius) - (Double(radius * radius) - down * down).squareRoot()
            let inset = (Int(across.rounded(.up)) + stepX - 1) / stepX * stepX
            guard inset > 0, 2 * inset < region.columns.count else { continue }
            let upper = region.rows.lowerBound + row
            let lower = (region.rows.upperBound - row - stepY) / stepY * stepY
            for top in [upper, lower] where top >= region.rows.lowerBound {
                let rows = top..<min(top + stepY, region.rows.upperBound)
                let right = (region.columns.upperBound - inset) / stepX * stepX
                for columns in [
                    region.columns.lowerBound..<region.columns.lowerBound + inset, right..<region.columns.upperBound,
                ] {
                    let strip = PictureRegion(columns: columns, rows: rows)
                    strips.append((strip, SharedPicture(try frame.region(strip).copy(pool: pool))))
                }
            }
        }
    }

    /// Restores the corners.
    func restore(in frame: inout VideoFrame, pool: FramePool) throws {
        for strip in strips { try frame.replace(strip.region, with: strip.picture.frame, pool: pool) }
    }

    /// Returns the radius of the corners in luma samples; 0 for square corners.
    private static func radius(_ region: PictureRegion, of frame: borrowing VideoFrame) -> Int {
        let limit = Int(largestRadius * Double(min(region.columns.count, region.rows.count)))
        let (left, right) = (region.columns.lowerBound, region.columns.upperBound - 1)
        let (top, bottom) = (region.rows.lowerBound, region.rows.upperBound - 1)
        // Without a gutter outside, there is nothing to compare with.
        guard left >= 3, top >= 3, right + 3 < frame.width, bottom + 3 < frame.height, limit > 1 else { return 0 }
        let corners = Corners(left: left, right: right, top: top, bottom: bottom, limit: limit)
        let depth = frame.pictureFormat.bitDepth
        return frame.withPicture { picture in
            depth == 8
                ? picture.with8BitPlane(.luma) { corners.radius($0, stride: $1, depthShift: 0) }
                : picture.with16BitPlane(.luma) { corners.radius($0, stride: $1, depthShift: depth - 8) }
        }
    }

    /// The samples at a tile's corners.
    private struct Corners {
        let left: Int, right: Int, top: Int, bottom: Int
        let limit: Int

        func radius<Sample: FixedWidthInteger & UnsignedInteger>(
            _ samples: Span<Sample>, stride: Int, depthShift: Int
        ) -> Int {
            // One corner may show something that has the gutter's colour, such as a dark wall, so the second smallest
            // value counts.
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
