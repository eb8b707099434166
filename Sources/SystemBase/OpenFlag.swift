// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Flags of open(2) that Glibc declares for `_GNU_SOURCE` only.
package enum OpenFlag {
    /// `O_PATH`: opens the place of a file or folder, without permission to read it.
    package static let path: Int32 = 0o10000000
}
