// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc

/// Lets one program at a time change the sidecars of a library (`flock(2)` on a file beside its index). Two that read a
/// sidecar at the same moment would each write it without the tag of the other.
///
/// The lock is released when the process ends, even by a crash. On a file system without locks, nothing waits.
struct SidecarLock: ~Copyable {
    private let descriptor: Int32

    /// Opens the lock in the folder of an index.
    init(besides index: String) {
        let path = DeviceFiles.folder(of: index) + "/sidecars.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Runs `body` while no other program and no other thread does so. Blocks until then.
    borrowing func hold<Result>(_ body: () throws(CaptureError) -> Result) throws(CaptureError) -> Result {
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        defer { flock(descriptor, LOCK_UN) }
        return try body()
    }
}

extension LibraryIndex {
    /// Changes the files of each picture while no other program changes those of the library. Blocks.
    ///
    /// - Parameters:
    ///   - report: Receives the error of each picture whose files cannot be changed.
    ///   - body: Changes the files, and returns what the index needs to know of it; `nil` if there is nothing to change.
    /// - Returns: The changes, one for each picture.
    /// - Throws: `CaptureError` if the index cannot be read.
    func changeFiles<Change>(
        of identifiers: [ItemID], _ report: (CaptureError) -> Void,
        _ body: (ItemID) throws(CaptureError) -> Change?
    ) throws(CaptureError) -> [(id: ItemID, change: Change)] {
        var (changes, seen) = ([(id: ItemID, change: Change)](), Set<ItemID>())
        let lock = SidecarLock(besides: path)
        for id in identifiers where seen.insert(id).inserted {
            do throws(CaptureError) {
                if let change = try lock.hold({ () throws(CaptureError) in try body(id) }) {
                    changes.append((id, change))
                }
            } catch {
                if error.subject == path { throw error }
                report(error)
            }
        }
        return changes
    }

    /// Changes pictures in parts, each once.
    ///
    /// - Parameters:
    ///   - size: The number of pictures of a part. A canceled task ends after a part.
    ///   - progress: Receives the number of pictures that are done, and of all, after each part.
    ///   - body: Changes the pictures of a part, and returns the IDs of those that changed.
    /// - Returns: The IDs of the pictures that changed.
    /// - Throws: The errors of `body`; `CaptureError` `.temporary` if the task is canceled and pictures are left.
    func inParts(
        _ identifiers: [ItemID], of size: Int, _ progress: (Int, Int) -> Void,
        _ body: ([ItemID]) throws(CaptureError) -> [ItemID]
    ) throws(CaptureError) -> [ItemID] {
        var (seen, changed, done) = (Set<ItemID>(), [ItemID](), 0)
        let unique = identifiers.filter { seen.insert($0).inserted }
        while done < unique.count {
            if done > 0, Task.isCancelled { throw .canceled(after: done, of: unique.count) }
            let part = Array(unique[done...].prefix(size))
            changed += try body(part)
            done += part.count
            progress(done, unique.count)
        }
        return changed
    }
}

extension CaptureError {
    fileprivate static func canceled(after done: Int, of all: Int) -> CaptureError {
        CaptureError(.temporary, "was canceled after \(done) of \(all) pictures", subject: "the change")
    }
}
#endif
