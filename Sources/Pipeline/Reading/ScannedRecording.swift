package import MediaIO

/// What a quick look through a recording tells: when its frames are shown, and which of them are worth a close look.
package struct ScannedRecording: Sendable {
    package var index: FrameIndex
    /// The frames in the order in which they are shown.
    package var frames: [FrameIndex.Entry]
    var stretches: CloseStretches
    /// What all packets tell.
    package var recording: RecordingSurvey
}
