#define _GNU_SOURCE
#include "CSandbox.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
// A sanitizer starts another program to symbolize its reports.
#define CSANDBOX_ABSENT 1
#endif
#endif

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(CSANDBOX_ABSENT)

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Some systems' headers lack linux/landlock.h; its numbers are the same on all machines.
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };
enum { LANDLOCK_VERSION_FLAG = 1, LANDLOCK_PATH_BENEATH = 1 };

#define RIGHT(number) (UINT64_C(1) << (number))
static const uint64_t execute = RIGHT(0), write_file = RIGHT(1), remove_folder = RIGHT(4), remove_file = RIGHT(5),
    make_device = RIGHT(6), make_folder = RIGHT(7), make_file = RIGHT(8), make_socket = RIGHT(9), make_pipe = RIGHT(10),
    make_block_device = RIGHT(11), make_link = RIGHT(12), refer = RIGHT(13), truncate_file = RIGHT(14);

struct landlock_ruleset { uint64_t handled_access_fs; };
struct landlock_path { uint64_t allowed_access; int32_t parent_fd; } __attribute__((packed));

// The version of Landlock; 0 if there is none.
static long landlock_version(void)
{
    long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION_FLAG);
    return version < 0 ? 0 : version;
}

int csandbox_begin_files(void)
{
    long version = landlock_version();
    // The first version forbids moving files between folders, which batches need.
    if (version < 2) return -1;
    struct landlock_ruleset rules = {
        execute | write_file | remove_folder | remove_file | make_device | make_folder | make_file | make_socket
        | make_pipe | make_block_device | make_link | refer | (version >= 3 ? truncate_file : 0)
    };
    long list = syscall(LANDLOCK_CREATE, &rules, sizeof rules, 0);
    return list < 0 ? -1 : (int)list;
}

void csandbox_allow(int list, const char *path)
{
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return;
    struct stat info;
    struct landlock_path rule = {0};
    rule.parent_fd = place;
    if (fstat(place, &info) == 0) {
        rule.allowed_access = write_file | (landlock_version() >= 3 ? truncate_file : 0);
        if (S_ISDIR(info.st_mode))
            rule.allowed_access |= remove_folder | remove_file | make_folder | make_file | make_pipe | refer;
        syscall(LANDLOCK_ADD, list, LANDLOCK_PATH_BENEATH, &rule, 0);
    }
    close(place);
}

bool csandbox_enforce_files(int list)
{
    bool holds = list >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && syscall(LANDLOCK_RESTRICT, list, 0) == 0;
    if (list >= 0) close(list);
    return holds;
}

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#else
#define MACHINE AUDIT_ARCH_AARCH64
#endif

// System calls that no part of the program makes, but that an attacker in its process would make.
static const uint32_t refused[] = {
    SYS_execve, SYS_execveat,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, 438 /* pidfd_getfd */,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare,
    428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 442 /* mount_setattr */,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_open_by_handle_at,
    // It executes requests without passing this filter.
    425 /* io_uring_setup */,
};

bool csandbox_enforce_calls(CSandboxSockets sockets)
{
    static const uint32_t families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
    unsigned family_count = sockets == CSANDBOX_NO_SOCKETS ? 0 : sockets == CSANDBOX_LOCAL_SOCKETS ? 1 : 4;
    const struct sock_filter
        allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        unknown = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    struct sock_filter program[128];
    unsigned short length = 0;
#define ADD(...) (program[length++] = (struct sock_filter)__VA_ARGS__)
#define LOAD(field) ADD(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field)))
    // The system calls of another architecture have other numbers.
    LOAD(arch);
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0));
    program[length++] = unknown;
    LOAD(nr);
#if defined(__x86_64__)
    // The system calls of the x32 ABI also have other numbers.
    ADD(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    program[length++] = unknown;
#endif
    for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1));
        program[length++] = refuse;
    }
    ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0));
    program[length++] = allow;
    LOAD(args[0]); // its lower half, on machines that store that first, as both do
    for (unsigned i = 0; i < family_count; i++) {
        ADD(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, families[i], 0, 1));
        program[length++] = allow;
    }
    program[length++] = refuse;
    struct sock_fprog filter = {length, program};
    // Without SPEC_ALLOW older kernels slow every branch of the process down.
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &filter) == 0;
}

#else

int csandbox_begin_files(void) { return -1; }
void csandbox_allow(int list, const char *path) { (void)list; (void)path; }
bool csandbox_enforce_files(int list) { (void)list; return false; }
bool csandbox_enforce_calls(CSandboxSockets sockets) { (void)sockets; return false; }

#endif
