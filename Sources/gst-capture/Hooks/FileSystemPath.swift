// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Paths for programs that may work elsewhere, or take a dash at the beginning for an option.
enum FileSystemPath {
    /// The path from the root.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}
