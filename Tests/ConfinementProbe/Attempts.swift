// Part of gst-capture. Apache License 2.0, see LICENSE.

import CSystemCall
import Glibc

/// System calls that a process which draws must not be able to make, and some that it needs.
struct Attempts {
    /// A file of the user.
    let userFile: String
    /// A file of a font.
    let font: String

    /// The prefix of attempts that must succeed.
    private static let allowed = "allowed: "

    /// Makes all attempts.
    var all: [(name: String, result: Int)] {
        signals + memory + processes + network + userFiles + writing + privileges + allowedCalls
    }

    private typealias Result = (name: String, result: Int)

    private var parent: Int { Int(getppid()) }

    // MARK: Other processes

    private var signals: [Result] {
        [
            ("kill the parent", call(SYS_kill, parent, 0)),
            ("kill all", call(SYS_kill, -1, 0)),
            ("tkill the parent", call(SYS_tkill, parent, 0)),
            ("tgkill the parent", call(SYS_tgkill, parent, parent, 0)),
            ("queue a signal", call(SYS_rt_sigqueueinfo, parent, Int(SIGUSR1), block())),
            ("open a process", call(SYS_pidfd_open, parent, 0)),
            ("own a descriptor's signals", call(SYS_fcntl, 0, Int(F_SETOWN), parent)),
            ("choose a descriptor's signal", call(SYS_fcntl, 0, 10, Int(SIGKILL))),
        ]
    }

    private var memory: [Result] {
        [
            ("read the parent's memory", call(SYS_process_vm_readv, parent, block(), 1, block(), 1, 0)),
            ("write the parent's memory", call(SYS_process_vm_writev, parent, block(), 1, block(), 1, 0)),
            ("open the parent's memory", open("/proc/\(parent)/mem", O_RDONLY)),
            ("open the parent's memory for writing", open("/proc/\(parent)/mem", O_RDWR)),
            ("open the parent's environment", open("/proc/\(parent)/environ", O_RDONLY)),
            ("open its own memory", open("/proc/self/mem", O_RDWR)),
            ("seize the parent", call(SYS_ptrace, 0x4206, parent, 0, 0)),
            ("attach to the parent", call(SYS_ptrace, 16, parent, 0, 0)),
            ("be traced", call(SYS_ptrace, 0, 0, 0, 0)),
            ("compare with the parent", call(SYS_kcmp, parent, parent, 0, 0, 0)),
            ("advise on the parent's memory", call(SYS_process_madvise, parent, block(), 1, 4, 0)),
        ]
    }

    private var processes: [Result] {
        let (path, arguments) = (text("/bin/true"), block())
        return [
            ("execute", call(SYS_execve, path, arguments, arguments)),
            ("execute at", call(SYS_execveat, -100, path, arguments, arguments, 0)),
            ("clone a process", child(call(SYS_clone, Int(SIGCHLD), 0, 0, 0, 0))),
            ("clone a namespace", child(call(SYS_clone, 0x1000_0000 | Int(SIGCHLD), 0, 0, 0, 0))),
            ("clone anew", child(call(SYS_clone3, block(), 64))),
            ("set up io_uring", call(SYS_io_uring_setup, 8, block())),
            ("set up asynchronous I/O", call(SYS_io_setup, 8, block())),
            ("change the parent's limits", call(SYS_prlimit64, parent, Int(RLIMIT_CORE.rawValue), block(), 0)),
            ("raise a limit", call(SYS_prlimit64, 0, 1, block(), 0)),
            ("pin the parent", call(SYS_sched_setaffinity, parent, 8, block())),
            ("change a priority", call(SYS_setpriority, 0, parent, 19)),
        ]
    }

    // MARK: The network

    private var network: [Result] {
        [
            ("connect by TCP", call(SYS_socket, Int(AF_INET), 1, 0)),
            ("connect by UDP", call(SYS_socket, Int(AF_INET6), 2, 0)),
            ("connect to a local socket", call(SYS_socket, Int(AF_UNIX), 1, 0)),
            ("listen to the kernel", call(SYS_socket, 16, 3, 0)),
            ("make a pair of sockets", call(SYS_socketpair, Int(AF_UNIX), 1, 0, block())),
            ("send to an address", call(SYS_sendto, 0, block(), 1, 0, block(), 16)),
            ("send a message", call(SYS_sendmsg, 0, block(), 0)),
            ("bind", call(SYS_bind, 0, block(), 16)),
            ("connect", call(SYS_connect, 0, block(), 16)),
            ("accept", call(SYS_accept4, 0, 0, 0, 0)),
        ]
    }

    // MARK: Files

    private var userFiles: [Result] {
        let path = text(userFile)
        return [
            ("open a file", open(userFile, O_RDONLY)),
            ("open a file from elsewhere", open("/usr/share/../../\(userFile)", O_RDONLY)),
            ("open a file's path", open(userFile, 0o10000000)),
            ("open a relative path", open("etc/passwd", O_RDONLY)),
            ("open a password file", open("/etc/passwd", O_RDONLY)),
            ("open a file of this process", open("/proc/self/environ", O_RDONLY)),
            ("open through /proc", open("/proc/\(parent)/root\(userFile)", O_RDONLY)),
            ("open a folder", open("/tmp", O_RDONLY | O_DIRECTORY)),
            ("open the root folder", open("/", O_RDONLY | O_DIRECTORY)),
            ("open a device", open("/dev/zero", O_RDONLY)),
            ("open the terminal", open("/dev/tty", O_RDONLY)),
            ("open anew", call(SYS_openat2, -100, path, block(), 24)),
            ("open by handle", call(SYS_open_by_handle_at, -100, block(), 0)),
            ("open a tree", call(SYS_open_tree, -100, path, 0)),
            ("watch a folder", call(SYS_inotify_init1, 0)),
            ("map a new file", call(SYS_memfd_create, path, 0)),
            ("control a device", call(SYS_ioctl, 1, 0x5412, block())),
        ]
    }

