internal import Inference
internal import Raster

extension HandFinder {
    /// Below this presence a reading is in doubt. Of the hands in 2,022 photos whose gesture
    /// was read rightly 5 % were below 0.987; of those that were misread, more than half.
    static let doubtfulPresence = 0.99
    /// From this presence on no surer reading is looked for.
    private static let certainPresence = 0.995

    /// Looks again at a hand whose reading is in doubt: from where its points are, and
    /// turned. The palm detector often takes a fist with a thumb below it for one that
    /// points another way, and the landmark model sees no thumb from there.
    /// - Returns: the surest reading of this hand, if it leaves at most half of the doubt;
    ///   else `hand`.
    func secondLook(
        at hand: LocatedHand, in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand {
        guard hand.hand.presence < Self.doubtfulPresence else { return hand }
        var best = hand
        for turn in [0, Double.pi / 2, -Double.pi / 2, Double.pi]
        where best.hand.presence < Self.certainPresence {
            let region = hand.region.turned(by: turn)
            guard let look = try self.hand(in: picture, geometry: geometry, region: region)
            else { continue }
            // The points say better than the guess where to look.
            let settled = try self.hand(in: picture, geometry: geometry, region: look.region) ?? look
            for other in [look, settled]
            where other.hand.presence > best.hand.presence && other.isNear(hand) {
                best = other
            }
        }
        return 1 - best.hand.presence <= (1 - hand.hand.presence) / 2 ? best : hand
    }
}

extension LocatedHand {
    /// Whether both can be one hand, read differently.
    fileprivate func isNear(_ other: LocatedHand) -> Bool {
        region.relativeDistance(to: other.region) < 0.35
    }
}
