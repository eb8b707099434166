// Part of gst-capture. Apache License 2.0, see LICENSE.

import FrameMeasures
import PipelineKit

extension FrameFeed {
    /// Returns how long before the moment ``best(of:around:frameDuration:)`` must be called, at the latest, to see all
    /// of the frames: half of them, and one more that is on its way.
    package static func lead(of count: Int, frameDuration: Duration) -> Duration {
        count > 1 ? frameDuration * count / 2 + frameDuration : .zero
    }

    /// Returns the sharpest of the frames around a moment, and how it was chosen. The window is `count` frame durations
    /// long.
    ///
    /// Frames that came before the call are not seen: call it ``lead(of:frameDuration:)`` before the moment. It returns
    /// when the last frame of the window has arrived, half of them after the moment, and JPEG frames are decoded. If no
    /// frame falls into the window, it returns the nearest.
    ///
    /// - Parameters:
    ///   - count: The number of frames; 1 is ``nearest(to:)``, and nothing is measured.
    ///   - frameDuration: The time from one frame to the next; `nil` to use the rate that the frames state.
    /// - Returns: `nil` if the stream ends before the first frame.
    package func best(
        of count: Int, around moment: ClockTime, frameDuration: Duration? = nil
    ) async -> (frame: Frame, choice: BestOfN.Choice)? {
        guard count > 1 else {
            guard let frame = await nearest(to: moment) else { return nil }
            return (frame, BestOfN.Choice(index: 0, offset: frame.time - moment, sharpness: 0))
        }
        guard let first = await next() else { return nil }
        let duration = frameDuration ?? first.sample.frameDuration ?? BestWindow.usualFrameDuration
        let window = BestWindow(of: count, around: moment, frameDuration: duration)
        giveBack(first)
        return await best(in: window)
    }

    private func best(in window: BestWindow) async -> (frame: Frame, choice: BestOfN.Choice)? {
        var contest = FrameContest(BestOfN(moment: window.moment, reach: window.reach), meter)
        while let frame = await next() {
            switch window.place(of: frame.time, at: PipelineClock.system.now) {
            case .early: contest.fallBack(on: frame)
            case .inside: await contest.enter(frame)
            case .last:
                await contest.enter(frame)
                return await contest.winner()
            case .late:
                // The frame belongs to the next slot, unless none is nearer.
                if contest.prefers(frame) { await contest.enter(frame) } else { giveBack(frame) }
                return await contest.winner()
            }
        }
        return await contest.winner()
    }
}
