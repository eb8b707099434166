// Part of gst-capture. Apache License 2.0, see LICENSE.

@preconcurrency import Glibc

/// The environment of this process.
package enum OwnEnvironment {
    /// All variables, as `NAME=value` (`environ(7)`).
    package static var lines: [String] {
        var (lines, entry) = ([String](), environ)
        while let line = entry.pointee {
            lines.append(String(cString: line))
            entry = entry.successor()
        }
        return lines
    }
}
