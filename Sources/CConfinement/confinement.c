// Part of gst-capture. Apache License 2.0, see LICENSE.

#define _GNU_SOURCE
#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "add this processor's AUDIT_ARCH_, and how a signal handler reads the arguments of a system call"
#endif

// --- Messages

int cconf_send(int socket, uint8_t kind, const char *path)
{
    char message[CCONF_MESSAGE_BYTES];
    size_t length = strnlen(path, sizeof message);
    if (length >= sizeof message)
        return ENAMETOOLONG;
    message[0] = (char)kind;
    memcpy(message + 1, path, length);
    ssize_t sent;
    do {
        sent = sendto(socket, message, length + 1, MSG_NOSIGNAL, NULL, 0);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

/// Room for the control message that carries one descriptor.
union descriptor_message {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int cconf_answer(int socket, int error, int descriptor)
{
    union descriptor_message control;
    memset(&control, 0, sizeof control);
    struct iovec part = { &error, sizeof error };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    if (error == 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

/// Receives what cconf_answer sent: a descriptor, or a negative errno.
static int receive_descriptor(int socket)
{
    union descriptor_message control;
    memset(&control, 0, sizeof control);
    int error = EIO;
    struct iovec part = { &error, sizeof error };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes
    };
    ssize_t received;
    do {
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received != sizeof error)
        return -EIO;
    if (error != 0)
        return -error;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int)))
        return -EIO;
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

// --- Opening files for another process

int cconf_find(const char *path, char *real, size_t size)
{
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return -errno;
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", place);
    ssize_t length = readlink(link, real, size - 1);
    if (length < 0) {
        int failure = errno;
        close(place);
        return -failure;
    }
    real[length] = '\0';
    return place;
}

int cconf_reopen(int place, int is_folder)
{
    struct stat status;
    if (fstat(place, &status) != 0)
        return -errno;
    if (!S_ISDIR(status.st_mode) && (is_folder || !S_ISREG(status.st_mode)))
        return is_folder ? -ENOTDIR : -EACCES;
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", place);
    int descriptor = open(link, O_RDONLY | O_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

// --- Opening files here

static int files_socket = -1;
/// Set during a request and its answer, because threads share the socket.
static atomic_flag is_asking = ATOMIC_FLAG_INIT;

static int open_elsewhere(const char *path, int flags)
{
    const int refused = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_PATH | (O_TMPFILE & ~O_DIRECTORY);
    if ((flags & refused) != O_RDONLY)
        return -EACCES;
    // A relative path would lead elsewhere in the other process.
    if (path == NULL || path[0] != '/')
        return -EACCES;
    while (atomic_flag_test_and_set_explicit(&is_asking, memory_order_acquire))
        sched_yield();
    int failure = cconf_send(files_socket, flags & O_DIRECTORY ? CCONF_OPEN_FOLDER : CCONF_OPEN, path);
    int result = failure ? -failure : receive_descriptor(files_socket);
    atomic_flag_clear_explicit(&is_asking, memory_order_release);
    return result;
}

/// Runs in place of a system call that the filter trapped: open or openat.
static void answer_trapped_call(int signal, siginfo_t *information, void *context)
{
    (void)signal;
    int saved = errno;
    mcontext_t *registers = &((ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    greg_t *result = &registers->gregs[REG_RAX];
    unsigned long first = (unsigned long)registers->gregs[REG_RDI];
    unsigned long second = (unsigned long)registers->gregs[REG_RSI];
    unsigned long third = (unsigned long)registers->gregs[REG_RDX];
#else
    unsigned long long *result = &registers->regs[0];
    unsigned long first = registers->regs[0], second = registers->regs[1], third = registers->regs[2];
#endif
    if (information->si_syscall == SYS_openat)
        *result = open_elsewhere((const char *)second, (int)third);
#ifdef SYS_open
    else if (information->si_syscall == SYS_open)
        *result = open_elsewhere((const char *)first, (int)second);
#endif
    else
        *result = -ENOSYS;
    (void)first;
    errno = saved;
}

static int handle_trapped_calls(void)
{
    struct sigaction action = { .sa_sigaction = answer_trapped_call, .sa_flags = SA_SIGINFO | SA_NODEFER };
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSYS, &action, NULL) == 0 ? 0 : errno;
}

// --- Landlock

// Declared here, because headers of older systems (Debian 12: Linux 6.1) lack the newer fields.
struct landlock_rules {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

/// Refuses all files, TCP, signals and abstract sockets, up to the version of this kernel's Landlock. On a kernel
/// without Landlock, the filter alone refuses them.
static int enter_landlock(void)
{
    const int create = 444, restrict_self = 446;  // the same on all processors
    long version = syscall(create, NULL, 0, 1U << 0);  // LANDLOCK_CREATE_RULESET_VERSION
    if (version < 1)
        return 0;
    // LANDLOCK_ACCESS_FS_EXECUTE to _MAKE_SYM; _REFER; _TRUNCATE; _IOCTL_DEV.
    struct landlock_rules rules = { .files = (1U << 13) - 1 };
    if (version >= 2)
        rules.files |= 1U << 13;
    if (version >= 3)
        rules.files |= 1U << 14;
    if (version >= 5)
        rules.files |= 1U << 15;
    // LANDLOCK_ACCESS_NET_BIND_TCP and _CONNECT_TCP; LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET and _SIGNAL.
    if (version >= 4)
        rules.network = 3;
    if (version >= 6)
        rules.scopes = 3;
    long ruleset = syscall(create, &rules, sizeof rules, 0);
    if (ruleset < 0)
        return errno;
    long outcome = syscall(restrict_self, ruleset, 0);
    int failure = outcome == 0 ? 0 : errno;
    close((int)ruleset);
    return failure;
}

// --- The filter

/// System calls that a drawing needs, allowed on all of its files and with any arguments.
static const int allowed_calls[] = {
    // Memory.
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
    // Open files and sockets. FreeType, fontconfig and the loader map and seek. fontconfig reads the kind of file
    // system, and advises how it reads.
    SYS_read, SYS_pread64, SYS_readv, SYS_write, SYS_writev, SYS_lseek, SYS_close, SYS_getdents64, SYS_fstatfs,
    SYS_fadvise64, SYS_recvfrom, SYS_recvmsg, SYS_ppoll,
    // Whether a file exists, and its age: fontconfig compares its caches. glibc and Rust use the newest call available.
    SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_faccessat, SYS_readlinkat, SYS_getcwd,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
    // Threads: Pango searches fonts, and librsvg filters pictures, in several threads. glibc 2.35 uses rseq, Rust's
    // crossbeam uses membarrier. sched_getaffinity returns how many threads are useful. GLib reads its scheduling
    // attributes.
    SYS_futex, SYS_set_robust_list, SYS_gettid, SYS_getpid, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getattr,
    SYS_membarrier, SYS_exit, SYS_exit_group,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_futex_waitv
    SYS_futex_waitv,
#endif
    // GLib wakes its threads with these.
    SYS_eventfd2, SYS_pipe2,
    // The signal handlers of the process.
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
    // Time, if the vDSO cannot read it; the time limit of a drawing (alarm(2)).
    SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_nanosleep, SYS_clock_nanosleep, SYS_setitimer,
    // Information: seeds of hash tables, the size of memory (qsort), the user.
    SYS_getrandom, SYS_sysinfo, SYS_uname, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getresuid,
    SYS_getresgid, SYS_getcpu,
    // The older calls of x86-64 for the same purposes.
#ifdef SYS_poll
    SYS_poll, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_time, SYS_alarm,
#endif
};

struct program {
    struct sock_filter code[400];
    unsigned short count;
};

static void put(struct program *program, uint16_t code, size_t if_true, size_t if_false, uint32_t value)
{
    program->code[program->count++] = (struct sock_filter) { code, (uint8_t)if_true, (uint8_t)if_false, value };
}

static void load(struct program *program, size_t place)
{
    put(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)place);
}

static void finish(struct program *program, uint32_t verdict) { put(program, BPF_RET | BPF_K, 0, 0, verdict); }

/// Adds a verdict for a call with any arguments.
static void judge(struct program *program, int call, uint32_t verdict)
{
    put(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)call);
    finish(program, verdict);
}

/// Allows a call if an argument has one of these values. The kernel reads 32 bits of an int, and 64 bits of a pointer
/// or a long (is_wide).
static void allow_values(
    struct program *program, int call, int argument, bool is_wide, const uint32_t *values, size_t count)
{
    size_t place = offsetof(struct seccomp_data, args) + 8 * (size_t)argument;
    put(program, BPF_JMP | BPF_JEQ | BPF_K, 0, (is_wide ? 2 : 0) + 1 + count + 2, (uint32_t)call);
    if (is_wide) {
        load(program, place + 4);
        put(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1 + count, 0);
    }
    load(program, place);
    for (size_t index = 0; index < count; index++)
        put(program, BPF_JMP | BPF_JEQ | BPF_K, count - index, 0, values[index]);
    finish(program, SECCOMP_RET_ERRNO | EPERM);
    finish(program, SECCOMP_RET_ALLOW);
}

#define ALLOW_VALUES(program, call, argument, is_wide, ...)                                                            \
    do {                                                                                                               \
        const uint32_t values[] = { __VA_ARGS__ };                                                                     \
        allow_values(program, call, argument, is_wide, values, sizeof values / sizeof *values);                        \
    } while (0)

static void allow_some_arguments(struct program *program)
{
    // Only threads, as glibc and musl start them, and no processes. clone3 fails as unknown, because its flags are in
    // memory, which a filter cannot read; glibc then uses clone.
    ALLOW_VALUES(program, SYS_clone, 0, true, 0x3D0F00, 0x7D0F00);
    // Never F_SETOWN and F_SETSIG, which send signals to any process of the user.
    ALLOW_VALUES(program, SYS_fcntl, 1, false, F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC);
    // Names of threads and of memory (PR_SET_VMA, glibc 2.38), and whether other processes may look into this process.
    ALLOW_VALUES(program, SYS_prctl, 0, false, PR_SET_NAME, PR_GET_NAME, 0x53564d41, PR_GET_DUMPABLE);
    // Only to the other end of the socket, never to an address.
    ALLOW_VALUES(program, SYS_sendto, 4, true, 0);
    // To read limits, not to set them. Reading those of another process changes nothing.
    ALLOW_VALUES(program, SYS_prlimit64, 2, true, 0);
    // abort(3) sends SIGABRT to its own process.
    ALLOW_VALUES(program, SYS_tgkill, 0, false, (uint32_t)getpid());
}

static int enter_filter(void)
{
    static struct program program;
    program.count = 0;
    load(&program, offsetof(struct seccomp_data, arch));
    put(&program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, NATIVE_ARCHITECTURE);
    finish(&program, SECCOMP_RET_KILL_PROCESS);
    load(&program, offsetof(struct seccomp_data, nr));
    judge(&program, SYS_openat, SECCOMP_RET_TRAP);
#ifdef SYS_open
    judge(&program, SYS_open, SECCOMP_RET_TRAP);
#endif
    for (size_t index = 0; index < sizeof allowed_calls / sizeof *allowed_calls; index++)
        judge(&program, allowed_calls[index], SECCOMP_RET_ALLOW);
    allow_some_arguments(&program);
    // Fails as on a kernel that does not know the call; libraries then do without it.
    finish(&program, SECCOMP_RET_ERRNO | ENOSYS);
    struct sock_fprog filter = { program.count, program.code };
    long outcome = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    // A result above 0 is the number of a thread that could not be confined.
    return outcome == 0 ? 0 : outcome > 0 ? EBUSY : errno;
}

void cconf_close_files_from(int descriptor) { syscall(SYS_close_range, descriptor, ~0U, 0); }

int cconf_enter(int files)
{
    files_socket = files;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        return errno;
    int failure = enter_landlock();
    if (failure == 0)
        failure = handle_trapped_calls();
    return failure ? failure : enter_filter();
}
