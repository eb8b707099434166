// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Synchronization

/// The memory in which a process decodes pictures: one budget for uploads, crops, thumbnails and all others, so that
/// many small files at the same time cannot take all memory of the machine.
///
///     let claim = try await DecodingMemory.shared.claim(width * height * 4)
///
/// Claims are granted in the order in which they came. A task must not wait for a second claim while it has one, as two
/// such tasks could wait for each other: claim the memory of a whole operation at once.
package final class DecodingMemory: Sendable {
    /// Memory that is reserved until the last reference to it is gone.
    package final class Claim: Sendable {
        private let memory: DecodingMemory
        private let byteCount: Int

        fileprivate init(_ memory: DecodingMemory, _ byteCount: Int) {
            (self.memory, self.byteCount) = (memory, byteCount)
        }

        deinit { memory.release(byteCount) }
    }

    private struct Waiter {
        let id: Int
        let byteCount: Int
        let continuation: CheckedContinuation<Result<Claim, CaptureError>, Never>
    }

    private struct State {
        var claimed = 0
        /// The claims that are neither granted nor refused, and do not wait yet.
        var starting: Set<Int> = []
        var waiting: [Waiter] = []
        var lastID = 0
    }

    /// The budget of this process: a quarter of the machine's memory, or of the limit of its control group; from 64 MiB
    /// to 768 MiB.
    package static let shared = DecodingMemory(byteCount: min(max(MachineMemory.byteCount / 4, 64 << 20), 768 << 20))

    /// The most claims that wait.
    package static let mostWaiting = 32

    /// The budget in bytes.
    package let byteCount: Int
    private let state = Mutex(State())

    package init(byteCount: Int) { self.byteCount = byteCount }

    /// Waits until this much memory is free, and reserves it.
    ///
    /// - Throws: ``CaptureError`` `.noInput` if the picture needs more than the budget, `.temporary` if too many
    ///   claims wait, or if the task is canceled.
    package func claim(_ byteCount: Int) async throws(CaptureError) -> Claim {
        try checkRoom(for: byteCount)
        let id = begin()
        let result = await withTaskCancellationHandler {
            await wait(for: byteCount, id)
        } onCancel: {
            cancel(id)
        }
        return try result.get()
    }

    /// Returns the number of a new claim, which ``wait(for:_:)`` starts.
    func begin() -> Int {
        state.withLock { state in
            state.lastID += 1
            state.starting.insert(state.lastID)
            return state.lastID
        }
    }

    /// Waits until a claim is granted, refused or canceled.
    func wait(for byteCount: Int, _ id: Int) async -> Result<Claim, CaptureError> {
        await withCheckedContinuation { continuation in
            start(Waiter(id: id, byteCount: byteCount, continuation: continuation))
        }
    }

    /// Checks that the budget has room for a claim when no other has any.
    ///
    /// - Throws: ``CaptureError`` `.noInput` if it has not.
    package func checkRoom(for byteCount: Int) throws(CaptureError) {
        guard byteCount > self.byteCount else { return }
        throw CaptureError(
            .noInput, "needs \(byteCount >> 20) MiB of memory; this machine allows \(self.byteCount >> 20) MiB",
            subject: PictureFile.subject, advice: "give a picture with fewer pixels")
    }

    /// Reserves memory at once, even above the budget: for pictures of a camera, which must not wait.
    package func claimAtOnce(_ byteCount: Int) -> Claim {
        state.withLock { $0.claimed += byteCount }
        return Claim(self, byteCount)
    }

    /// The bytes that are claimed now, and the number of claims that wait.
    package var load: (byteCount: Int, waiting: Int) { state.withLock { ($0.claimed, $0.waiting.count) } }

    private func start(_ waiter: Waiter) {
        let answer: Result<Claim, CaptureError>? = state.withLock { state in
            // If the task was canceled before this call, `cancel` has removed the number.
            if state.starting.remove(waiter.id) == nil { return .failure(.canceledDecoding) }
            if state.waiting.isEmpty, fits(waiter.byteCount, state) {
                state.claimed += waiter.byteCount
                return .success(Claim(self, waiter.byteCount))
            }
            guard state.waiting.count < Self.mostWaiting else { return .failure(.tooManyDecoders) }
            state.waiting.append(waiter)
            return nil
        }
        if let answer { waiter.continuation.resume(returning: answer) }
    }

    func cancel(_ id: Int) {
        let (waiter, granted) = state.withLock { state -> (Waiter?, [Waiter]) in
            state.starting.remove(id)
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return (nil, []) }
            return (state.waiting.remove(at: index), grant(&state))
        }
        waiter?.continuation.resume(returning: .failure(.canceledDecoding))
        resume(granted)
    }

    private func release(_ byteCount: Int) {
        let granted = state.withLock { state in
            state.claimed -= byteCount
            return grant(&state)
        }
        resume(granted)
    }

    private func fits(_ byteCount: Int, _ state: borrowing State) -> Bool {
        state.claimed + byteCount <= self.byteCount
    }

    /// Removes the waiters whose memory is free now, from the first one on, and reserves it.
    private func grant(_ state: inout State) -> [Waiter] {
        var granted: [Waiter] = []
        while let first = state.waiting.first, fits(first.byteCount, state) {
            state.claimed += first.byteCount
            granted.append(state.waiting.removeFirst())
        }
        return granted
    }

    private func resume(_ granted: [Waiter]) {
        for waiter in granted { waiter.continuation.resume(returning: .success(Claim(self, waiter.byteCount))) }
    }
}

extension CaptureError {
    /// The task that decodes a picture is canceled.
    package static let canceledDecoding = CaptureError(
        .temporary, "the request was canceled", subject: PictureFile.subject)

    fileprivate static let tooManyDecoders = CaptureError(
        .temporary, "too many pictures are being decoded", subject: PictureFile.subject, advice: "try again later")
}
