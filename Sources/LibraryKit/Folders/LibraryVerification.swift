// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Glibc

/// Reads pictures, and compares them with their hashes. A picture that has none gets it: the next verification finds
/// what changed since then.
///
/// Every call blocks.
public struct LibraryVerification: Sendable {
    /// The number of pictures whose bytes are as they were.
    public var goodCount = 0
    /// The number of pictures that had no hash, and have one now.
    public var hashedCount = 0
    /// The damage: a line for each picture that is missing, has changed or cannot be read.
    public var faults: [CaptureError] = []

    private static let batch = 200

    /// Verifies the pictures that a search finds, newest first.
    ///
    /// - Parameters:
    ///   - progress: Receives the number of pictures so far, and of all.
    /// - Throws: `CaptureError` if the index cannot be used, or the task is canceled.
    public init(
        _ index: LibraryIndex, _ query: LibraryQuery, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(CaptureError) {
        let all = try index.count(query)
        var (position, done) = (LibraryPosition?.none, 0)
        repeat {
            let page = try index.page(query, from: position, limit: Self.batch)
            var hashes: [(ItemID, String)] = []
            for item in page.items {
                if Task.isCancelled { throw CaptureError(.temporary, "was canceled", subject: "the verification") }
                try check(item, index, &hashes)
                done += 1
                progress(done, max(all, done))
            }
            if !hashes.isEmpty {
                let found = hashes
                try index.write { writer in for (id, hash) in found { try writer.set(hash: hash, of: id) } }
            }
            position = page.next
        } while position != nil
    }

    private mutating func check(
        _ item: LibraryItem, _ index: LibraryIndex, _ hashes: inout [(ItemID, String)]
    ) throws(CaptureError) {
        let places = try index.item(item.id)?.places.pictures ?? []
        for place in places {
            do throws(CaptureError) {
                let found = try FileDigest(place.path, most: item.facts.byteCount)
                let isSame =
                    found.byteCount == item.facts.byteCount && found.sha256 == item.facts.sha256 ?? found.sha256
                guard isSame else {
                    throw CaptureError(
                        .inputOutput, "has other bytes than when it was stored (\(item.id))", subject: place.path,
                        advice: "restore it from a copy, or scan its folder if you edited it")
                }
                if item.facts.sha256 == nil {
                    hashes.append((item.id, found.sha256))
                    hashedCount += 1
                } else {
                    goodCount += 1
                }
            } catch {
                if Task.isCancelled { throw error }
                faults.append(error)
            }
        }
    }
}

/// The priority of work for which no user waits.
public enum IdlePriority {
    /// Lets this process use the processors and disks only while no other process needs them (`SCHED_IDLE`, and `nice` 19,
    /// from which the kernel takes the priority of the disk).
    public static func enter() {
        var parameters = sched_param()
        _ = sched_setscheduler(0, idle, &parameters)
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
    }

    /// `SCHED_IDLE`, which Glibc declares for GNU programs only.
    private static let idle: Int32 = 5
}
#endif
