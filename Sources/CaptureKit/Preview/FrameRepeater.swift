// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Puts frames on a screen that can drop them, and puts the newest frame again until it must have been shown.
///
/// On Wayland, `gtkwaylandsink` of GStreamer 1.22 drops the frames that arrive before the compositor has shown the previous
/// one. The next frame of a camera replaces a dropped frame. A page is put only once, and would be lost.
final class FrameRepeater: Sendable {
    private struct State {
        var newest: Sample?
        /// Counts the frames that were put, without repetitions.
        var count = 0
    }

    /// The time without a new frame after which the newest one is put again.
    private static let pause = Duration.milliseconds(100)

    /// How often a frame is put again: for 3 s, since the compositor of a busy machine can be late.
    private static let repetitions = 30

    private let state = Mutex(State())
    private let frames: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    private let output: @Sendable (Sample) -> Void

    /// - Parameter output: Puts a frame on the screen without waiting, on any thread.
    init(_ output: @escaping @Sendable (Sample) -> Void) {
        self.output = output
        (frames, arrived) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Puts a frame on the screen. Any thread may call this.
    func put(_ sample: Sample) {
        state.withLock { state in
            state.newest = sample
            state.count += 1
            output(sample)
        }
        arrived.yield()
    }

    /// Puts frames again until the task is canceled.
    func run() async {
        for await _ in frames {
            var (count, repetitions) = (0, 0)
            while repetitions < Self.repetitions {
                try? await Task.sleep(for: Self.pause, tolerance: .milliseconds(20))
                if Task.isCancelled { return }
                let newest = putAgain(unlessNewerThan: count)
                repetitions = newest == count ? repetitions + 1 : 0
                count = newest
            }
        }
    }

    /// Puts the newest frame again if it is still that of this count. Returns the count of the newest frame.
    private func putAgain(unlessNewerThan count: Int) -> Int {
        state.withLock { state in
            if state.count == count, let newest = state.newest { output(newest) }
            return state.count
        }
    }
}
