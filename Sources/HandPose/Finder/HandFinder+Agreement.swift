internal import Inference
internal import Raster

extension HandFinder {
    /// How further looks at a hand differ from the first: turned, in radians, scaled, mirrored.
    ///
    /// By more than a hand's region changes from one picture to the next, so that the looks err
    /// apart, and by less than takes the landmark model out of what it was trained on.
    private static let variations: [(turn: Double, scale: Double, isMirrored: Bool)] = [
        (.pi / 9, 1, false), (-.pi / 9, 1, false), (0, 0.85, false), (0, 1.25, false), (0, 1, true),
        (0, 1.1, true),
    ]

    /// Reads a hand from several crops, and takes the middle of what they say of each point.
    ///
    /// Of a finger that is hard to see one crop makes this and another that; what most of them see
    /// is there. Of 2,022 photos, hearts left out, 39 instead of 48 are misread so. `hand` counts as one look.
    /// - Returns: `nil` where fewer than half of the looks see this hand: then there is none, or
    ///   what was read of it was luck.
    func agreedReading(
        of hand: LocatedHand, in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand? {
        var looks = [hand]
        for (turn, scale, isMirrored) in Self.variations {
            var region = hand.region.turned(by: turn)
            region.side *= scale
            region.isMirrored = isMirrored
            if let look = try self.hand(in: picture, geometry: geometry, region: region),
                look.isSameHand(as: hand)
            {
                looks.append(look)
            }
        }
        guard 2 * looks.count > Self.variations.count else { return nil }
        var agreed = hand.hand
        for index in agreed.points.indices {
            let points = looks.map { $0.hand.points[index] }
            agreed.points[index] = Landmark(
                x: middle(of: points.map(\.x)), y: middle(of: points.map(\.y)), z: middle(of: points.map(\.z)))
        }
        agreed.embedding = mean(of: looks.map(\.hand.embedding))
        agreed.presence = middle(of: looks.map(\.hand.presence))
        return LocatedHand(agreed, geometry: geometry, looked: hand.region)
    }
}

/// The mean of vectors of one length.
private func mean(of vectors: [[Float]]) -> [Float] {
    let share = 1 / Float(vectors.count)
    return vectors[0].indices.map { index in vectors.reduce(0) { $0 + $1[index] } * share }
}

/// The median; of an even number of values the mean of the two in the middle.
private func middle(of values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}
