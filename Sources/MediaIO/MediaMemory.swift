internal import CFFmpeg

/// How the process takes memory from the system.
package enum MediaMemory {
    /// Keeps memory that many threads free from being scattered over as many arenas.
    ///
    /// By default glibc opens up to eight for each core. Frames are pooled, so threads
    /// hardly ever wait for one of two; at 1080p that takes some 15 MB less at the peak.
    ///
    /// `mallopt(M_ARENA_MAX)`; does nothing with other C libraries.
    package static func limitArenas() { cffmpeg_limit_arenas(2) }
}
