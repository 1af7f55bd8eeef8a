import MediaIO

/// The memory settings of a process that mainly runs sessions.
public enum ProcessMemory {
    /// Lets threads share free memory, which lowers the process's peak of memory. The setting applies to the whole
    /// process, and must be made before the first session.
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
    /// Prints FFmpeg's messages to the standard error, or hides them, which is the default.
    ///
    /// ```swift
    /// MediaLogging.set(verbose: true)
    /// ```
    public static func set(verbose: Bool) {
        MediaLog.level = verbose ? .verbose : .silent
    }
}
