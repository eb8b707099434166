// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Files that were to be removed and could not be, such as those in a folder that became read-only: they are tried again.
struct PendingRemovals: Sendable {
    private static let mostUnwanted = 1000

    /// Pictures beyond a limit. They count until they are gone.
    private var pictures: [Retention.Removal] = []
    /// Side files without a picture.
    private var unwanted: Set<String> = []
    /// The last error, which is reported once.
    private var error: CaptureError?

    /// True if no picture waits.
    var isEmpty: Bool { pictures.isEmpty }

    /// The picture that is tried next.
    mutating func next() -> Retention.Removal? { pictures.isEmpty ? nil : pictures.removeFirst() }

    /// Adds a picture behind the others: one that can never be removed does not keep them.
    mutating func add(_ removal: Retention.Removal) { pictures.append(removal) }

    /// True if an error is not the last one, and has to be reported.
    mutating func isNews(_ error: CaptureError?) -> Bool {
        defer { self.error = error }
        return error != nil && error?.systemError != self.error?.systemError
    }

    // MARK: Side files

    /// Removes a file that no picture needs, now or later.
    mutating func drop(_ path: String, from store: any StillStoring) {
        do throws(CaptureError) {
            try store.remove(path)
        } catch {
            if error.systemError != ENOENT, unwanted.count < Self.mostUnwanted { unwanted.insert(path) }
        }
    }

    /// Makes way for a new file at this path.
    mutating func makeWay(for path: String, in store: any StillStoring) throws(CaptureError) {
        guard unwanted.remove(path) != nil else { return }
        do throws(CaptureError) {
            try store.remove(path)
        } catch {
            guard error.systemError != ENOENT else { return }
            unwanted.insert(path)
            throw error
        }
    }

    /// Removes those that could not be removed before.
    mutating func dropUnwanted(in store: any StillStoring) {
        guard !unwanted.isEmpty else { return }
        let paths = unwanted
        unwanted = []
        for path in paths { drop(path, from: store) }
    }
}
