import MediaIO

/// The memory of a process that does little else than run sessions.
public enum ProcessMemory {
    /// Lets the threads of a run share their free memory, which lowers the peak. It holds
    /// for the whole process, so a program decides; call it before the first session.
    public static func shareBetweenThreads() {
        MediaMemory.limitArenas()
    }
}

/// What FFmpeg says of its own work.
public enum MediaLogging {
    /// Shows FFmpeg's messages on the standard error, or hides them, as is the default.
    public static func set(verbose: Bool) {
        MediaLog.level = verbose ? .verbose : .silent
    }
}
