// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension FrameFeed {
    /// How long before the moment ``best(of:around:frameDuration:)`` has to be asked, at least, to see all of them: half
    /// the frames, and one more that is on its way.
    static func lead(of count: Int, frameDuration: Duration) -> Duration {
        count > 1 ? frameDuration * count / 2 + frameDuration : .zero
    }

    /// The sharpest of the frames around a moment, as many as fit into `count` times the time from one to the next, and
    /// how it was chosen.
    ///
    /// Frames that come before it is asked are not seen: ask ``lead(of:frameDuration:)`` before the moment. It answers when
    /// the last of them has come, half of them after the moment, and a JPEG frame has been decoded. Where no frame is so
    /// near, it is the nearest.
    ///
    /// - Parameters:
    ///   - count: How many frames; for 1 it is ``nearest(to:)``, and nothing is measured.
    ///   - frameDuration: `nil` for what the frames themselves say.
    /// - Returns: `nil` when the stream ends before the first frame.
    func best(
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
                // It belongs to the next slot, unless there is none nearer.
                if contest.prefers(frame) { await contest.enter(frame) } else { giveBack(frame) }
                return await contest.winner()
            }
        }
        return await contest.winner()
    }
}
