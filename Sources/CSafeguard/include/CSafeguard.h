// What a program does where the libraries in its process fail it: it notes that memory was refused to them, and ends in order
// where one of them ends the process. For programs alone: whoever uses the library decides on his process himself.
#ifndef CSAFEGUARD_H
#define CSAFEGUARD_H

#include <stdint.h>

/// How often memory was refused so far that somebody in this process may well ask for, which FFmpeg does not always tell:
/// up to 64 MiB at once. What damaged files claim is more, as a rule, and whoever asks for it reports that.
///
/// Counts what `posix_memalign` and `realloc` refuse, by which FFmpeg takes all of its memory. Always 0 without glibc, and
/// under a sanitizer, which has its own.
int64_t csafeguard_refusals(void);

/// From now on a fault in the process (SIGABRT, SIGSEGV and the like) is told in a line on `descriptor`, and files that were
/// noted are removed; then the process ends with `code`.
///
/// Does nothing under a sanitizer, which tells more.
void csafeguard_end_in_order(int descriptor, int code);

/// Notes a file that a fault removes. There is room for 256; what finds none stays.
void csafeguard_note(const char *path);

/// The file is not to be removed any more.
void csafeguard_forget(const char *path);

#endif
