internal import Raster

/// A square around a whole body, upright, in upright pixels.
struct PoseRegion: Sendable {
    private let centreX, centreY, side: Double

    /// Where the hips are below a face's middle, and the radius of the circle around the whole body, in the face's widths:
    /// medians of where MediaPipe's pose detector and the pose itself put them in 415 pictures of one person each, at
    /// tables and on their feet (10th to 90th percentile: 2.7 to 4.4 and 3.7 to 5.5).
    private static let hips = 3.6, radius = 4.7
    /// By how much more than that circle it shows (MediaPipe, `pose_detection_to_roi`).
    private static let margin = 1.25

    /// The body of a face whose box is this wide, in upright pixels.
    init(faceX: Double, faceY: Double, faceWidth: Double) {
        centreX = faceX
        centreY = faceY + Self.hips * faceWidth
        side = 2 * Self.margin * Self.radius * faceWidth
    }

    /// From pixels of a tensor of `size` × `size` to upright ones.
    func tensorToUpright(size: Int) -> AffineTransform {
        AffineTransform.scale(x: side / Double(size), y: side / Double(size))
            .then(.translation(x: centreX - side / 2, y: centreY - side / 2))
    }
}
