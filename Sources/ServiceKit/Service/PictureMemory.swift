// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Synchronization

/// Limits the memory of the requested pictures that wait to be stored, of all requests together: a disk can be slower
/// than a burst. Any thread may use it.
final class PictureMemory: Sendable {
    /// The place of a picture; it is free again when it is released.
    final class Place: Sendable {
        private let memory: PictureMemory
        private let byteCount: Int

        fileprivate init(_ memory: PictureMemory, _ byteCount: Int) {
            (self.memory, self.byteCount) = (memory, byteCount)
        }

        deinit { memory.used.withLock { $0 -= byteCount } }
    }

    private let limit: Int
    private let used = Mutex(0)

    /// - Parameter limit: The maximum number of bytes.
    init(limit: Int = 64 << 20) { self.limit = limit }

    /// `true` if no further picture has a place.
    var isFull: Bool { used.withLock { $0 >= limit } }

    /// Returns a place for a picture; `nil` if there is none. A picture above the limit has one if no other waits.
    func reserve(_ byteCount: Int) -> Place? {
        let isReserved = used.withLock { used in
            guard used == 0 || used + byteCount <= limit else { return false }
            used += byteCount
            return true
        }
        return isReserved ? Place(self, byteCount) : nil
    }
}

extension CaptureError {
    /// The error of a picture without a place in ``PictureMemory``.
    static func picturesWait(_ camera: String) -> CaptureError {
        CaptureError(
            .limit, "has no memory for a further picture, because requested pictures wait to be stored",
            subject: camera, advice: "try again later, or store pictures on a faster disk")
    }
}
