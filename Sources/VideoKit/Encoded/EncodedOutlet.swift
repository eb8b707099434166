// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization
import SystemBase

/// The encoded units of one source, for any number of readers, which come and go.
///
/// An encoder publishes each unit on its streaming thread, and never waits for a reader. Any thread may use an outlet.
package final class EncodedOutlet: Sendable {
    private struct State {
        var readers: [ReaderState] = []
        var requests: KeyFrameRequests
        /// How the stream ended; `nil` while it runs.
        var ending: ReaderState.Ending?
    }

    private let state: Mutex<State>
    /// Wakes tasks that wait for the end.
    private let wakeup = Wakeup()

    /// Creates an outlet.
    ///
    /// - Parameter keyFramePeriod: The time from one key frame to the next; `nil` leaves it to the encoder.
    package init(keyFramePeriod: Duration? = nil) {
        state = Mutex(State(requests: KeyFrameRequests(period: keyFramePeriod)))
    }

    /// The number of bytes that a reader may leave in its queue by default: some seconds of video.
    package static let defaultLimit = 4 << 20

    /// Returns a reader that begins with the next key frame, and requests one.
    ///
    /// - Parameter limit: The number of bytes that the reader may leave in its queue before it loses units.
    package func reader(limit: Int = defaultLimit) -> EncodedReader {
        let reader = ReaderState(limit: limit)
        state.withLock { state in
            if let ending = state.ending { return reader.end(ending) }
            state.readers.append(reader)
            state.requests.request()
        }
        return EncodedReader(reader, of: self)
    }

    /// The number of readers.
    package var readerCount: Int { state.withLock { $0.readers.count } }

    /// Passes a unit to all readers. One thread at a time may publish.
    package func publish(_ unit: EncodedUnit) {
        state.withLock { state in
            if unit.isKey { state.requests.record(keyAt: unit.time) }
            for reader in state.readers where !reader.receive(unit) { state.requests.request() }
        }
    }

    /// Returns `true` if the encoder gets a request for a key frame before the frame of this capture time. The caller must
    /// send the request.
    func takeKeyFrameRequest(at time: ClockTime) -> Bool { state.withLock { $0.requests.take(at: time) } }

    /// Requests a key frame, at which a reader wants to begin something. The encoder makes one soon.
    package func requestKeyFrame() { state.withLock { $0.requests.request() } }

    /// Ends the stream: readers get the units in their queues, and then `nil`. Later calls have no effect.
    package func end() { end(.closed) }

    /// Ends the stream with an error, which readers get after the units in their queues. Later calls have no effect.
    package func fail(_ error: PipelineError) { end(.failed(error)) }

    /// Waits until the stream ends, or the task is canceled.
    ///
    /// - Throws: The error that ended the stream.
    package func waitForEnd() async throws(PipelineError) {
        while !Task.isCancelled {
            let signals = wakeup.signals
            switch state.withLock({ $0.ending }) {
            case .closed: return
            case .failed(let error): throw error
            case nil: await wakeup.wait(after: signals)
            }
        }
    }

    fileprivate func remove(_ reader: ReaderState) {
        state.withLock { $0.readers.removeAll { $0 === reader } }
    }

    private func end(_ ending: ReaderState.Ending) {
        state.withLock { state in
            guard state.ending == nil else { return }
            state.ending = ending
            for reader in state.readers { reader.end(ending) }
            state.readers = []
        }
        wakeup.signal()
    }
}

/// Reads the units of an ``EncodedOutlet`` from a key frame on, each once and in order. It leaves the outlet when it is
/// closed or released.
package final class EncodedReader: Sendable {
    private let state: ReaderState
    private let outlet: EncodedOutlet

    fileprivate init(_ state: ReaderState, of outlet: EncodedOutlet) { (self.state, self.outlet) = (state, outlet) }

    deinit { outlet.remove(state) }

    /// The number of units that were discarded because this reader was slower than its limit allows. The units after them
    /// begin with a key frame.
    package var skippedCount: Int { state.skippedCount }

    /// Waits for the next unit. Returns `nil` at the end of the stream, after ``close()``, and when the task is canceled.
    ///
    /// - Throws: The error that ended the stream, after the units that arrived before it.
    package func next() async throws(PipelineError) -> EncodedUnit? { try await state.next() }

    /// Waits until ``take()`` has a unit, or the stream has ended, or the task is canceled.
    func waitForUnit() async { await state.waitForUnit() }

    /// Returns the next unit, if it is there; `nil` otherwise.
    ///
    /// - Throws: The error that ended the stream, after the units that arrived before it.
    func take() throws(PipelineError) -> EncodedUnit? {
        switch state.take() {
        case .unit(let unit): return unit
        case .end(.failed(let error)): throw error
        case .end(.closed), .wait: return nil
        }
    }

    /// Leaves the outlet. A task that waits for a unit gets `nil`. Any thread may call this.
    package func close() {
        outlet.remove(state)
        state.close()
    }
}

/// The state that the streaming thread shares with a reader.
private final class ReaderState: Sendable {
    enum Ending: Sendable {
        case closed
        case failed(PipelineError)
    }

    enum Answer: Sendable {
        case unit(EncodedUnit)
        case end(Ending)
        case wait
    }

    private struct State {
        var queue: EncodedQueue
        var ending: Ending?
    }

    private let state: Mutex<State>
    private let wakeup = Wakeup()

    init(limit: Int) { state = Mutex(State(queue: EncodedQueue(limit: limit))) }

    var skippedCount: Int { state.withLock { $0.queue.skippedCount } }

    /// Returns `false` if the reader waits for a key frame.
    func receive(_ unit: EncodedUnit) -> Bool {
        let outcome = state.withLock { state in
            // A reader that was closed while the outlet published.
            state.ending == nil ? state.queue.append(unit) : .queued
        }
        if outcome == .queued { wakeup.signal() }
        return outcome == .queued
    }

    func end(_ ending: Ending) {
        state.withLock { $0.ending = $0.ending ?? ending }
        wakeup.signal()
    }

    /// Ends the reader, and discards its queue.
    func close() {
        state.withLock { state in
            state.queue.removeAll()
            state.ending = .closed
        }
        wakeup.signal()
    }

    func next() async throws(PipelineError) -> EncodedUnit? {
        while !Task.isCancelled {
            let signals = wakeup.signals
            switch take() {
            case .unit(let unit): return unit
            case .end(.closed): return nil
            case .end(.failed(let error)): throw error
            case .wait: await wakeup.wait(after: signals)
            }
        }
        return nil
    }

    func waitForUnit() async {
        while !Task.isCancelled {
            let signals = wakeup.signals
            guard state.withLock({ $0.queue.isEmpty && $0.ending == nil }) else { return }
            await wakeup.wait(after: signals)
        }
    }

    func take() -> Answer {
        state.withLock { state in
            if let unit = state.queue.next() { return .unit(unit) }
            return state.ending.map(Answer.end) ?? .wait
        }
    }
}
