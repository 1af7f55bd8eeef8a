extension MutablePicture {
    /// Draws on the picture, and then restores some of its regions. Used to keep effects off the foreground of a tile,
    /// such as a name label.
    ///
    /// - Precondition: The regions are within the picture, and their first column and row are those of a chroma sample.
    package mutating func keeping<E: Error>(
        _ regions: [PictureRegion], _ draw: (inout MutablePicture) throws(E) -> Void
    ) throws(E) {
        let kept = regions.map { region in
            withRegion(columns: region.columns, rows: region.rows) { KeptSamples(&$0) }
        }
        try draw(&self)
        for (region, samples) in zip(regions, kept) {
            withRegion(columns: region.columns, rows: region.rows) { samples.restore(in: &$0) }
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
                picture.with8BitPlane(plane) { plane, stride in
                    for row in 0..<height {
                        for column in 0..<width { samples.append(UInt16(plane[row * stride + column])) }
                    }
                }
            } else {
                picture.with16BitPlane(plane) { plane, stride in
                    for row in 0..<height {
                        for column in 0..<width { samples.append(plane[row * stride + column]) }
                    }
                }
            }
        }
    }

    func restore(in picture: inout MutablePicture) {
        var next = 0
        for plane in Plane.allCases {
            let (width, height) = (picture.format.width(of: plane), picture.format.height(of: plane))
            if picture.format.bitDepth == 8 {
                picture.with8BitPlane(plane) { plane, stride in
                    for row in 0..<height {
                        for column in 0..<width {
                            plane[row * stride + column] = UInt8(samples[next])
                            next += 1
                        }
                    }
                }
            } else {
                picture.with16BitPlane(plane) { plane, stride in
                    for row in 0..<height {
                        for column in 0..<width {
                            plane[row * stride + column] = samples[next]
                            next += 1
                        }
                    }
                }
            }
        }
    }
}
