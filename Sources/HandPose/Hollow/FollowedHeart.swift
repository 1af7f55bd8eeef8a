/// A heart that is followed from picture to picture.
struct FollowedHeart {
    var frame: HeartFrame
    /// The numbers of its hands.
    let left: Int, right: Int
    /// When it was last seen.
    var time: Double

    /// Where a hand of it must be now, given where its hollow is.
    func region(of hand: LocatedHand, around hollow: Hollow) -> HandRegion {
        let growth = hollow.size / frame.hollow.size
        var region = hand.region
        region.centreX = hollow.centre.x + growth * (region.centreX - frame.hollow.centre.x)
        region.centreY = hollow.centre.y + growth * (region.centreY - frame.hollow.centre.y)
        region.side *= growth
        return region
    }
}
