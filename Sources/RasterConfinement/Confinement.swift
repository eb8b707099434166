// Part of gst-capture. Apache License 2.0, see LICENSE.

import CConfinement
import Glibc

/// Confines a process before it reads the first drawing. The process keeps two sockets, the memory that a drawing
/// needs, and the files that the process at the other end opens for it.
package enum Confinement {
    /// The socket over which the process asks for files. Standard input is the socket for requests.
    package static let filesDescriptor: Int32 = 3

    /// The limit for the address space of the process, in bytes: several copies of a 4K frame, and the largest picture.
    private static let memory: rlim_t = 768 << 20
    /// The limit for open files: fonts, their caches and libraries.
    private static let files: rlim_t = 256

    /// Confines this process permanently. Call it before the process starts a thread.
    ///
    /// - Returns: `false` if the kernel or the other end refuses a part of it; the process must then end.
    package static func enter() -> Bool {
        // With `SIGXFSZ` ignored, a write to a file fails but does not end the process: fontconfig may try to write its
        // cache.
        signal(SIGXFSZ, SIG_IGN)
        // `RasterProcess` passes no other file. This closes the files of any other program that starts this one, and
        // those that libraries opened at its start.
        cconf_close_files_from(filesDescriptor + 1)
        return FontFiles.send(to: filesDescriptor) && limit(RLIMIT_AS, memory) && limit(RLIMIT_FSIZE, 0)
            && limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, files) && cconf_enter(filesDescriptor) == 0
    }

    private static func limit(_ resource: __rlimit_resource, _ value: rlim_t) -> Bool {
        var limit = rlimit(rlim_cur: value, rlim_max: value)
        return setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
    }
}
