// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipKit
import Synchronization

/// Accounts for the clips of one recording, and knows their IDs. Any thread may use it.
package final class RecordingAccount: ClipAccounting {
    private let folder: ClipFolder
    /// The IDs of the clips whose end was not reported yet, by their paths.
    private let ids = Mutex<[String: Int]>([:])

    /// - Parameter folder: Accounts for the clips of all recordings.
    package init(_ folder: ClipFolder) { self.folder = folder }

    /// Returns the ID of a clip; `nil` if this recording has no such clip, or its end was reported.
    package func id(of path: String) -> Int? { ids.withLock { $0[path] } }

    /// Forgets a clip whose end was reported, and returns its ID.
    package func forget(_ path: String) -> Int? { ids.withLock { $0.removeValue(forKey: path) } }

    package func plan(_ path: String, start: WallTime, format: ClipFormat) async throws(CaptureError) {
        let id = try await folder.begin(path, start: start, format: format)
        ids.withLock { $0[path] = id }
    }

    package func complete(_ clip: Clip) async throws(CaptureError) { try await folder.complete(clip) }

    package func fail(_ path: String, because error: CaptureError) async { await folder.fail(path, because: error) }
}
