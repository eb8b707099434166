// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipKit
import Synchronization

/// The movie of a live photo that a client requests. Any task may use it.
final class RequestedMovie: Sendable {
    private let motion: LiveMotion
    /// Has the frames kept.
    private let viewer: MotionViewer
    /// Holds the frames around the picture.
    private let hold: MotionHold
    /// The events of the picture, which follow its own.
    private let events = Mutex<[CaptureEvent]>([])

    /// - Parameter delay: The time until the picture is captured.
    init(_ motion: LiveMotion, _ viewer: MotionViewer, after delay: Duration) {
        (self.motion, self.viewer) = (motion, viewer)
        hold = motion.hold(since: ClockTime.now + delay)
    }

    /// Waits for the movie of a picture, and joins it to the picture.
    ///
    /// - Parameter replace: Replaces the picture by the file with the movie.
    /// - Returns: `false` if the picture stays as it is: a notice says why.
    func join(
        _ still: Still, _ bytes: [UInt8], _ replace: (_ photo: [UInt8]) async throws(CaptureError) -> Void
    ) async -> Bool {
        do throws(CaptureError) {
            try await replace(try await motion.livePhoto(bytes, at: still.slot.due + still.offset))
            events.withLock { $0.append(.livePhoto(still, hasMovie: true)) }
            return true
        } catch {
            events.withLock { $0 += [.livePhoto(still, hasMovie: false), .notice(Notice(.movieNotJoined, error))] }
            return false
        }
    }

    /// Waits for the movie of a picture in memory. Returns the picture with it; the picture itself if there is none.
    func joined(to still: Still) async -> Still {
        guard let bytes = still.bytes else { return still }
        var joined = still
        _ = await join(still, bytes) { photo in (joined.bytes, joined.byteCount) = (photo, photo.count) }
        return joined
    }

    /// Emits the events of the picture.
    ///
    /// - Parameter camera: The ID of the camera.
    func report(_ parts: ServiceParts, camera: String) {
        for event in events.withLock({ $0 }) {
            if let event = ServiceEvent(event, camera: camera, series: nil) { parts.emit(event) }
        }
    }
}
