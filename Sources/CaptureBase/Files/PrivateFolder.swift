// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Folders of the service that other users may not read.
package enum PrivateFolder {
    /// Creates a folder, with the mode 0700, if it does not exist. Its name is durable on return. Blocks.
    package static func make(_ folder: String) throws(CaptureError) {
        guard !DeviceFiles.exists(folder) else { return }
        try StillFolder.make(StillFolder.path(of: folder))
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .file(errno, folder, "cannot be created") }
        try StillFolder.syncName(of: folder)
    }
}
