#define _GNU_SOURCE  // dlinfo, fopencookie
#include "Silence.h"

#ifdef __linux__

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define DATA_RELOCATION R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define DATA_RELOCATION R_AARCH64_GLOB_DAT
#else
#error "name this machine's relocation for the address of a variable"
#endif

// A stream without functions discards everything.
static FILE *discarding;

// The addresses in a dynamic section are absolute in glibc, and offsets in musl.
static const char *address(const struct link_map *map, ElfW(Addr) value) {
    return (const char *)(value < map->l_addr ? map->l_addr + value : value);
}

// Makes one entry of the library's table of addresses lead to the stream above.
static void redirect(void **entry) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)((uintptr_t)entry & ~(page - 1));
    // The loader has protected the table.
    if (mprotect(start, page, PROT_READ | PROT_WRITE)) return;
    *entry = &discarding;
    mprotect(start, page, PROT_READ);
}

void clitert_silence(void *file) {
    struct link_map *map = NULL;
    if (dlinfo(file, RTLD_DI_LINKMAP, &map) || !map) return;
    if (!discarding) discarding = fopencookie(NULL, "w", (cookie_io_functions_t){0});
    if (!discarding) return;
    const ElfW(Rela) *relocations = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t size = 0;
    for (const ElfW(Dyn) *item = map->l_ld; item->d_tag != DT_NULL; item++) {
        if (item->d_tag == DT_RELA) relocations = (const void *)address(map, item->d_un.d_ptr);
        if (item->d_tag == DT_RELASZ) size = item->d_un.d_val;
        if (item->d_tag == DT_SYMTAB) symbols = (const void *)address(map, item->d_un.d_ptr);
        if (item->d_tag == DT_STRTAB) names = address(map, item->d_un.d_ptr);
    }
    if (!relocations || !symbols || !names) return;
    for (size_t i = 0; i < size / sizeof *relocations; i++) {
        const ElfW(Rela) *relocation = &relocations[i];
        if (ELF64_R_TYPE(relocation->r_info) != DATA_RELOCATION) continue;
        if (strcmp(names + symbols[ELF64_R_SYM(relocation->r_info)].st_name, "stderr")) continue;
        redirect((void **)(map->l_addr + relocation->r_offset));
    }
}

#else

void clitert_silence(void *file) { (void)file; }

#endif
