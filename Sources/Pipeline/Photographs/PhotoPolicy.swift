/// The rules for photographs. They differ between live runs, in which no frame may wait for a photograph, and other
/// runs.
struct PhotoPolicy: Sendable {
    /// The time at which events of photographs are emitted.
    var emission: EmissionTime
    /// A Boolean value that indicates whether changes of the readiness are emitted.
    var emitsReadiness: Bool
    /// A Boolean value that indicates whether the threads of the frames' stages have priority.
    var yieldsToFrames: Bool
    /// A Boolean value that indicates whether requests beyond the limit are refused; otherwise frames wait.
    var refusesBeyondLimit: Bool
    /// A Boolean value that indicates whether a request is processed quickly while another one is pending.
    var reducesQualityWhilePending: Bool
    /// The maximum number of frames that requests in progress hold.
    var maxHeldFrameCount: Int

    /// The rules of a live run.
    static let live = PhotoPolicy(
        emission: .atOnce, emitsReadiness: true, yieldsToFrames: true, refusesBeyondLimit: true,
        reducesQualityWhilePending: true, maxHeldFrameCount: PhotoRequestQueue.maxHeldFrameCount)
    /// The rules of a recording, whose frames wait. Identical runs give identical photographs.
    static let recorded = PhotoPolicy(
        emission: .atEnd, emitsReadiness: false, yieldsToFrames: false, refusesBeyondLimit: false,
        reducesQualityWhilePending: false, maxHeldFrameCount: .max)
}
