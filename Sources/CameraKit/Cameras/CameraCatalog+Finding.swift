// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

extension CameraCatalog {
    /// Finds the camera that `text` names, as ``resolve(_:)`` does, without blocking the caller.
    ///
    /// Linux suspends idle USB cameras. If a port fails to wake its camera up, `open(2)` fails with `EBUSY`, and the
    /// camera is disconnected and appears again, mostly within a second. A camera that is busy is therefore searched for
    /// again after 0.5, 1.5 and 3.5 seconds. If the task is canceled, the attempt in progress is the last one.
    ///
    /// - Throws: The errors of ``resolve(_:)``; `CaptureError` `.noCamera` if the camera's driver has not answered
    ///   within ten seconds.
    public static func find(_ text: String) async throws(CaptureError) -> Camera {
        let catalog = await finding(text)
        return try await catalog.find(text, clock: SuspendingClock())
    }

    /// The pauses before the attempts that follow the first.
    private static let pauses = [Duration.milliseconds(500), .seconds(1), .seconds(2)]

    /// Finds a camera, and pauses with `clock`.
    func find(_ text: String, clock: some Clock<Duration>) async throws(CaptureError) -> Camera {
        var busy: CaptureError?
        for pause in Self.pauses {
            do throws(CaptureError) {
                return try await answer(text, clock: clock)
            } catch {
                // A camera that was busy is missing until udev has made its links again.
                guard error.code == .temporary || busy != nil && error.code == .noCamera else { throw error }
                let first = busy ?? error
                busy = first
                guard (try? await clock.sleep(for: pause)) != nil else { throw first }
            }
        }
        do throws(CaptureError) {
            return try await answer(text, clock: clock)
        } catch {
            throw busy ?? error
        }
    }

    /// Resolves the text on a thread that may block.
    private func answer(_ text: String, clock: some Clock<Duration>) async throws(CaptureError) -> Camera {
        do throws(CaptureError) {
            return try await Deadline(subject: text, clock: clock).bound("opening it") { () throws(CaptureError) in
                try await BlockingWork.run { () throws(CaptureError) in try resolve(text) }
            }
        } catch {
            guard error.code == .wedged else { throw error }
            throw CaptureError(
                .noCamera, "does not answer: its driver cannot open it", subject: text,
                advice: "reconnect it; if that does not help, see what dmesg says")
        }
    }
}

extension Camera {
    /// Finds the first usable camera, without blocking the caller. It is never the scene.
    ///
    /// - Throws: The errors of ``CameraCatalog/find(_:)``.
    public static func first() async throws(CaptureError) -> Camera {
        try await CameraCatalog.find(CameraCatalog.automatic)
    }
}
