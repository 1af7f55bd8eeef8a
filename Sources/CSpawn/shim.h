// Functions of glibc for starting programs that its headers declare only with _GNU_SOURCE, which Swift does not define.
// No header of the system is included: its types would become those of this module.
#ifndef CSPAWN_SHIM_H
#define CSPAWN_SHIM_H

#if defined(__linux__)

extern int memfd_create(const char *name, unsigned flags);
extern int posix_spawn_file_actions_addclosefrom_np(void *actions, int first);

// Opens a nameless file in memory, which a program that is started does not inherit. Returns -1 on failure.
static inline int cspawn_memory_file(void) { return memfd_create("input", 1u /* MFD_CLOEXEC */); }

#endif

#endif
