internal import Inference
internal import Raster

extension HandFinder {
    /// The side of the first crop, in longer sides of what is new.
    private static let firstCrop = 1.2
    /// From this presence on a crop that was guessed may show a hand; from this one on a crop around its points does.
    static let leastPresences = (guessed: 0.1, read: 0.7)

    /// A hand whose palm the detector does not see, in the dark, blurred, or without an arm, where something new is about
    /// as large as a hand.
    ///
    /// The landmark model looks there itself. The points that it sees say better where to look, twice.
    /// - Parameter box: where something is new, in upright pixels.
    func handWithoutPalm(
        in picture: borrowing Picture, geometry: DisplayGeometry, around box: Box
    ) throws(InferenceError) -> LocatedHand? {
        let eager = withMinimumPresence(Self.leastPresences.guessed)
        let shortest = min(geometry.uprightWidth, geometry.uprightHeight)
        let side = Self.firstCrop * min(max(box.width, box.height), shortest)
        let guess = HandRegion(
            centreX: (box.left + box.right) / 2, centreY: (box.top + box.bottom) / 2, side: side, rotation: 0)
        guard let first = try eager.hand(in: picture, geometry: geometry, region: guess),
            let second = try eager.hand(in: picture, geometry: geometry, region: HandRegion(landmarks: first.points))
        else { return nil }
        let reader = withMinimumPresence(Self.leastPresences.read)
        return try reader.hand(in: picture, geometry: geometry, region: HandRegion(landmarks: second.points))
    }
}
