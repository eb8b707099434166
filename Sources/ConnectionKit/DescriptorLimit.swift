// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Glibc

/// The limit of open descriptors. Dispatch and GStreamer end a process that has used up its descriptors, so connections
/// get only a part of them.
package enum DescriptorLimit {
    /// More than the service can use.
    private static let enough: rlim_t = 4096
    /// The fewest connections with which the web page works.
    private static let fewestConnections = 16

    /// Raises the soft limit to the hard limit (`setrlimit(2)`). Returns the soft limit. Call it before other threads
    /// run: programs that this one starts inherit it.
    package static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let wanted = max(limit.rlim_cur, min(limit.rlim_max, enough))
        var raised = rlimit(rlim_cur: wanted, rlim_max: limit.rlim_max)
        let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0
        return Int(clamping: isRaised ? wanted : limit.rlim_cur)
    }

    /// Returns how many connections a process may have: three quarters of its descriptors are for cameras, pictures and
    /// ledgers.
    package static func connections(with limit: Int) -> Int {
        max(fewestConnections, min(ConnectionLimit.most, limit / 4))
    }
}
#endif
