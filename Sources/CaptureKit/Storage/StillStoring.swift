// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A place for files. Tests have one in which each call fails when they say so.
protocol StillStoring: Sendable {
    /// Writes a file. When it returns, the content is durable, and the name after ``makeDurable(_:)``.
    ///
    /// - Throws: ``CaptureError`` with `EEXIST` if the name is taken. After an error of the disk the file may be in place all
    ///   the same, as a server's answer can be lost: ``holds(_:at:)`` says so.
    func place(_ bytes: [UInt8], at path: String) throws(CaptureError)
    /// Makes the name of a file durable; on an error the file is in place.
    func makeDurable(_ path: String) throws(CaptureError)
    /// True if a file is there and has this content; throws if that cannot be found out.
    func holds(_ bytes: [UInt8], at path: String) throws(CaptureError) -> Bool
    /// Removes a file; on an error it is still there, unless the error is `ENOENT`.
    func remove(_ path: String) throws(CaptureError)
    /// Points the link to the newest picture, if there is to be one.
    func pointLatest(at path: String) throws(CaptureError)
}

extension StillStore: StillStoring {}
