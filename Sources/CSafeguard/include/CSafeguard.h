// Handles failures of the libraries in a program's process: it records failed allocations, and cleans up if one of them
// ends the process. For programs alone: users of the library control their process themselves.
#ifndef CSAFEGUARD_H
#define CSAFEGUARD_H

#include <stdint.h>

/// Returns the number of failed allocations of a plausible size, up to 64 MiB at once, which FFmpeg does not always
/// report. Damaged files mostly claim more, and their demuxer reports that.
///
/// Counts failures of `posix_memalign` and `realloc`, through which FFmpeg allocates all of its memory. Always 0 without
/// glibc, and under a sanitizer, which has its own allocator.
int64_t csafeguard_refusals(void);

/// Installs handlers for faults in the process (SIGABRT, SIGSEGV and the like), which print a line on `descriptor`, remove
/// registered files, and end the process with `code`.
///
/// Does nothing under a sanitizer, which reports more.
void csafeguard_end_in_order(int descriptor, int code);

/// Registers a file that a fault removes, up to 256 of them; further ones are kept.
void csafeguard_note(const char *path);

/// The file is not to be removed any more.
void csafeguard_forget(const char *path);

#endif
