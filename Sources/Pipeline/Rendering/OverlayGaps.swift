/// Chooses which empty frames of an overlay are written: between effects one lasts on.
///
/// ```
/// effect   ####            ####
/// written  #####........e..####......e     e: every five seconds, and the last of all
/// ```
struct OverlayGaps: ~Copyable {
    /// Where readers expect a frame at each of the video's times.
    let keepsAll: Bool
    /// Seconds after which an empty frame is written again, for players that wait and for seeking.
    static let longest = 5.0

    /// The frame before, where it was left out.
    private var waiting: PipelineFrame?
    /// Since when nothing is to be seen.
    private var emptySince: Double?

    init(keepsAll: Bool) { self.keepsAll = keepsAll }

    /// - Returns: the frame, or `nil` where the one before lasts on.
    mutating func keep(_ frame: consuming PipelineFrame) -> PipelineFrame? {
        if keepsAll { return frame }
        waiting = nil
        guard frame.isEmpty else {
            emptySince = nil
            return frame
        }
        if let since = emptySince, frame.time - since < Self.longest, frame.plan.events.isEmpty {
            waiting = consume frame
            return nil
        }
        emptySince = frame.time
        return frame
    }

    /// The very last frame, if it was left out: with it an overlay is as long as its video.
    mutating func finish() -> PipelineFrame? { waiting.take() }
}
