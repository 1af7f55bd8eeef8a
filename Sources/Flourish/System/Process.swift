import MediaIO

/// The memory of a process that mainly runs sessions.
public enum ProcessMemory {
    /// Lets threads share free memory, which lowers the peak. The setting holds for the whole process; call this before
    /// the first session.
    ///
    /// ```swift
    /// ProcessMemory.shareBetweenThreads()
    /// let outcome = try await ReactionSession().filter("call.mp4", to: "reacted.mp4")
    /// ```
    public static func shareBetweenThreads() {
        MediaMemory.limitArenas()
    }
}

/// FFmpeg's log.
public enum MediaLogging {
    /// Prints FFmpeg's messages on the standard error, or, by default, hides them.
    ///
    /// ```swift
    /// MediaLogging.set(verbose: true)
    /// ```
    public static func set(verbose: Bool) {
        MediaLog.level = verbose ? .verbose : .silent
    }
}
