#define _GNU_SOURCE
#include "CSafeguard.h"
#include "Sanitized.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { places = 256 };

// No function here takes a lock: the handler may run at any time.
static char *_Atomic files[places];

void csafeguard_note(const char *path)
{
    char *copy = strdup(path);
    if (!copy) return;
    for (int i = 0; i < places; i++) {
        char *nothing = NULL;
        if (atomic_compare_exchange_strong(&files[i], &nothing, copy)) return;
    }
    free(copy);
}

void csafeguard_forget(const char *path)
{
    for (int i = 0; i < places; i++) {
        char *file = atomic_load(&files[i]);
        if (!file || strcmp(file, path) != 0) continue;
        // The thread that removes it from its slot owns it.
        if (atomic_compare_exchange_strong(&files[i], &file, NULL)) free(file);
        return;
    }
}

#ifndef CSAFEGUARD_SANITIZED

static const struct { int number; const char *name; } faults[] = {
    {SIGABRT, "SIGABRT"}, {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"},
};
enum { kinds = sizeof faults / sizeof *faults };

static struct { char text[256]; int size; } lines[kinds];
static int told;
static int exit_code;
static atomic_flag ends = ATOMIC_FLAG_INIT;

// Functions that may be called here: signal-safety(7).
static void end(int number)
{
    // If another thread also fails, it waits for the process to end.
    if (atomic_flag_test_and_set(&ends))
        for (;;) pause();
    for (int i = 0; i < places; i++) {
        char *file = atomic_exchange(&files[i], NULL);
        if (file) unlink(file);
    }
    for (int i = 0; i < kinds; i++) {
        if (faults[i].number != number) continue;
        ssize_t written = write(told, lines[i].text, (size_t)lines[i].size);
        (void)written;
    }
    _exit(exit_code);
}

void csafeguard_end_in_order(int descriptor, int code)
{
    told = descriptor;
    exit_code = code;
    for (int i = 0; i < kinds; i++)
        lines[i].size = snprintf(
            lines[i].text, sizeof lines[i].text,
            "flourish: a fault in FFmpeg, another library or flourish itself ended it (%s); unfinished outputs were removed; "
            "please report it (SECURITY.md)\n",
            faults[i].name);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = end;
    action.sa_flags = SA_ONSTACK;
    // A second fault, in the handler, ends the process at once.
    sigfillset(&action.sa_mask);
    for (int i = 0; i < kinds; i++) sigaction(faults[i].number, &action, NULL);
}

#else

void csafeguard_end_in_order(int descriptor, int code)
{
    (void)descriptor;
    (void)code;
}

#endif
