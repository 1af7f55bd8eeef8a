internal import CRaster

/// The places of a plane's chroma samples between the luma samples (ITU-T H.273, 8.7), in luma samples from the centre of
/// the first luma sample: 0 at its centre, 0.5 between it and the next one.
package struct ChromaSite: Sendable, Hashable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    /// The site of MPEG-2 and of most video since: in the column of the first luma sample, between two rows.
    package static let left = ChromaSite(x: 0, y: 0.5)
    /// The site of JPEG and MPEG-1: in the middle of the luma samples.
    package static let centre = ChromaSite(x: 0.5, y: 0.5)
    /// The site of most video in BT.2020: at the first luma sample.
    package static let topLeft = ChromaSite(x: 0, y: 0)
}

/// Shows a part of a picture at the size of the whole, as a virtual camera does.
///
/// The filter is the cubic convolution of Keys with a = −0.5 (R. Keys, "Cubic convolution interpolation for digital
/// image processing", 1981), also known as Catmull-Rom. The part may begin and end anywhere between samples: a part that
/// moves by a fraction of a sample moves the picture by that fraction. Where the part is the whole picture, all samples
/// are unchanged.
///
/// It keeps its memory for the next picture. Used by one thread at a time.
package final class PictureEnlarger {
    private var scratch = GridPlane(count: 0)
    private var across = Taps(), down = Taps()

    package init() {}

    /// Draws a part of a picture on another picture.
    ///
    /// - Parameters:
    ///   - part: The part, in luma samples of the source; the edge of the first sample is 0.
    ///   - source: A picture of the format of `target`.
    ///   - site: The place of the chroma samples, if the format has fewer of them.
    package func draw(
        _ part: Rectangle, of source: borrowing Picture, on target: inout MutablePicture,
        chromaSite site: ChromaSite = .left
    ) {
        let format = source.format
        precondition(format == target.format, "both pictures have one format")
        precondition(part.width > 0 && part.height > 0, "a part has a size")
        let size = craster_enlarge_scratch(format.width, format.width)
        if scratch.count < size { scratch = GridPlane(count: size) }
        let maximum = Float((1 << format.bitDepth) - 1)
        for plane in Plane.allCases {
            // Cr has the places of Cb.
            if plane != .cr {
                let isLuma = plane == .luma
                across.set(
                    format.width(of: plane), from: part.left, length: part.width, of: format.width,
                    site: isLuma || format.chroma.shiftX == 0 ? 0 : site.x,
                    samples: 1 << (isLuma ? 0 : format.chroma.shiftX))
                down.set(
                    format.height(of: plane), from: part.top, length: part.height, of: format.height,
                    site: isLuma || format.chroma.shiftY == 0 ? 0 : site.y,
                    samples: 1 << (isLuma ? 0 : format.chroma.shiftY))
            }
            let (drawn, read) = unsafe (target.kernelPlane(plane), source.kernelPlane(plane))
            unsafe across.withTaps { across in
                unsafe down.withTaps { down in
                    unsafe craster_enlarge(drawn, read, across, down, maximum, scratch.values(scratch.count))
                }
            }
        }
    }
}

/// The filter along one axis: see `CRasterTaps`.
private struct Taps {
    private var first: [Int32] = []
    private var weights: [Float] = []

    /// Sets the filter of a plane.
    ///
    /// - Parameters:
    ///   - count: The samples of the plane.
    ///   - start: The beginning of the part, in luma samples.
    ///   - length: The length of the part, in luma samples.
    ///   - whole: The luma samples of the picture.
    ///   - site: See ``ChromaSite``; 0 for luma.
    ///   - samples: The luma samples for each sample of the plane.
    mutating func set(
        _ count: Int, from start: Double, length: Double, of whole: Int, site: Double, samples: Int
    ) {
        if first.count != count {
            first = [Int32](repeating: 0, count: count)
            weights = [Float](repeating: 0, count: 4 * count)
        }
        let scale = length / Double(whole), middle = site + 0.5, step = Double(samples)
        for index in 0..<count {
            // The sample's place in luma samples of the target, of the source, and in samples of the source's plane.
            let luma = Double(index) * step + middle
            let place = (start + luma * scale - middle) / step
            let inside = min(max(place, -0.5), Double(count) - 0.5)
            let below = inside.rounded(.down)
            first[index] = Int32(below) - 1
            Self.write(Float(inside - below), into: &weights, at: 4 * index)
        }
    }

    /// Writes the weights of the samples around a place at a share of the way from the second to the third one.
    private static func write(_ t: Float, into weights: inout [Float], at index: Int) {
        let square = t * t, cube = square * t
        weights[index] = -0.5 * cube + square - 0.5 * t
        weights[index + 1] = 1.5 * cube - 2.5 * square + 1
        weights[index + 2] = -1.5 * cube + 2 * square + 0.5 * t
        weights[index + 3] = 0.5 * cube - 0.5 * square
    }

    func withTaps(_ body: (CRasterTaps) -> Void) {
        unsafe first.withUnsafeBufferPointer { first in
            unsafe weights.withUnsafeBufferPointer { weights in
                unsafe body(CRasterTaps(first: first.baseAddress!, weights: weights.baseAddress!))
            }
        }
    }
}
