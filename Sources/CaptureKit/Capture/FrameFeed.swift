// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The frames of a session, of which one can be given back: the frame after the nearest belongs to the next slot.
final class FrameFeed {
    private let session: CameraSession
    private var returned: Frame?
    /// For the sharpest of several.
    private(set) lazy var meter = SharpnessMeter()

    init(_ session: CameraSession) { self.session = session }

    /// The next frame; `nil` at the end.
    func next() async -> Frame? {
        if let frame = returned {
            returned = nil
            return frame
        }
        return await session.nextFrame()
    }

    /// Puts a frame back, to come next. It may wait for long: the camera gets its buffer back, unless memory is short.
    func giveBack(_ frame: Frame) { returned = (try? frame.copied()) ?? frame }

    /// The frame nearest `target`; `nil` when the stream ends first.
    func nearest(to target: ClockTime) async -> Frame? {
        var kept: Frame?
        var picker: FramePicker?
        while let frame = await next() {
            var judge = picker ?? FramePicker(target: target, frameDuration: frame.sample.frameDuration)
            let verdict = judge.offer(frame.time, at: PipelineClock.system.now)
            picker = judge
            switch verdict {
            case .keep: kept = frame
            case .take: return frame
            case .takeKept:
                giveBack(frame)
                return kept
            }
        }
        return kept
    }

    /// The frame, or where that is cut off the first after it that is not, unless that is too far from its moment.
    func whole(_ frame: Frame?, after moment: ClockTime, patience: Duration) async -> Frame? {
        guard var frame else { return nil }
        while await !frame.isWhole(), frame.time - moment < patience, let next = await next() { frame = next }
        return frame
    }
}
