// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Synchronization

/// The environment variables that the command sets for GStreamer's start, and that hooks must not inherit.
package enum OwnVariables {
    private static let names = Mutex<[String]>([])

    /// Sets a variable that is not set. Call it before there are threads: another thread could be reading the
    /// environment.
    package static func set(_ name: String, _ value: String) {
        guard getenv(name) == nil else { return }
        setenv(name, value, 0)
        names.withLock { $0.append(name) }
    }

    /// `true` for a line `NAME=value` of the environment whose variable ``set(_:_:)`` set.
    package static func contain(_ line: String) -> Bool {
        names.withLock { names in names.contains { line.hasPrefix($0 + "=") } }
    }
}
