/// What a live run leaves out at the moment, and why.
public struct SessionQuality: Sendable, Hashable {
    /// What is lowered: `full` (nothing), or the last of `analysis`, `mask`, `detail`, `effectFrameRate` and `frameRate`, which
    /// are lowered in this order, as ``ReactionEvent/QualityChange`` tells.
    public var rung: String
    /// All that is lowered, in that order.
    public var lowered: [String]
    /// The share of the time for which the busiest stage worked in the last half second; 1 is all of it. `nil` before
    /// anything was measured.
    public var load: Double?
    /// Which stage that was: `decoding`, `drawing` or `encoding`.
    public var busiestStage: String?
}
