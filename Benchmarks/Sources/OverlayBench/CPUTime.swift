// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The processor time of this process, of all threads together.
enum CPUTime {
    /// In nanoseconds (`CLOCK_PROCESS_CPUTIME_ID`).
    static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
