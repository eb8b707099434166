// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// Tells a stream when its last viewer has been away for ``linger``. Any thread may signal; one task waits.
struct Departures: Sendable {
    private let signals = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// How long the camera stays open after the last viewer has left.
    static let linger = Duration.seconds(2)

    /// Signals that the last viewer has left.
    func signal() { signals.continuation.yield() }

    /// Ends the wait.
    func finish() { signals.continuation.finish() }

    /// Waits until the stream has been without viewers for long enough, or has ended.
    ///
    /// - Parameter endIfUnused: Ends the stream if it is unused for this long; see ``Attendance/endIfUnused(for:at:)``.
    func wait(_ endIfUnused: (_ span: Duration, _ now: ClockTime) -> Duration?) async {
        for await _ in signals.stream {
            while let rest = endIfUnused(Self.linger, PipelineClock.system.now) {
                if rest <= .zero { return }
                guard (try? await Task.sleep(for: rest)) != nil else { return }
            }
        }
    }
}
