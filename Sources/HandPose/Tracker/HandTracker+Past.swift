package import Inference
package import Raster

extension HandTracker {
    /// Looks for hands that are followed in a picture that was processed a moment ago, where the palm detector did not see
    /// them. Tracking goes on as if nobody had asked.
    /// - Parameters:
    ///   - numbers: the track numbers of the hands.
    ///   - picture: of the same geometry as the last one.
    /// - Returns: those that the picture shows about where they are now.
    /// - Throws: `.failed` when a model fails.
    package func hands(
        _ numbers: Set<Int>, inEarlier picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [HandLandmarks] {
        guard geometry == lastGeometry else { return [] }
        var found: [HandLandmarks] = []
        for track in tracks where numbers.contains(track.id) {
            let region = track.located.region
            guard let look = try finder.hand(in: picture, geometry: geometry, region: region) else { continue }
            let located = try settled(look, from: region, picture, geometry)
            guard located.region.relativeDistance(to: region) < Self.longestWay else { continue }
            var hand = located.hand
            hand.trackID = track.id
            found.append(hand)
        }
        return found
    }

    /// How far a hand that is held may have come, in sides of its region.
    private static var longestWay: Double { 0.35 }
}
