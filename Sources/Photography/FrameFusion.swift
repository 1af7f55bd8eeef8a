package import Raster

/// Fuses pictures of one scene, captured in quick succession, into one with less noise.
///
/// One picture is the reference: the result has its contents, without moving objects of the others. The other pictures
/// are aligned to it block by block (``BlockAligner``), and merged in blocks that overlap by half (``PlaneMerger``).
///
/// Used by one thread at a time, through `PhotoProcessor`. Memory is kept for the next photograph until ``trim(to:)``.
package final class FrameFusion {
    /// The format of the pictures, and of the result.
    package let format: PictureFormat
    private var pictures: [FusionPicture] = []
    private var spare: [FusionPicture] = []
    private var result: FusionPicture?

    /// The statistics of a fusion.
    package struct Report: Sendable, Hashable {
        /// The number of fused pictures, including the reference.
        package var frames = 1
        /// The standard deviation of the reference's luma noise in codes of 8 bits.
        package var noise: Double = 0
        /// The remaining share of the luma noise's variance, averaged over the picture.
        package var noiseLeft: Double = 1
        /// The share of the picture that shows only the reference, because of motion.
        package var moving: Double = 0
    }

    package init(format: PictureFormat) { self.format = format }

    /// The number of pictures added.
    package var count: Int { pictures.count }

    /// The memory of the pictures in bytes, including pictures kept for reuse.
    package var byteCount: Int { (pictures + spare + (result.map { [$0] } ?? [])).reduce(0) { $0 + $1.byteCount } }

    /// Allocates memory for a number of pictures.
    package func reserve(_ count: Int) {
        while pictures.count + spare.count < count { spare.append(FusionPicture(format: format)) }
        if result == nil { result = FusionPicture(format: format) }
    }

    /// Frees the memory of pictures beyond a number.
    package func trim(to count: Int) {
        let keep = max(count - pictures.count, 0)
        if spare.count > keep { spare.removeLast(spare.count - keep) }
        if count == 0 { result = nil }
    }

    /// Adds a picture.
    /// - Precondition: The picture has ``format``.
    package func add(_ picture: borrowing Picture) {
        precondition(picture.format == format)
        let taken = spare.popLast() ?? FusionPicture(format: format)
        taken.read(picture)
        pictures.append(taken)
    }

    /// Removes all pictures.
    package func removeAll() {
        spare += pictures
        pictures.removeAll()
    }

    /// Fuses the pictures.
    ///
    /// - Parameters:
    ///   - reference: The index of the picture that the result shows.
    ///   - finish: The finishing of the result.
    package func fuse(
        reference index: Int, into picture: inout MutablePicture, finish: PictureFinish = .none
    ) -> Report {
        precondition(picture.format == format && pictures.indices.contains(index))
        let own = pictures[index]
        let others = pictures.indices.filter { $0 != index }.map { pictures[$0] }
        guard !others.isEmpty else {
            // In a single picture, nothing distinguishes noise from detail, so noise is not removed.
            finish.apply(to: own, noise: nil)
            Self.write(own, into: &picture)
            return Report()
        }
        let aligner = BlockAligner(reference: own)
        let aligned = others.map { (picture: $0, motion: aligner.motion(in: $0)) }
        let result = self.result ?? FusionPicture(format: format)
        self.result = result
        var (report, left) = BlockMerge(reference: own, others: aligned).run(into: result)
        report.frames = pictures.count
        finish.apply(to: result, noise: left)
        Self.write(result, into: &picture)
        return report
    }

    /// Converts a result of 14 bits to the bit depth of the picture.
    private static func write(_ result: FusionPicture, into picture: inout MutablePicture) {
        let depth = result.format.bitDepth
        for plane in Plane.allCases {
            let source = result.plane(plane)
            if depth == 8 {
                picture.with8BitPlane(plane) { source.write(to: &$0, stride: $1, bitDepth: 8) }
            } else {
                picture.with16BitPlane(plane) { source.write(to: &$0, stride: $1, bitDepth: depth) }
            }
        }
    }
}

/// A picture that is prepared for fusion: copies of its planes, and its luma at successively smaller sizes for
/// alignment.
final class FusionPicture {
    /// The side of a block of luma.
    static let block = 16
    /// The maximum longer side of the smallest size of luma, in samples.
    private static let smallest = 128

    let format: PictureFormat
    let luma: SamplePlane
    let cb, cr: SamplePlane
    /// Luma at a half of its size, a quarter, and so on.
    let pyramid: [SamplePlane]

    init(format: PictureFormat) {
        self.format = format
        let block = Self.block
        let chromaBlock = (block >> format.chroma.shiftX, block >> format.chroma.shiftY)
        luma = SamplePlane(width: format.width, height: format.height, blockWidth: block, blockHeight: block)
        func chroma(_ plane: Plane) -> SamplePlane {
            SamplePlane(
                width: format.width(of: plane), height: format.height(of: plane), blockWidth: chromaBlock.0,
                blockHeight: chromaBlock.1)
        }
        (cb, cr) = (chroma(.cb), chroma(.cr))
        var (levels, width, height): ([SamplePlane], Int, Int) = ([], format.width, format.height)
        while max(width, height) > Self.smallest, min(width, height) >= 2 * block {
            (width, height) = ((width + 1) / 2, (height + 1) / 2)
            levels.append(SamplePlane(width: width, height: height, blockWidth: block, blockHeight: block))
        }
        pyramid = levels
    }

    var byteCount: Int { ([luma, cb, cr] + pyramid).reduce(0) { $0 + $1.byteCount } }

    func plane(_ plane: Plane) -> SamplePlane {
        switch plane {
        case .luma: luma
        case .cb: cb
        case .cr: cr
        }
    }

    /// Luma at 1 / 2^level of its size.
    func level(_ level: Int) -> SamplePlane { level == 0 ? luma : pyramid[level - 1] }

    /// Reads a picture of this format.
    func read(_ picture: borrowing Picture) {
        for plane in Plane.allCases {
            let target = self.plane(plane)
            if format.bitDepth == 8 {
                picture.with8BitPlane(plane) { target.read($0, stride: $1, bitDepth: 8) }
            } else {
                picture.with16BitPlane(plane) { target.read($0, stride: $1, bitDepth: format.bitDepth) }
            }
        }
        var large = luma
        for small in pyramid {
            small.halve(large)
            large = small
        }
    }
}
