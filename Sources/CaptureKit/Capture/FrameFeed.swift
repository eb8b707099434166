// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import StillKit

/// The frames of a session, for one task at a time. A session drops frames that this task does not wait for, except the
/// newest. One frame can be given back: the frame after the nearest belongs to the next slot.
package final class FrameFeed {
    private let session: CameraSession
    private let branch: FrameBranch
    /// The frame that the caller has already, until the next one.
    private var seen: Frame?
    private var returned: Frame?
    /// Frames that arrived earlier are skipped.
    private var earliest = ClockTime.zero
    /// Measures frames for ``best(of:around:frameDuration:)``.
    private(set) lazy var meter = SharpnessMeter()

    /// - Parameter frame: The newest frame that the caller has already: it does not come again.
    package init(_ session: CameraSession, after frame: Frame? = nil) {
        (self.session, branch, seen) = (session, session.branch(), frame?.keepable())
    }

    /// Waits for the next frame. Returns `nil` if the stream ends, fails (see ``CameraSession/failure``) or is closed,
    /// or if the task is canceled.
    package func next() async -> Frame? {
        if let frame = returned {
            returned = nil
            if frame.arrival >= earliest { return frame }
        }
        while let sample = try? await branch.nextSample() {
            let frame = session.frame(of: sample)
            let isSeen = seen.map(frame.isSame(as:)) ?? false
            seen = nil
            // Damaged frames are skipped; the next comes soon.
            if !isSeen, frame.arrival >= earliest, sample.buffer?.isCorrupted != true { return frame }
        }
        return nil
    }

    /// Skips frames that arrived before `moment`, from now on.
    func skip(until moment: ClockTime) { earliest = moment }

    /// Waits for the next frame without taking it. Returns `false` if there is none, as ``next()`` does.
    package func hasNext() async -> Bool { await peek(since: .zero) != nil }

    /// Waits for a frame that arrived at `moment` or later, without taking it. If there is none, as with ``next()``, it
    /// returns `nil`, and the last earlier frame comes next.
    func peek(since moment: ClockTime) async -> Frame? {
        var earlier: Frame?
        while let frame = await next() {
            guard frame.arrival < moment else {
                giveBack(frame)
                return frame
            }
            earlier = frame.keepable()
        }
        if let earlier { giveBack(earlier) }
        return nil
    }

    /// Puts a frame back, to come next. It may wait for a long time.
    func giveBack(_ frame: Frame) { returned = frame.keepable() }

    /// Returns the frame nearest to `target`. If the stream ends first, it returns the last frame before `target`;
    /// `nil` if there is none.
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

    /// Returns `frame`, or the first whole frame after it if it is cut off. The search stops at a frame that is
    /// `patience` or more after `moment`, and returns that frame as it is.
    package func whole(_ frame: Frame?, after moment: ClockTime, patience: Duration) async -> Frame? {
        guard var frame else { return nil }
        while await !frame.isWhole(), frame.time - moment < patience, let next = await next() { frame = next }
        return frame
    }
}
