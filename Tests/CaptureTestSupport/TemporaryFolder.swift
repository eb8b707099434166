// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// A folder that is removed with its content when the last reference is released.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter isInMemory: Puts it on the file system that is kept in memory, for tests that sync thousands of files.
    package init(isInMemory: Bool = false) throws {
        let disk = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path()
        path = (isInMemory ? "/dev/shm/" : disk) + "gst-capture-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and creates its folders.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String {
        let url = URL(filePath: path + "/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: false, encoding: .utf8)
        return url.path()
    }

    package func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: destination)
    }

    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }
}
