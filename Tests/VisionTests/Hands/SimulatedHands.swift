import Raster
@testable import Vision

/// The 21 points of an open hand in pixels, from its wrist, the length of its palm and its clockwise angle from
/// pointing up.
func openHand(x: Double, y: Double, size: Double, angle: Double) -> [Point] {
    // Across (to the right) and up, in palm lengths.
    let shape: [(Double, Double)] = [
        (0, 0), (0.35, 0.2), (0.6, 0.45), (0.75, 0.7), (0.9, 0.9),
        (0.3, 0.95), (0.35, 1.35), (0.37, 1.6), (0.38, 1.8),
        (0, 1), (0, 1.45), (0, 1.75), (0, 1.95),
        (-0.22, 0.93), (-0.25, 1.35), (-0.26, 1.6), (-0.27, 1.8),
        (-0.42, 0.8), (-0.5, 1.1), (-0.55, 1.3), (-0.6, 1.45),
    ]
    let turn = HandRegion(centreX: 0, centreY: 0, side: 1, rotation: angle).tensorToUpright(size: 1)
    let origin = turn.apply(x: 0, y: 0)
    return shape.map { across, up in
        let place = turn.apply(x: across * size, y: -up * size)
        return Point(x: x + place.x - origin.x, y: y + place.y - origin.y)
    }
}

/// A world of hands, and a detector and landmarker that return them without reading any picture.
final class SimulatedHands: PalmDetecting, HandLandmarking {
    struct Hand {
        var x, y: Double
        var size = 60.0
        var visible = true
        /// True if it is a false palm, such as a face or a sleeve.
        var isFalse = false
        /// The sides of the narrowest and of the widest window in which its palm is detected.
        var narrowestWindow = 0.0
        var widestWindow = Double.infinity
    }

    var hands: [Hand] = []
    /// The presences of the next inferences, first to last; 0.99 after that.
    var presences: [Double] = []
    private(set) var detections = 0
    private(set) var searches = 0

    func palms(
        in picture: borrowing Picture, geometry: DisplayGeometry, window: PictureWindow
    ) throws(InferenceError) -> [Palm] {
        detections += 1
        return hands.filter { $0.visible && ($0.narrowestWindow...$0.widestWindow).contains(window.side) }.map { hand in
            let half = hand.size / 2
            var keypoints = [Point](
                repeating: Point(x: hand.x, y: hand.y - half), count: Palm.keypointCount)
            keypoints[0] = Point(x: hand.x, y: hand.y)
            keypoints[2] = Point(x: hand.x, y: hand.y - hand.size)
            return Palm(
                score: 0.9,
                box: Box(
                    left: hand.x - half, top: hand.y - hand.size, right: hand.x + half, bottom: hand.y),
                keypoints: keypoints)
        }
    }

    /// Returns the hand that is nearest to the region's middle, if it is well within.
    func hand(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: HandRegion
    ) throws(InferenceError) -> HandLandmarks {
        searches += 1
        func distance(_ hand: Hand) -> Double {
            Point(x: hand.x, y: hand.y - hand.size)
                .distance(to: Point(x: region.centreX, y: region.centreY))
        }
        let nearest = hands.filter { $0.visible && !$0.isFalse }.min { distance($0) < distance($1) }
        let seen = nearest.flatMap { distance($0) < region.side / 2 ? $0 : nil }
        let presence = seen == nil ? 0.1 : presences.isEmpty ? 0.99 : presences.removeFirst()
        let points = openHand(
            x: seen?.x ?? region.centreX, y: seen?.y ?? region.centreY, size: seen?.size ?? 60, angle: 0)
        return HandLandmarks(
            points: points.map {
                Landmark(x: $0.x / geometry.uprightWidth, y: $0.y / geometry.uprightHeight, z: 0)
            },
            handedness: .right, handednessConfidence: 1, presence: presence,
            trackID: 0, pictureAspectRatio: geometry.aspectRatio)
    }
}
