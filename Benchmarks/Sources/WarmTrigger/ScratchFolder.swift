// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import Glibc

/// A folder on the disk that is measured; it is removed with the benchmark.
final class ScratchFolder {
    let path: String

    init() throws {
        path = "bench-\(getpid())"
        guard mkdir(path, 0o755) == 0 else { throw CaptureError(.cannotCreate, "no folder can be made here") }
    }

    deinit {
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            unlink(path + "/" + name)
        }
        closedir(folder)
        rmdir(path)
    }
}
