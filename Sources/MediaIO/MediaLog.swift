internal import CFFmpeg
import Platform
internal import Synchronization

/// FFmpeg's own log, which people do not see unless they ask for it.
package enum MediaLog {
    package enum Level: Sendable, Hashable, CaseIterable {
        /// Nothing reaches stderr; what matters is reported as ``MediaError`` or as values.
        case silent
        case errors, warnings, verbose
    }

    private static let current = Mutex<Level?>(nil)

    /// How much of FFmpeg's log goes to stderr from now on. At first: nothing.
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

    /// Called by everything here that enters FFmpeg first.
    static func prepare() {
        current.withLock {
            guard $0 == nil else { return }
            $0 = .silent
            apply(.silent)
        }
    }

    private static func apply(_ level: Level) {
        // SVT-AV1 writes to stderr past FFmpeg's log, unless its environment forbids it.
        if level != .verbose { _ = unsafe setenv("SVT_LOG", level == .silent ? "0" : "1", 0) }
        switch level {
        case .silent: cffmpeg_set_log(0, AV_LOG_QUIET)
        case .errors: cffmpeg_set_log(1, AV_LOG_ERROR)
        case .warnings: cffmpeg_set_log(1, AV_LOG_WARNING)
        case .verbose: cffmpeg_set_log(1, AV_LOG_VERBOSE)
        }
    }
}
