import Frames

/// The rules for photographs. They differ between live runs, in which no frame may wait for a photograph, and other
/// runs.
package struct PhotoPolicy: Sendable {
    /// The time at which events of photographs are emitted.
    var emission: EmissionTime
    /// A Boolean value that indicates whether changes of the readiness are emitted.
    var emitsReadiness: Bool
    /// A Boolean value that indicates whether the stages that process frames have priority over the thread of
    /// photographs.
    var yieldsToFrames: Bool
    /// A Boolean value that indicates whether requests beyond the limit are refused. Otherwise the video waits.
    var refusesBeyondLimit: Bool
    /// A Boolean value that indicates whether a request while another is in progress counts as one in quick succession
    /// (``PhotoOptions/isFastCapturePrioritizationEnabled``).
    var reducesQualityWhilePending: Bool
    /// The maximum number of frames that requests in progress keep in memory.
    var maxHeldFrameCount: Int

    /// The rules of a live run.
    package static let live = PhotoPolicy(
        emission: .atOnce, emitsReadiness: true, yieldsToFrames: true, refusesBeyondLimit: true,
        reducesQualityWhilePending: true, maxHeldFrameCount: PhotoRequestQueue.maxHeldFrameCount)
    /// The rules of a recording, whose frames wait. Identical runs give identical photographs.
    package static let recorded = PhotoPolicy(
        emission: .atEnd, emitsReadiness: false, yieldsToFrames: false, refusesBeyondLimit: false,
        reducesQualityWhilePending: false, maxHeldFrameCount: .max)
}
