// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// The pictures of a synchronization: fetches those that viewers request, and erases those that no record has any more.
///
/// Both are rows of the store until they are done: a crash loses none. A desk belongs to one actor or task at a time.
final class BlobDesk {
    /// The pause after a failed attempt, which doubles up to the longest one.
    private static let shortestPause = Duration.seconds(5), longestPause = Duration.seconds(300)

    private let store: RecordStore
    private let remote: any RecordRemote
    private let clock: SyncDesk.Clock
    private let fetching = Turns()
    private var isFetching = false
    private var isErasing = false
    private var failures = 0
    private var due: Int64 = 0
    private var shown: String?

    init(_ store: RecordStore, _ remote: any RecordRemote, _ clock: SyncDesk.Clock) {
        (self.store, self.remote, self.clock) = (store, remote, clock)
    }

    /// The moment of the next attempt after one that failed; `nil` if the last one succeeded.
    var wake: Int64? { failures > 0 ? due : nil }

    /// Fetches requested pictures, and erases unused ones, unless a pause after a fault is not over.
    ///
    /// - Parameter erases: `true` if the records here are those of the backend, so that no device has an unused picture.
    /// - Returns: The event if the attempts begin to fail for a reason, or succeed again.
    func work(erases: Bool) async throws(CaptureError) -> RecordSyncEvent? {
        guard clock.steady() >= due else { return nil }
        var results: [RecordRemoteFault?] = []
        if !isFetching {
            isFetching = true
            defer { isFetching = false }
            if let result = try await fetchRequested() { results.append(result) }
        }
        if erases, !isErasing, results.allSatisfy({ $0 == nil }) {
            isErasing = true
            defer { isErasing = false }
            if let result = try await eraseUnused() { results.append(result) }
        }
        guard let fault = results.last else { return nil }
        return show(fault)
    }

    private func show(_ fault: RecordRemoteFault?) -> RecordSyncEvent? {
        if fault == .canceled { return nil }
        failures = fault == nil ? 0 : failures + 1
        if let fault {
            let doubled = Self.shortestPause * (1 << min(failures - 1, 10))
            due = clock.steady() + max(min(doubled, Self.longestPause), fault.wantedPause).nanoseconds
        }
        guard fault?.reason != shown else { return nil }
        shown = fault?.reason
        return .pictures(shown)
    }

    // MARK: Fetching

    /// Fetches the requested pictures.
    ///
    /// - Returns: `nil` if there was nothing to do; otherwise the fault, which is `nil` for a success.
    private func fetchRequested() async throws(CaptureError) -> RecordRemoteFault?? {
        var result: RecordRemoteFault??
        while !Task.isCancelled, let blob = try store.requestedBlob() {
            let fault: RecordRemoteFault?
            do throws(RecordRemoteFault) {
                _ = try await fetch(blob)
                fault = nil
            } catch {
                fault = error
            }
            switch fault {
            case nil:
                try store.endRequest(blob.sha256)
                result = .some(nil)
            // The next attempt would fail, too.
            case .missing, .damaged, .refused, .changed:
                try store.markMissing(blob.sha256, at: clock.wall())
                result = .some(nil)
            case .temporary, .unauthorized, .canceled: return .some(fault)
            }
        }
        return result
    }

    /// Fetches a picture, if it is not here.
    ///
    /// - Returns: The path of the file.
    func fetch(_ blob: RecordBlob) async throws(RecordRemoteFault) -> String {
        // One after the other: two viewers of a picture fetch it once, and a slow line is not shared.
        await fetching.take()
        defer { fetching.end() }
        if let path = store.blobPath(blob.sha256) { return path }
        guard let path = store.expectedBlobPath(blob.sha256) else { throw .missing("the hash of the picture is wrong") }
        do throws(CaptureError) {
            try PrivateFolder.make(DeviceFiles.folder(of: path))
        } catch {
            throw .temporary(error.summary, pause: nil)
        }
        try await remote.getBlob(blob, to: path)
        return path
    }

    // MARK: Erasing

    /// Erases the pictures that no record has any more.
    ///
    /// - Returns: As ``fetchRequested()``.
    private func eraseUnused() async throws(CaptureError) -> RecordRemoteFault?? {
        guard remote.needsErasure else {
            try store.forgetAllUnused()
            return nil
        }
        var (last, result) = ("", RecordRemoteFault??.none)
        while !Task.isCancelled, let sha256 = try store.unusedBlob(after: last) {
            last = sha256
            guard let fault = try await erase(sha256) else {
                try store.forgetUnused(sha256)
                if result == nil { result = .some(nil) }
                continue
            }
            result = .some(fault)
            // A picture that the target refuses to erase does not hold up the others.
            guard case .refused = fault else { break }
        }
        return result
    }

    private func erase(_ sha256: String) async throws(CaptureError) -> RecordRemoteFault? {
        if try !store.isUsed(sha256) {
            do throws(RecordRemoteFault) { try await remote.eraseBlob(sha256) } catch { return error }
        }
        // A record can have got the picture since, and have found it at the backend before it was erased.
        guard try store.isUsed(sha256), let path = store.blobPath(sha256), let blob = store.blob(sha256) else {
            return nil
        }
        do throws(RecordRemoteFault) {
            if try await !remote.hasBlob(sha256) { try await remote.putBlob(path, blob) }
            return nil
        } catch {
            return error
        }
    }
}
