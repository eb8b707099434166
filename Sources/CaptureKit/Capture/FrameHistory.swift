// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit
import Synchronization

/// Keeps the newest frames of an open camera as they come, for pictures from before their trigger or request. Any task
/// may use it.
final class FrameHistory: Sendable {
    private struct State {
        /// How long frames are kept.
        var span = Duration.zero
        /// The oldest first.
        var frames: [Frame] = []
        var byteCount = 0

        mutating func append(_ frame: Frame, _ limit: Int) {
            frames.append(frame)
            byteCount += frame.byteCount
            while let oldest = frames.first, frame.time - oldest.time > span || byteCount > limit {
                byteCount -= oldest.byteCount
                frames.removeFirst()
            }
        }
    }

    private let state = Mutex(State())
    private let bridge = Mutex<FrameBridge?>(nil)

    /// How many bytes are kept at most. Raw frames of 1920x1080 take 3 MiB: these are 0.7 seconds of them.
    private static let limit = 64 << 20
    /// How much longer than the time before a trigger frames are kept: the trigger takes a while to get here.
    private static let margin = Duration.milliseconds(200)

    deinit { bridge.withLock { $0.take() }?.close() }

    /// Keeps the frames of a session from now on, which holds the session until ``rest()``.
    ///
    /// - Parameter time: The time before a trigger; frames are kept a little longer.
    func keep(_ time: Duration, of session: CameraSession) {
        state.withLock { $0.span = time + Self.margin }
        bridge.withLock { bridge in
            guard bridge == nil else { return }
            bridge = session.outlet.bridge { [weak self] sample in self?.keep(session.frame(of: sample)) }
        }
    }

    /// Keeps no more frames, and releases them.
    func rest() {
        bridge.withLock { $0.take() }?.close()
        state.withLock { $0 = State() }
    }

    /// The moment of the oldest frame; `nil` if no frame is kept.
    var start: ClockTime? { state.withLock { $0.frames.first?.time } }

    /// The newest frame; `nil` if no frame is kept.
    var newest: Frame? { state.withLock { $0.frames.last } }

    /// Returns the frame nearest to a moment: the oldest one if that frame is not kept any more, and `nil` if a nearer one
    /// can come.
    func frame(nearestTo moment: ClockTime) -> Frame? {
        let frames = state.withLock { $0.frames }
        guard let after = frames.firstIndex(where: { $0.time >= moment }) else { return nil }
        guard after > 0, moment - frames[after - 1].time < frames[after].time - moment else { return frames[after] }
        return frames[after - 1]
    }

    private func keep(_ frame: Frame) {
        guard frame.sample.buffer?.isCorrupted != true else { return }
        let frame = frame.keepable()
        state.withLock { $0.append(frame, Self.limit) }
    }
}

extension Frame {
    fileprivate var byteCount: Int { sample.buffer?.count ?? 0 }
}
