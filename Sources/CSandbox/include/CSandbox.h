// What the Linux kernel lets a process give up for good: Landlock for files, seccomp for calls. Both take calls and
// structures that no C library has. Elsewhere, and where the kernel has none of it, nothing is given up.
#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/// Which sockets a process may still make.
typedef enum : int32_t {
    CSANDBOX_NO_SOCKETS = 0,
    /// Unix sockets.
    CSANDBOX_LOCAL_SOCKETS,
    /// Unix, IPv4 and IPv6 sockets, and what looks up names and addresses.
    CSANDBOX_NETWORK_SOCKETS,
} CSandboxSockets;

/// Begins a list of what may be written; everything else may not, and no program may be started.
///
/// Returns a descriptor for `csandbox_allow` and `csandbox_enforce_files`, or -1 where there is no Landlock that will do.
int csandbox_begin_files(void);

/// Allows to write what lies at `path`, and below it where it is a folder. What cannot be listed, such as a pipe, needs no
/// permission.
void csandbox_allow(int list, const char *path);

/// Puts the list into force for the calling thread and all that it starts, and closes it. Returns whether it is in force.
bool csandbox_enforce_files(int list);

/// Refuses, in all threads, to start programs, to look into other processes, to change what the system is made of, and
/// to make other sockets. Returns whether that is in force.
bool csandbox_enforce_calls(CSandboxSockets sockets);

#endif
