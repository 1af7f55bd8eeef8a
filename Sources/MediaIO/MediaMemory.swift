internal import CFFmpeg
import Synchronization

/// How the process takes memory from the system.
package enum MediaMemory {
    /// Whether the process is the program's own, so that it may decide on all of its memory.
    private static let isOwn = Atomic(false)

    /// Keeps memory that many threads free from being scattered over as many arenas, and allows for
    /// ``clearWhatIsNew()``.
    ///
    /// By default glibc opens up to eight for each core. Frames are pooled, so threads
    /// hardly ever wait for one of two; at 1080p that takes some 15 MB less at the peak.
    ///
    /// `mallopt(M_ARENA_MAX)`; does nothing with other C libraries.
    package static func limitArenas() {
        isOwn.store(true, ordering: .relaxed)
        cffmpeg_limit_arenas(2)
    }

    /// From here on memory is handed out empty, and not with what it held before, if the process is the program's own:
    /// for libraries that heed what they never wrote. At 720p it takes some 80 MB more at the peak, and no time.
    ///
    /// `mallopt(M_PERTURB)`; does nothing with other C libraries.
    static func clearWhatIsNew() {
        if isOwn.load(ordering: .relaxed) { cffmpeg_clear_new_memory() }
    }

    /// From here on what is freed goes back to the system, if the process is the program's own: coders that come and go leave
    /// their memory scattered. An hour at 720p with ten spans takes 507 MB at the peak instead of 585, and as much time.
    ///
    /// `mallopt(M_TRIM_THRESHOLD)`; does nothing with other C libraries.
    package static func returnWhatIsFreed() {
        if isOwn.load(ordering: .relaxed) { cffmpeg_return_freed_memory() }
    }
}
