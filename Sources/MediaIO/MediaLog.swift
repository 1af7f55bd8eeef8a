internal import CFFmpeg
import Synchronization

/// FFmpeg's own log, which is hidden unless the user enables it.
package enum MediaLog {
    package enum Level: Sendable, Hashable, CaseIterable {
        /// Nothing reaches stderr; important events are reported as ``MediaError`` or as values.
        case silent
        case errors, warnings, verbose
    }

    private static let current = Mutex<Level?>(nil)

    /// The level from which FFmpeg's log is written to stderr, for the whole process; `silent` by default.
    ///
    /// `av_log_set_callback`, `av_log_set_level`
    package static var level: Level {
        get { current.withLock { $0 ?? .silent } }
        set {
            current.withLock {
                $0 = newValue; apply(newValue)
            }
        }
    }

    /// Sets the default level if none is set. Every entry point to FFmpeg in this module calls this function.
    static func prepare() {
        current.withLock {
            guard $0 == nil else { return }
            $0 = .silent
            apply(.silent)
        }
    }

    private static func apply(_ level: Level) {
        // SVT-AV1 writes to stderr directly, unless its environment forbids it.
        if level != .verbose { _ = unsafe setenv("SVT_LOG", level == .silent ? "0" : "1", 0) }
        switch level {
        case .silent: cffmpeg_set_log(0, AV_LOG_QUIET)
        case .errors: cffmpeg_set_log(1, AV_LOG_ERROR)
        case .warnings: cffmpeg_set_log(1, AV_LOG_WARNING)
        case .verbose: cffmpeg_set_log(1, AV_LOG_VERBOSE)
        }
    }
}