    private var writing: [Result] {
        let (path, other) = (text(userFile), text(userFile + "-2"))
        return [
            ("open for writing", open(userFile, O_WRONLY)),
            ("open to append", open(userFile, O_RDONLY | O_APPEND)),
            ("open and truncate", open(font, O_RDONLY | O_TRUNC)),
            ("create", open(userFile + "-2", O_RDONLY | O_CREAT)),
            ("open a font for writing", open(font, O_RDWR)),
            ("remove", call(SYS_unlinkat, -100, path, 0)),
            ("rename", call(SYS_renameat2, -100, path, -100, other, 0)),
            ("link", call(SYS_linkat, -100, path, -100, other, 0)),
            ("link by name", call(SYS_symlinkat, path, -100, other)),
            ("make a folder", call(SYS_mkdirat, -100, other, 0o700)),
            ("make a node", call(SYS_mknodat, -100, other, 0o10600, 0)),
            ("shorten", call(SYS_truncate, path, 0)),
            ("change the mode", call(SYS_fchmodat, -100, path, 0o777)),
            ("change the owner", call(SYS_fchownat, -100, path, 0, 0, 0)),
            ("change the times", call(SYS_utimensat, -100, path, 0, 0)),
            ("set an attribute", call(SYS_setxattr, path, text("user.a"), path, 1, 0)),
            ("copy between files", call(SYS_splice, 0, 0, 1, 0, 1, 0)),
            ("change folders", call(SYS_chdir, text("/"))),
        ]
    }

    private var privileges: [Result] {
        [
            ("mount", call(SYS_mount, text("/"), text("/mnt"), 0, 4096, 0)),
            ("change the root", call(SYS_chroot, text("/usr"))),
            ("make namespaces", call(SYS_unshare, 0x1000_0000)),
            ("enter a namespace", call(SYS_setns, 0, 0)),
            ("load a program", call(SYS_bpf, 0, block(), 48)),
            ("count events", call(SYS_perf_event_open, block(), 0, -1, -1, 0)),
            ("handle page faults", call(SYS_userfaultfd, 0)),
            ("use keys", call(SYS_keyctl, 0, -3, 0)),
            ("share memory", call(SYS_shmget, 0, 4096, 0o1600)),
            ("queue messages", call(SYS_msgget, 0, 0o1600)),
            ("change the user", call(SYS_setuid, 0)),
            ("change the host's name", call(SYS_sethostname, text("a"), 1)),
            ("be dumpable", call(SYS_prctl, Int(PR_SET_DUMPABLE), 1, 0, 0, 0)),
            ("let others trace", call(SYS_prctl, 0x5961_6d61, -1, 0, 0, 0)),
            ("filter once more", call(SYS_seccomp, 1, 0, block())),
            ("start a session", call(SYS_setsid)),
            ("join the parent's group", call(SYS_setpgid, 0, parent)),
        ]
    }

    // MARK: Calls that drawing needs

    private var allowedCalls: [Result] {
        let files = (0..<1024).filter { call(SYS_fcntl, $0, Int(F_GETFD), 0) >= 0 }
        return [
            ("open a font", open(font, O_RDONLY)),
            ("open a library", open("/usr/lib", O_RDONLY | O_DIRECTORY)),
            ("random bytes", call(SYS_getrandom, block(), 16, 0)),
            ("start a thread", threadResult),
            ("inherited files", files == [0, 1, 2, 3] ? 0 : -1),
            ("inherited variables", getenv("PATH") == nil && getenv("G_DEBUG") == nil ? 0 : -1),
            ("dumpable", call(SYS_prctl, Int(PR_GET_DUMPABLE), 0, 0, 0, 0) == 0 ? 0 : -1),
        ].map { (Self.allowed + $0.0, $0.1) }
    }

    /// The result of opening a file in another thread, which must be as in the first one.
    private var threadResult: Int {
        var thread = pthread_t()
        let path = text(font)
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { path in
            let result = csystem_call(Int(SYS_openat), -100, Int(bitPattern: path), 0, 0, 0, 0)
            return UnsafeMutableRawPointer(bitPattern: result < 0 ? 1 : 2)
        }
        let failure = pthread_create(&thread, nil, body, UnsafeMutableRawPointer(bitPattern: path))
        guard failure == 0 else { return -Int(failure) }
        var result: UnsafeMutableRawPointer?
        pthread_join(thread, &result)
        return result == UnsafeMutableRawPointer(bitPattern: 2) ? 0 : -1
    }

    // MARK: Calling

    private func call(_ number: Int32, _ arguments: Int...) -> Int {
        let all = arguments + [Int](repeating: 0, count: 6 - arguments.count)
        return csystem_call(Int(number), all[0], all[1], all[2], all[3], all[4], all[5])
    }

    private func open(_ path: String, _ flags: Int32) -> Int { call(SYS_openat, -100, text(path), Int(flags), 0o600) }

    /// Ends a forbidden child at once.
    private func child(_ result: Int) -> Int {
        if result == 0 { _exit(0) }
        return result
    }

    // The memory is not freed: the process lives for one request.
    private func block() -> Int { Int(bitPattern: calloc(1, 4096)) }

    private func text(_ text: String) -> Int { Int(bitPattern: strdup(text)) }
}
