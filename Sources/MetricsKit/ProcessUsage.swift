// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Glibc

/// The resources that this process uses, as Linux counts them (proc(5)).
package struct ProcessUsage: Sendable {
    /// User and system time, in seconds.
    package let processorSeconds: Double
    /// The memory that is in RAM, in bytes.
    package let residentBytes: Int
    /// The number of open descriptors.
    package let openDescriptors: Int
    /// The limit of open descriptors.
    package let mostDescriptors: Int
    /// When the process started, in seconds since 1970.
    package let start: Double

    /// Reads the use of this process; `nil` without /proc. Blocks.
    package init?() {
        guard let stat = Self.read("/proc/self/stat"),
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        // The name of the program is in parentheses, and may contain blanks. The state, field 3, follows it.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ").dropFirst()
        let values = fields.map { Double($0) ?? 0 }
        guard values.count > 21 else { return nil }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        processorSeconds = (values[11] + values[12]) / ticks
        // In ticks since the boot.
        start = Self.boot + values[19] / ticks
        residentBytes = Int(values[21]) * sysconf(Int32(_SC_PAGESIZE))
        // One descriptor reads the folder.
        openDescriptors = max(0, names.count - 1)
        mostDescriptors = Int(clamping: limit.rlim_cur)
    }

    /// When the machine started, in seconds since 1970. The unit of systemd hides /proc/stat, which has it. It is read
    /// once, because alerts count the changes of the process's start.
    private static let boot = seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME)

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func read(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
