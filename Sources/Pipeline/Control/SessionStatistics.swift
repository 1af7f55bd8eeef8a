/// How a run is doing at the moment: means over about the last half second.
///
/// These depend on the machine, and nothing that is drawn or told depends on them.
public struct SessionStatistics: Sendable, Hashable {
    /// Frames that were decided on and drawn so far.
    public var frames = 0
    /// Frames a second; 0 while none come.
    public var framesPerSecond = 0.0
    /// Seconds from a frame's decoding until it goes to the encoder; `nil` before the first frames.
    public var latency: Double?
    /// Bits of video a second of video; `nil` where nothing is written.
    public var bitRate: Double?

    /// Nothing has happened yet.
    public init() {}
}
