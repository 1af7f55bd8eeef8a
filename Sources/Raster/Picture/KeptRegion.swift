/// A part of a picture that drawing does not change, such as a name label of a tile.
package struct KeptRegion: Sendable, Hashable {
    /// A round corner. Its region is kept outside of the arc, and samples on the arc are kept in part.
    package struct Corner: Sendable, Hashable {
        /// The radius in samples of luma.
        package var radius: Double
        package var isRight: Bool
        package var isLower: Bool

        package init(radius: Double, isRight: Bool, isLower: Bool) {
            (self.radius, self.isRight, self.isLower) = (radius, isRight, isLower)
        }
    }

    package var region: PictureRegion
    /// The corner of the picture that the region covers; `nil` if all of the region is kept.
    package var corner: Corner?

    package init(_ region: PictureRegion, corner: Corner? = nil) {
        (self.region, self.corner) = (region, corner)
    }

    /// Returns the share of a sample that is kept, 0…1.
    ///
    /// - Parameters:
    ///   - size: The number of samples in a row and in a column of the region's plane.
    ///   - scale: The samples of luma for each sample of the plane, across and down.
    fileprivate func keptShare(
        _ column: Int, _ row: Int, _ size: (width: Int, height: Int), _ scale: (across: Int, down: Int)
    ) -> Float {
        guard let corner else { return 1 }
        // The distances of the sample's centre from the picture's sides, in samples of luma.
        let x = (Double(corner.isRight ? size.width - 1 - column : column) + 0.5) * Double(scale.across)
        let y = (Double(corner.isLower ? size.height - 1 - row : row) + 0.5) * Double(scale.down)
        guard x < corner.radius, y < corner.radius else { return 0 }
        let (dx, dy) = (corner.radius - x, corner.radius - y)
        let beyond = (dx * dx + dy * dy).squareRoot() - corner.radius
        return Float(min(max(beyond / Double(max(scale.across, scale.down)) + 0.5, 0), 1))
    }
}

extension MutablePicture {
    /// Draws on the picture, and then restores some of its regions. Used to keep effects off the foreground of a tile,
    /// such as a name label.
    ///
    /// - Precondition: The regions are within the picture, and their first column and row are those of a chroma sample.
    package mutating func keeping<E: Error>(
        _ regions: [KeptRegion], _ draw: (inout MutablePicture) throws(E) -> Void
    ) throws(E) {
        let kept = regions.map { kept in
            withRegion(columns: kept.region.columns, rows: kept.region.rows) { KeptSamples(&$0) }
        }
        try draw(&self)
        for (region, samples) in zip(regions, kept) {
            withRegion(columns: region.region.columns, rows: region.region.rows) { samples.restore(region, in: &$0) }
        }
    }
}

/// A copy of a picture's samples, plane by plane and row by row.
private struct KeptSamples {
    private var samples: [UInt16] = []

    init(_ picture: inout MutablePicture) {
        for plane in Plane.allCases {
            let (width, height) = (picture.format.width(of: plane), picture.format.height(of: plane))
            if picture.format.bitDepth == 8 {
                picture.with8BitPlane(plane) { append($0, stride: $1, width, height) }
            } else {
                picture.with16BitPlane(plane) { append($0, stride: $1, width, height) }
            }
        }
    }

    private mutating func append<Sample: FixedWidthInteger & UnsignedInteger>(
        _ plane: borrowing MutableSpan<Sample>, stride: Int, _ width: Int, _ height: Int
    ) {
        for row in 0..<height {
            for column in 0..<width { samples.append(UInt16(plane[row * stride + column])) }
        }
    }

    /// Writes the samples back, as far as a region is kept.
    func restore(_ region: KeptRegion, in picture: inout MutablePicture) {
        var next = samples[...]
        for plane in Plane.allCases {
            let format = picture.format
            let size = (width: format.width(of: plane), height: format.height(of: plane))
            let scale =
                plane == .luma ? (across: 1, down: 1) : (1 << format.chroma.shiftX, 1 << format.chroma.shiftY)
            let shares = (0..<size.height).flatMap { row in
                (0..<size.width).map { region.keptShare($0, row, size, scale) }
            }
            if format.bitDepth == 8 {
                picture.with8BitPlane(plane) { Self.restore(next, shares, width: size.width, in: &$0, stride: $1) }
            } else {
                picture.with16BitPlane(plane) { Self.restore(next, shares, width: size.width, in: &$0, stride: $1) }
            }
            next = next.dropFirst(shares.count)
        }
    }

    private static func restore<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: ArraySlice<UInt16>, _ shares: [Float], width: Int, in plane: inout MutableSpan<Sample>, stride: Int
    ) {
        for (index, (sample, share)) in zip(samples, shares).enumerated() where share > 0 {
            let place = index / width * stride + index % width
            let drawn = Float(plane[place])
            plane[place] = Sample((drawn + (Float(sample) - drawn) * share).rounded())
        }
    }
}
