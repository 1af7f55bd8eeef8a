#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Lets the video go first.
enum ThreadPriority {
    /// Makes the calling thread yield to others where there is not enough for all. Linux keeps a
    /// nice value for each thread; elsewhere nothing is changed.
    static func lower() {
        #if os(Linux)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }
}
