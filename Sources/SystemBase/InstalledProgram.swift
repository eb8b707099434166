// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Finds the programs that are installed with this one.
package enum InstalledProgram {
    /// Returns the path of a program: beside this one, in `../libexec/gst-capture` relative to this one's folder, in
    /// `/usr/local/libexec/gst-capture` or in `/usr/libexec/gst-capture`; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - program: The path of this program.
    ///   - canRun: `true` if a path is an executable.
    package static func path(
        of name: String, beside program: String? = running, where canRun: (String) -> Bool = canRun
    ) -> String? {
        let folder = program?.lastIndex(of: "/").flatMap { slash in program?[..<slash] }
        let besides = folder.map { ["\($0)", "\($0)/../libexec/gst-capture"] } ?? []
        let folders = besides + ["/usr/local/libexec/gst-capture", "/usr/libexec/gst-capture"]
        return folders.lazy.map { "\($0)/\(name)" }.first(where: canRun)
    }

    /// The path of this program (`/proc/self/exe`).
    package static var running: String? {
        let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { path, count in
            guard let start = path.baseAddress else { return }
            count = max(0, readlink("/proc/self/exe", start, path.count))
        }
        return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
    }

    /// Returns `true` if this process may execute the file.
    package static func canRun(_ path: String) -> Bool { access(path, X_OK) == 0 }
}
