// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Accounts durably for the files of a recording. The calls of a recording come one after the other; each may block its
/// own thread, and pictures wait in memory meanwhile.
package protocol ClipAccounting: Sendable {
    /// Plans a file before it is created, and before its folder is. The plan is durable on return.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - start: When its first picture was captured.
    ///   - format: The format of its video.
    /// - Throws: `CaptureError` with `EEXIST` if the name is taken: the caller tries the next number. Another error ends
    ///   the recording: a limit is reached, or the disk is gone.
    func plan(_ path: String, start: WallTime, format: ClipFormat) async throws(CaptureError)

    /// Accounts for a complete file that was planned. This is durable on return.
    ///
    /// - Throws: `CaptureError` if that cannot be written; the recording continues.
    func complete(_ clip: Clip) async throws(CaptureError)

    /// Accounts for a file that was planned, and was not created or not completed. It never fails: the next start of the
    /// program looks at the file again.
    func fail(_ path: String, because error: CaptureError) async
}
