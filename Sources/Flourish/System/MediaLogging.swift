import MediaIO

/// What FFmpeg says of its own work.
public enum MediaLogging {
    /// Shows FFmpeg's messages on the standard error, or hides them, as is the default.
    public static func set(verbose: Bool) {
        MediaLog.level = verbose ? .verbose : .silent
    }
}
