// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// A place for files. Tests use one whose calls fail on demand.
package protocol StillStoring: Sendable {
    /// Writes a file. On return the content is durable; the name is durable after ``makeDurable(_:)``.
    ///
    /// - Throws: ``CaptureError`` with `EEXIST` if the name is taken. After an error of the disk the file may be in
    ///   place, because a server's reply can be lost: ``holds(_:at:)`` checks that.
    func place(_ bytes: [UInt8], at path: String) throws(CaptureError)
    /// Replaces a file atomically and durably.
    func replace(_ path: String, with bytes: [UInt8]) throws(CaptureError)
    /// Makes the name of a file durable. On an error the file stays in place.
    func makeDurable(_ path: String) throws(CaptureError)
    /// Returns `true` if a file exists and has this content. Throws if that cannot be determined.
    func holds(_ bytes: [UInt8], at path: String) throws(CaptureError) -> Bool
    /// Removes a file; on an error it is still there, unless the error is `ENOENT`.
    func remove(_ path: String) throws(CaptureError)
    /// Points the link to the newest picture, if the user asked for a link.
    func pointLatest(at path: String) throws(CaptureError)
}

extension StillStore: StillStoring {}
