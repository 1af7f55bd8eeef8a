/// Whom to tell that an input gives nothing.
package struct StallWarning: Sendable {
    /// After so many seconds.
    let seconds: Double
    /// Called once for each pause, on the thread that reads.
    let tell: @Sendable () -> Void

    package init(after seconds: Double, tell: @escaping @Sendable () -> Void) {
        self.seconds = seconds
        self.tell = tell
    }
}
