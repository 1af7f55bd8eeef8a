/// What a quick look through a share of a recording told.
package struct SharedScan: Sendable {
    /// What the whole recording is known by again.
    package var fingerprint: String
    /// What is worth a close look; `nil` where all of the recording is, since a quick look is not enough.
    package var stretches: CloseStretches?
}
