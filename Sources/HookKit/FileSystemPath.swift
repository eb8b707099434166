// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Paths for programs that have another working directory, or that read a leading dash as an option.
enum FileSystemPath {
    /// Returns the absolute path.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}
