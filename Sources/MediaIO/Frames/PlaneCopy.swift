internal import Raster

/// A copy of a plane's samples to other places: turned, with an edge repeated, or into a part of a larger plane.
///
/// The sample at column x and row y of the target rectangle comes from
/// `source[origin + min(x, lastColumn) * columnStep + min(y, lastRow) * rowStep]`.
struct PlaneCopy {
    /// The rectangle in the target.
    var left = 0, top = 0, width: Int, height: Int
    var origin = 0, columnStep: Int, rowStep: Int
    var lastColumn: Int, lastRow: Int

    func run<T: BitwiseCopyable>(_ source: Span<T>, _ target: inout MutableSpan<T>, stride: Int) {
        for y in 0..<height {
            let from = origin + min(y, lastRow) * rowStep
            let to = (top + y) * stride + left
            let whole = min(width, lastColumn + 1)
            for x in 0..<whole { target[to + x] = source[from + x * columnStep] }
            guard whole < width else { continue }
            let last = source[from + lastColumn * columnStep]
            for x in whole..<width { target[to + x] = last }
        }
    }
}

extension VideoFrame {
    /// Copies all planes into another picture of the same depth.
    ///
    /// - Parameter plan: What to do for a plane, given the source's stride in samples.
    borrowing func copyPlanes(into target: inout VideoFrame, pool: FramePool, _ plan: (Plane, Int) -> PlaneCopy) throws
    {
        let isDeep = pictureFormat.bitDepth > 8
        try withPicture { picture in
            try target.withMutablePicture(pool: pool) { out in
                for plane in Plane.allCases {
                    if isDeep {
                        picture.with16BitPlane(plane) { source, stride in
                            out.with16BitPlane(plane) { samples, to in
                                plan(plane, stride).run(source, &samples, stride: to)
                            }
                        }
                    } else {
                        picture.with8BitPlane(plane) { source, stride in
                            out.with8BitPlane(plane) { samples, to in
                                plan(plane, stride).run(source, &samples, stride: to)
                            }
                        }
                    }
                }
            }
        }
    }
}
