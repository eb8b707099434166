// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// The state of the streaming thread: the current format, and the plan for it. Its lock is held only to copy a few
/// pointers.
final class OverlaySurface: Sendable {
    /// The format and the crop of the frames that flow.
    struct Frames: Equatable {
        let info: VideoInfo
        var crop: CropRectangle?
        /// Counts formats: numbers are cheaper to compare than formats.
        var number: Int
    }

    /// The reason why overlays cannot be drawn on the stream.
    enum Obstacle: Hashable {
        /// The caps are not raw video.
        case notVideo(Caps)
        /// Buffers cannot be mapped as frames of the format that their caps name.
        case notMapped(Caps)
    }

    private struct State {
        /// Counts attached pads: a probe that runs while it is removed must not change the state of the next pad.
        var attachment = 0
        /// The last format. The next pad often has the same format, and its plan is then kept.
        var known: Frames?
        /// `true` if frames of the last format flow.
        var isFlowing = false
        /// The caps of the stream if it is not raw video.
        var foreign: Caps?
        /// The number of the format whose last frame could not be mapped.
        var unmapped: Int?
        /// The number of the last format of the pad whose unmapped frames woke the worker.
        var reported: Int?
        /// `true` if a frame that can be drawn on passed since the last ``takePassed()``.
        var hasPassed = false
        /// `true` if the next frame has to wake the worker.
        var isParked = false
        var plan: OverlayPlan?
        /// The number of the format that the plan is for.
        var number = 0
        /// The previous plan. A frame may still be using it, and the streaming thread must not free it.
        var last: OverlayPlan?

        var frames: Frames? { isFlowing ? known : nil }
    }

    private let state = Mutex(State())
    private let wish: AsyncStream<Void>.Continuation

    /// Wakes the worker when the contents change, and when the stream needs another plan or has an obstacle.
    let wishes: AsyncStream<Void>

    init() { (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    deinit { wish.finish() }

    /// Wakes the worker.
    func wake() { wish.yield() }

    /// The frames that flow; `nil` if none do.
    var frames: Frames? { state.withLock { $0.frames } }

    /// The reason why nothing can be drawn now; `nil` if there is none.
    var obstacle: Obstacle? {
        state.withLock { state in
            if let foreign = state.foreign { return .notVideo(foreign) }
            guard let frames = state.frames, state.unmapped == frames.number else { return nil }
            return .notMapped(frames.info.caps)
        }
    }

    /// Starts with a pad on which nothing has flowed yet.
    ///
    /// - Returns: The number that the pad's probes pass to identify it.
    func attach() -> Int {
        leave()
        return state.withLock { $0.attachment }
    }

    /// Ends the current pad: nothing flows from now on, and calls by its probes are ignored.
    func leave() {
        state.withLock { state in
            state.attachment += 1
            (state.isFlowing, state.isParked) = (false, false)
            (state.foreign, state.unmapped, state.reported) = (nil, nil, nil)
        }
        wish.yield()
    }

    /// Sets the caps of the frames that follow.
    func setCaps(_ caps: Caps, on attachment: Int) {
        let info = caps.videoInfo
        let isNew = state.withLock { state in
            guard state.attachment == attachment else { return false }
            let wasFlowing = state.isFlowing
            state.isFlowing = info != nil
            state.foreign = info == nil ? caps : nil
            guard let info else { return true }
            if state.known?.info == info { return !wasFlowing }
            state.known = Frames(info: info, crop: nil, number: (state.known?.number ?? 0) + 1)
            return true
        }
        if isNew { wish.yield() }
    }

    /// Replaces the plan from the next frame on.
    ///
    /// - Returns: `true` if frames of this format still flow; others do not show the plan.
    func show(_ plan: OverlayPlan, for frames: Frames) -> Bool {
        // The plan that is dropped here is freed after the lock is released.
        let (_, isCurrent) = state.withLock { state -> (OverlayPlan?, Bool) in
            defer { (state.last, state.plan, state.number) = (state.plan, plan, frames.number) }
            return (state.last, state.frames?.number == frames.number)
        }
        return isCurrent
    }

    /// Blends the plan into a frame if there is a plan for its format. The streaming thread calls it.
    func draw(on buffer: inout ProbedBuffer, of attachment: Int) {
        guard let frames = current(buffer.crop, attachment), let plan = frames.plan else { return }
        // Allocates nothing if the frame cannot be mapped. The worker emits one event for each such format.
        let isMapped = buffer.withWritableVideoFrameIfMapped(frames.info) { plan.blend(into: &$0) } != nil
        if isMapped == frames.wasUnmapped { report(isMapped: isMapped, frames.number) }
    }

    /// Returns `true` if a frame that can be drawn on passed since the last call.
    func takePassed() -> Bool {
        state.withLock { state in
            defer { state.hasPassed = false }
            return state.hasPassed
        }
    }

    /// Wakes the worker when the next frame passes that can be drawn on.
    func park() {
        state.withLock { $0.isParked = true }
    }

    private struct Current {
        let info: VideoInfo
        let number: Int
        let plan: OverlayPlan?
        let wasUnmapped: Bool
    }

    private func current(_ crop: CropRectangle?, _ attachment: Int) -> Current? {
        let (current, isNew) = state.withLock { state -> (Current?, Bool) in
            guard state.attachment == attachment, let frames = state.frames else { return (nil, false) }
            guard frames.crop == crop else {
                state.known = Frames(info: frames.info, crop: crop, number: frames.number + 1)
                return (nil, true)
            }
            let wasUnmapped = state.unmapped == frames.number
            let isWaking = state.isParked && !wasUnmapped
            if !wasUnmapped { (state.hasPassed, state.isParked) = (true, false) }
            let plan = state.number == frames.number ? state.plan : nil
            return (
                Current(info: frames.info, number: frames.number, plan: plan, wasUnmapped: wasUnmapped), isWaking
            )
        }
        if isNew { wish.yield() }
        return current
    }

    /// Records that frames of a format can no longer be mapped, or can be mapped again.
    private func report(isMapped: Bool, _ number: Int) {
        let isNew = state.withLock { state in
            guard state.frames?.number == number else { return false }
            state.unmapped = isMapped ? nil : number
            // Wakes the worker only once if every other frame can be mapped.
            defer { if !isMapped { state.reported = number } }
            return isMapped ? state.isParked : state.reported != number
        }
        if isNew { wish.yield() }
    }
}
