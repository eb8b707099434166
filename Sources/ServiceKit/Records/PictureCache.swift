// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Makes pictures one at a time, and keeps the last ones in memory.
///
/// Requests for the same picture share its making. It is canceled when the last of them is, so that closed pages leave no
/// work behind.
package actor PictureCache {
    private typealias Result = Swift.Result<[UInt8], CaptureError>

    /// A picture that is being made.
    private struct Making {
        let task: Task<Result, Never>
        var requests = 0
    }

    private let mostBytes: Int
    private let mostPending: Int
    private let turns = Turns()
    private var kept: [String: [UInt8]] = [:]
    /// The keys of ``kept``, the last used one at the end.
    private var order: [String] = []
    private var byteCount = 0
    private var making: [String: Making] = [:]

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - mostBytes: The most bytes of all pictures that are kept.
    ///   - mostPending: The most different pictures that are made or wait for it.
    package init(mostBytes: Int = 16 << 20, mostPending: Int = 64) {
        (self.mostBytes, self.mostPending) = (mostBytes, mostPending)
    }

    /// Returns a picture.
    ///
    /// - Parameters:
    ///   - key: Identifies the picture and its content.
    ///   - make: Makes the picture; it is canceled if all requests are.
    /// - Throws: The errors of `make`, and `CaptureError` `.temporary` if too many pictures are pending or the task is
    ///   canceled.
    package func picture(
        _ key: String, make: @escaping @Sendable () async throws(CaptureError) -> [UInt8]
    ) async throws(CaptureError) -> [UInt8] {
        if let bytes = kept[key] {
            order.removeAll { $0 == key }
            order.append(key)
            return bytes
        }
        let task = try join(key, make)
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            Task { await self.leave(key, task) }
        }
        if making[key]?.task == task {
            making[key] = nil
            if case .success(let bytes) = result { keep(bytes, key) }
        }
        return try result.get()
    }

    /// The number of pictures that are made or wait for it.
    var pendingCount: Int { making.count }

    private func join(
        _ key: String, _ make: @escaping @Sendable () async throws(CaptureError) -> [UInt8]
    ) throws(CaptureError) -> Task<Result, Never> {
        guard making[key] != nil || making.count < mostPending else {
            throw CaptureError(.temporary, "too many pictures are being made", advice: "try again later")
        }
        var entry = making[key] ?? Making(task: Task { await self.made(by: make) })
        entry.requests += 1
        making[key] = entry
        return entry.task
    }

    /// Removes a canceled request, and cancels the task if it has no other one.
    private func leave(_ key: String, _ task: Task<Result, Never>) {
        guard making[key]?.task == task else { return }
        making[key]?.requests -= 1
        guard making[key]?.requests == 0 else { return }
        making[key] = nil
        task.cancel()
    }

    private func made(by make: @Sendable () async throws(CaptureError) -> [UInt8]) async -> Result {
        await turns.take()
        defer { turns.end() }
        guard !Task.isCancelled else {
            return .failure(CaptureError(.temporary, "the request was canceled"))
        }
        do throws(CaptureError) { return .success(try await make()) } catch { return .failure(error) }
    }

    private func keep(_ bytes: [UInt8], _ key: String) {
        kept[key] = bytes
        order.append(key)
        byteCount += bytes.count
        while byteCount > mostBytes, let oldest = order.first {
            order.removeFirst()
            byteCount -= kept.removeValue(forKey: oldest)?.count ?? 0
        }
    }
}
