// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import Glibc

/// What this process gives up before it looks at the first drawing.
enum Confinement {
    /// All that it may allocate: a frame of 4K in several copies, and the largest picture.
    private static let memory: rlim_t = 768 << 20

    /// True where all of it holds from now on.
    static func enter() -> Bool {
        // To write to a file then is an error, not the end: a cache of fonts may try.
        signal(SIGXFSZ, SIG_IGN)
        // Whoever starts us marks theirs close-on-exec; an older kernel cannot do more.
        craster_close_inherited_files()
        return limit(RLIMIT_AS, memory) && limit(RLIMIT_FSIZE, 0)
            && limit(RLIMIT_CORE, 0) && craster_forbid_programs_and_network() == 0
    }

    private static func limit(_ resource: __rlimit_resource, _ value: rlim_t) -> Bool {
        var limit = rlimit(rlim_cur: value, rlim_max: value)
        return setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
    }
}
