/// How a picture is searched for hollows once.
struct HollowPass {
    /// The longer side of the picture that is looked at, in pixels.
    let longSide: Int
    let channels: [SmallPicture.Channel]
    /// The number of levels for each channel.
    let levels: Int
    /// At how many of the coarse pass's levels a hollow must be seen.
    let leastLevels: Int
    /// The share of the picture that a hollow takes.
    let shares: ClosedRange<Double>

    /// For how many of the coarse pass's levels each counts.
    var weight: Int { Self.coarse.levels / levels }

    static let coarse = HollowPass(
        longSide: 256, channels: SmallPicture.Channel.allCases, levels: 64, leastLevels: 4,
        shares: 0.004...0.35)
    /// Finds the hollows of small hands, where they are plain to see.
    static let fine = HollowPass(
        longSide: 512, channels: [.luma], levels: 32, leastLevels: 8, shares: 0.001...0.006)
}
