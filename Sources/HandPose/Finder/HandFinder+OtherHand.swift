internal import Inference
internal import Raster

extension HandFinder {
    /// Looks nearer for the other hand of a person of whom one is seen.
    ///
    /// The palm detector sees the whole picture with 192 pixels across: of hands whose palms were
    /// 40 to 70 pixels long in pictures of 1,280 it found a third, and of pairs of them one in ten.
    /// - Parameters:
    ///   - hand: the hand that is seen.
    ///   - side: where to look, −1 on the left of it, 1 on the right; nil for where its other hand should be.
    ///   - known: all hands found so far.
    func otherHand(
        of hand: LocatedHand, side: Double? = nil, known: [LocatedHand], in picture: borrowing Picture,
        geometry: DisplayGeometry, rejected: inout [HandRegion], limit: Int
    ) throws(InferenceError) -> [LocatedHand] {
        guard limit > 0, let window = hand.windowOfOtherHand(side: side, geometry: geometry) else { return [] }
        var others = known
        var settled = Set(known.indices)
        return try newHands(
            in: picture, geometry: geometry, window: window, known: &others, settled: &settled,
            rejected: &rejected, limit: limit)
    }
}

extension LocatedHand {
    /// The part of the picture in which a person's other hand is likely, if it is so much smaller than the picture that
    /// a look at it shows more: seen from the front a right hand has the left one on the right of it.
    /// - Parameter side: −1 for the left, 1 for the right; nil for what the hand says.
    func windowOfOtherHand(side: Double?, geometry: DisplayGeometry) -> PictureWindow? {
        let palm = max(
            point(.wrist).distance(to: point(.indexMCP)), point(.wrist).distance(to: point(.middleMCP)))
        let longest = max(geometry.uprightWidth, geometry.uprightHeight)
        // Hands at the ends of outstretched arms are 14 palms apart.
        let length = min(14 * palm, 0.6 * longest)
        guard 14 * palm < 1.2 * longest else { return nil }
        let direction = side ?? (hand.handedness == .right ? 1 : -1)
        let left = region.centreX + (direction > 0 ? 0 : -length)
        return PictureWindow(
            left: max(0, min(left, geometry.uprightWidth - length)),
            top: max(0, min(region.centreY - length / 2, geometry.uprightHeight - length)), side: length)
    }
}
