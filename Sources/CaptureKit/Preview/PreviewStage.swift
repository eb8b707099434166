// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// What is on the screen: frames as they come, or, while none comes, one that says why.
///
/// All goes to the screen under one lock, so that what is decided last is what is seen. The lock is held for a few
/// pointers; nobody waits for the screen.
final class PreviewStage: Sendable {
    /// A frame that stands in while none comes.
    struct Stand: Sendable {
        /// Tells this one from those before and after.
        let number: Int
        /// The last frame that was shown; `nil` where there was none.
        let last: Sample?
    }

    private struct State {
        var last: Sample?
        /// Since when frames are held back; `nil` while they flow.
        var heldSince: ClockTime?
        var number = 0
        var isOver = false
    }

    private let state = Mutex(State())
    private let put: @Sendable (Sample) -> Void

    /// - Parameter put: Puts a frame on the screen without waiting, on any thread.
    init(_ put: @escaping @Sendable (Sample) -> Void) { self.put = put }

    /// Shows a frame of a camera; it ends a hold, unless it is from before. On a streaming thread.
    ///
    /// - Parameter entered: When it came from the camera; `nil` where nobody knows.
    func show(_ sample: Sample, entered: ClockTime?) {
        state.withLock { state in
            guard !state.isOver else { return }
            if let since = state.heldSince, let entered, entered <= since { return }
            state.heldSince = nil
            state.last = sample
            put(sample)
        }
    }

    /// Frames that came before `now` are not shown any more.
    func hold(at now: ClockTime) -> Stand {
        state.withLock { state in
            state.heldSince = now
            state.number += 1
            return Stand(number: state.number, last: state.last)
        }
    }

    /// Shows a frame in place of those that do not come, unless they do again by now, or there is a newer one.
    func show(_ sample: Sample, for stand: Stand) {
        state.withLock { state in
            if !state.isOver, state.heldSince != nil, state.number == stand.number { put(sample) }
        }
    }

    /// Shows nothing more.
    func close() {
        state.withLock { state in
            state.isOver = true
            state.last = nil
        }
    }
}
