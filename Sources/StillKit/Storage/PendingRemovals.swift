// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// Files whose removal failed, such as those in a folder that became read-only. The removal is retried.
package struct PendingRemovals: Sendable {
    /// The maximum number of pending side files; the removal of others is not retried.
    private static let mostUnwanted = 1000

    /// Pictures beyond a limit, which count until they are removed. Those before ``first`` are no longer pending.
    private var pictures: [Retention.Removal] = []
    /// The index of the first pending picture.
    private var first = 0
    /// The paths of side files without a picture.
    private var unwanted: Set<String> = []
    /// The last error, which is reported once.
    private var error: CaptureError?

    package init() {}

    /// Removes the first picture from the list, and returns it for a retry.
    package mutating func next() -> Retention.Removal? {
        guard first < pictures.count else { return nil }
        let next = pictures[first]
        first += 1
        // The others move up only if they are fewer: on average, a call moves one picture at most.
        if first > pictures.count / 2 {
            pictures.removeFirst(first)
            first = 0
        }
        return next
    }

    /// Adds a picture behind the others, so that one that can never be removed does not block them.
    package mutating func add(_ removal: Retention.Removal) { pictures.append(removal) }

    /// Records an error, or `nil` after a success. Returns `true` if the error differs from the last one and must be
    /// reported.
    package mutating func isNews(_ error: CaptureError?) -> Bool {
        defer { self.error = error }
        return error != nil && error?.systemError != self.error?.systemError
    }

    // MARK: Side files

    /// Removes a side file that no picture needs. If that fails, the removal is pending.
    package mutating func drop(_ path: String, from store: any StillStoring) {
        do throws(CaptureError) {
            try store.remove(path)
        } catch {
            if error.systemError != ENOENT, unwanted.count < Self.mostUnwanted { unwanted.insert(path) }
        }
    }

    /// Removes a pending side file from this path, so that a new file can have the path.
    ///
    /// - Throws: ``CaptureError`` if the file is still there.
    package mutating func makeWay(for path: String, in store: any StillStoring) throws(CaptureError) {
        guard unwanted.remove(path) != nil else { return }
        do throws(CaptureError) {
            try store.remove(path)
        } catch {
            guard error.systemError != ENOENT else { return }
            unwanted.insert(path)
            throw error
        }
    }

    /// Retries the removal of pending side files.
    package mutating func dropUnwanted(in store: any StillStoring) {
        guard !unwanted.isEmpty else { return }
        let paths = unwanted
        unwanted = []
        for path in paths { drop(path, from: store) }
    }
}
