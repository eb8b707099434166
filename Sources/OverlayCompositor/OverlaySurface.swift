// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// What the streaming thread needs: the format that flows, and the plan for it. Its lock is held for a few pointers.
final class OverlaySurface: Sendable {
    /// The frames that flow.
    struct Frames: Equatable {
        let info: VideoInfo
        var crop: CropRectangle?
        /// Counts formats: cheaper to compare than they are.
        var number: Int
    }

    /// Why nothing is drawn on what flows.
    enum Obstacle: Hashable {
        /// The caps are not raw video.
        case notVideo(Caps)
        /// Buffers cannot be mapped as frames of the format that their caps name.
        case notMapped(Caps)
    }

    private struct State {
        /// Counts pads: a probe that runs while it is removed must not speak for the next pad.
        var attachment = 0
        /// The last format. The next pad often has the same, and its plan is then kept.
        var known: Frames?
        /// True if frames of the last format flow.
        var isFlowing = false
        /// Caps of what flows that is no raw video.
        var foreign: Caps?
        /// The number of the format whose last frame could not be mapped.
        var unmapped: Int?
        /// The number of the last format for which that was reported.
        var reported: Int?
        /// True if a frame that can be drawn on passed since ``takePassed()``.
        var hasPassed = false
        /// True to wish for a plan when the next frame passes.
        var isParked = false
        var plan: OverlayPlan?
        /// The format that the plan is for.
        var number = 0
        /// The plan before, which a frame may be using still: it must not be the streaming thread that frees it.
        var last: OverlayPlan?

        var frames: Frames? { isFlowing ? known : nil }
    }

    private let state = Mutex(State())
    private let wish: AsyncStream<Void>.Continuation

    /// The stream has changed: it needs another plan, or has an obstacle.
    let wishes: AsyncStream<Void>

    init() { (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    deinit { wish.finish() }

    /// The frames that flow, if any do.
    var frames: Frames? { state.withLock { $0.frames } }

    /// Why nothing can be drawn now.
    var obstacle: Obstacle? {
        state.withLock { state in
            if let foreign = state.foreign { return .notVideo(foreign) }
            guard let frames = state.frames, state.unmapped == frames.number else { return nil }
            return .notMapped(frames.info.caps)
        }
    }

    /// Begins with a pad on which nothing has flowed yet.
    ///
    /// - Returns: The number by which its probes speak of it.
    func attach() -> Int {
        leave()
        return state.withLock { $0.attachment }
    }

    /// Nothing flows from now on: what probes still say of the pad before is ignored.
    func leave() {
        state.withLock { state in
            state.attachment += 1
            (state.isFlowing, state.foreign, state.unmapped, state.isParked) = (false, nil, nil, false)
        }
        wish.yield()
    }

    /// Frames from now on have this format.
    func meet(_ caps: Caps, on attachment: Int) {
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

    /// Shows another plan from the next frame on.
    func show(_ plan: OverlayPlan, for frames: Frames) {
        // What goes away is freed when the lock is given back.
        _ = state.withLock { state in
            defer { (state.last, state.plan, state.number) = (state.plan, plan, frames.number) }
            return state.last
        }
    }

    /// Blends the plan that is for this frame, if there is one. On the streaming thread.
    func draw(on buffer: inout ProbedBuffer, of attachment: Int) {
        guard let frames = current(buffer.crop, attachment), let plan = frames.plan else { return }
        // Takes no memory if the frame cannot be mapped: the worker emits an event, once for a format.
        let isMapped = buffer.withWritableVideoFrameIfMapped(frames.info) { plan.blend(into: &$0) } != nil
        if isMapped == frames.wasUnmapped { report(isMapped: isMapped, frames.number) }
    }

    /// Says whether a frame passed since the last call.
    func takePassed() -> Bool {
        state.withLock { state in
            defer { state.hasPassed = false }
            return state.hasPassed
        }
    }

    /// Wishes for a plan when the next frame passes, and not before.
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

    /// Frames of a format can no longer be mapped, or can again.
    private func report(isMapped: Bool, _ number: Int) {
        let isNew = state.withLock { state in
            guard state.frames?.number == number else { return false }
            state.unmapped = isMapped ? nil : number
            // Where every other frame is mapped, the worker is woken once.
            defer { if !isMapped { state.reported = number } }
            return isMapped ? state.isParked : state.reported != number
        }
        if isNew { wish.yield() }
    }
}
