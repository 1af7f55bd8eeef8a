import MediaIO
import Raster
import Reactions
import Vision

/// Requests higher quality for people's faces from the encoder while effects run.
///
/// Used by one thread at a time.
package final class FaceProtection {
    private let finder: FaceFinder
    private var regions: [QualityRegion] = []
    private var lastDetection = -Double.infinity
    private var warning = WarnOnce()

    /// The interval of face detection while effects run, in seconds. It suffices because heads move slowly.
    private static let interval = 0.25
    /// The quality offset of a face, in steps of the quantiser. Six steps halve the coarseness.
    private static let offset = -6.0

    init(finder: FaceFinder) {
        self.finder = finder
    }

    /// Returns the regions of faces in a frame on which no effects are drawn yet. Faces are detected once in each
    /// interval, and otherwise the earlier regions are returned.
    ///
    /// - Parameter crop: The part of the frame that is shown at its size; `nil` for the whole frame.
    func regions(
        of frame: borrowing VideoFrame, showing crop: PictureCrop? = nil, at time: Double
    ) -> [QualityRegion] {
        if time < lastDetection || time - lastDetection >= Self.interval {
            lastDetection = time
            let geometry = frame.geometry
            regions = finder.faces(in: frame).compactMap { face in
                Self.region(of: crop?.rectangleInCrop(face) ?? face, geometry)
            }
            warning.note(finder.warning("faces are not protected"))
        }
        return regions
    }

    /// Returns the warning of a failure, but only on the first call.
    func takeWarning() -> PipelineWarning? { warning.take() }

    /// Returns a head in pixels of the stored picture; `nil` if it is entirely outside.
    private static func region(of face: Rectangle, _ geometry: DisplayGeometry) -> QualityRegion? {
        let head = face.head
        let corners = [(head.left, head.top), (head.right, head.bottom)].map { x, y in
            geometry.uprightToStored.apply(x: x * geometry.uprightWidth, y: y * geometry.uprightHeight)
        }
        let (x, y) = (corners.map(\.x), corners.map(\.y))
        func span(_ values: [Double], _ size: Int) -> Range<Int>? {
            let first = max(Int(values.min() ?? 0), 0), end = min(Int((values.max() ?? 0).rounded(.up)), size)
            return first < end ? first..<end : nil
        }
        guard let columns = span(x, geometry.storedWidth), let rows = span(y, geometry.storedHeight) else { return nil }
        return QualityRegion(columns: columns, rows: rows, quantiserOffset: offset)
    }
}
