// Attempts, from the program's own process, operations that the sandbox must refuse. Load it before all other
// libraries (LD_PRELOAD). It prints the results on the standard error when the program gives an output its name.
//
// ESCAPE_FILE  a file to create.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int starts_program(void)
{
    pid_t process;
    char *arguments[] = {"/bin/sh", "-c", ":", NULL};
    if (posix_spawn(&process, arguments[0], NULL, NULL, arguments, NULL) != 0) return 0;
    int status;
    waitpid(process, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int opens(int family)
{
    int descriptor = socket(family, SOCK_STREAM, 0);
    if (descriptor >= 0) close(descriptor);
    return descriptor >= 0;
}

static int writes(const char *path)
{
    int descriptor = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (descriptor >= 0) close(descriptor);
    return descriptor >= 0;
}

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    if (!real) real = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    dprintf(STDERR_FILENO, "escape: program %d, network %d, local %d, file %d\n", starts_program(), opens(AF_INET),
            opens(AF_UNIX), writes(getenv("ESCAPE_FILE")));
    return real(from, to);
}
