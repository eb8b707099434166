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

    private struct State {
        var frames: Frames?
        var plan: OverlayPlan?
        /// The format that the plan is for.
        var number = 0
        /// The plan before, which a frame may be using still: it must not be the streaming thread that frees it.
        var last: OverlayPlan?
    }

    private let state = Mutex(State())
    private let wish: AsyncStream<Void>.Continuation

    /// Something flows that no plan is there for.
    let wishes: AsyncStream<Void>

    init() { (wishes, wish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    deinit { wish.finish() }

    /// The frames that flow, if any do.
    var frames: Frames? { state.withLock { $0.frames } }

    /// Frames from now on have this format.
    func meet(_ caps: Caps) {
        let info = caps.videoInfo
        let isNew = state.withLock { state in
            if let info, state.frames?.info == info { return false }
            state.frames = info.map { Frames(info: $0, crop: nil, number: (state.frames?.number ?? state.number) + 1) }
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
    func draw(on buffer: inout ProbedBuffer) {
        guard let (info, plan) = current(buffer.crop), let plan else { return }
        // A frame that cannot be mapped goes on as it is: whoever is next will say so.
        try? buffer.withWritableVideoFrame(info) { frame in plan.blend(into: &frame) }
    }

    private func current(_ crop: CropRectangle?) -> (VideoInfo, OverlayPlan?)? {
        let (result, isNew) = state.withLock { state -> ((VideoInfo, OverlayPlan?)?, Bool) in
            guard let frames = state.frames else { return (nil, false) }
            guard frames.crop == crop else {
                state.frames = Frames(info: frames.info, crop: crop, number: frames.number + 1)
                return (nil, true)
            }
            return ((frames.info, state.number == frames.number ? state.plan : nil), false)
        }
        if isNew { wish.yield() }
        return result
    }
}
