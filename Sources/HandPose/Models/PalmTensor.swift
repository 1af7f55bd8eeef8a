import Inference
import Raster

/// The picture that the palm detector is shown of a window: as little of what lies beside the video's picture as can be.
///
/// A whole picture of 16:9 leaves two fifths of a square black, which would cost as much as the rest.
struct PalmTensor: Equatable {
    let size: InputSize
    /// From its pixels to upright ones.
    let toUpright: AffineTransform

    /// The sides that it may have. Each combination is a model of its own, 5 MB; and the model halves its
    /// sides five times.
    private static let sides = [128, 192]
    /// What all detectors need sooner or later.
    static let smallest = InputSize(rows: sides[0], columns: sides[0])

    init(_ window: PictureWindow, geometry: DisplayGeometry) {
        let scale = window.side / Double(window.detail)
        let across = Self.span(from: window.left, of: window, picture: geometry.uprightWidth, scale)
        let down = Self.span(from: window.top, of: window, picture: geometry.uprightHeight, scale)
        size = InputSize(rows: down.count, columns: across.count)
        toUpright = .scale(x: scale, y: scale).then(.translation(x: across.start, y: down.start))
    }

    /// Where it begins, in upright pixels, and how many pixels it has, in one direction.
    private static func span(
        from start: Double, of window: PictureWindow, picture length: Double, _ scale: Double
    ) -> (start: Double, count: Int) {
        let first = max(start, 0), last = min(start + window.side, length)
        let seen = max(last - first, 0) / scale
        // Half a thousandth: what rounding does.
        guard let count = sides.first(where: { Double($0) + 0.0005 >= seen }), count < window.detail else {
            return (start, window.detail)
        }
        return ((first + last - Double(count) * scale) / 2, count)
    }
}
