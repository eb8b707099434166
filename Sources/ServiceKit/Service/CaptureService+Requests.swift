// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import StillKit

// Requests about a camera, which its desk answers.
extension CaptureService {
    /// Captures a picture with the settings of a camera, on the pipeline that its series share. Returns it with its
    /// bytes; nothing is stored. Waits for the camera; if the task is canceled, the picture is abandoned.
    ///
    /// - Throws: `CaptureError` `.limit` if the camera has ``mostSnaps`` requests or too many pictures wait to be stored,
    ///   `.temporary` if a change of the configuration ends the request, and the errors of a capture.
    public func snap(_ id: String, _ request: PictureRequest = PictureRequest()) async throws(CaptureError) -> Still {
        let (stills, failure) = try await desk(id).capture(request) { still, movie in
            (await movie?.joined(to: still) ?? still, nil)
        }
        guard let still = stills.last else { throw failure ?? .canceledRequest(id) }
        return still
    }

    /// Ends the pending requests of a camera: their countdowns, and the rest of their bursts. Requests have the pictures
    /// that were captured already, or the error ``CaptureBase/CaptureError/canceledRequest(_:)``. Returns their number.
    @discardableResult
    public func callOff(_ id: String) async throws(CaptureError) -> Int { try await desk(id).callOff() }

    /// `true` if a camera stores the pictures that clients request.
    public func storesPictures(_ id: String) async throws(CaptureError) -> Bool { try await desk(id).storesPictures }

    /// The media type of the pictures that ``snap(_:_:)`` returns for a camera.
    public func snapType(of id: String) async -> String {
        let format = try? await desk(id).requestedFormat
        return StillRecord.mediaType(of: format ?? .jpeg)
    }

    /// Reads or changes the controls of a camera, also while jobs use it.
    ///
    /// - Throws: `CaptureError` `.noCamera` if it is not connected, `.usage` for an unknown control or a wrong value, and
    ///   the errors of the driver.
    public func controls(of id: String, _ request: ControlRequest) async throws(CaptureError) -> ControlState {
        try await desk(id).controls(request)
    }

    /// Returns the camera of an ID as it is connected now; the built-in scene for elements in its place.
    ///
    /// - Throws: `CaptureError` `.noCamera` if it is not connected.
    public func connected(_ id: String) async throws(CaptureError) -> Camera { try await desk(id).connected() }

    /// Joins the live pictures of a camera, on the pipeline that its series share. Returns at once; the viewer waits for
    /// the camera.
    ///
    /// - Throws: `CaptureError` `.limit` if there are ``StreamHub/mostViewers`` viewers or ``StreamHub/mostStreams``
    ///   different requests.
    public func view(_ id: String, _ request: StreamRequest) async throws(CaptureError) -> StreamViewer {
        try await desk(id).view(request)
    }

    /// Joins the live video of a camera, on the pipeline that its series share. Returns at once; the viewer waits for the
    /// camera and the encoder.
    ///
    /// - Throws: As ``view(_:_:)``, whose limits count both.
    package func watch(_ id: String, _ request: VideoRequest) async throws(CaptureError) -> VideoViewer {
        try await desk(id).watch(request)
    }

    /// Has the newest frames of a camera kept until the result is released, so that a live photo begins with them: see
    /// ``PictureRequest/isLive``. Returns at once.
    ///
    /// - Throws: As ``view(_:_:)``, whose limits count it.
    package func keepFrames(_ id: String) async throws(CaptureError) -> MotionViewer {
        try await desk(id).keepMotion()
    }

    /// Opens a camera for another program of this machine. Waits until its picture is steady. The caller runs the loan, and
    /// closes it with ``close(_:)``.
    ///
    /// - Throws: `CaptureError` `.noCamera` if it is not connected, `.temporary` if the settings contradict a job that
    ///   uses it, `.limit` if there are too many loans.
    public func lend(_ id: String, _ settings: LoanSettings) async throws(CaptureError) -> FrameLoan {
        try await desk(id).lend(settings)
    }
}

// Requests about a series, which its job answers.
extension CaptureService {
    /// Captures one picture of a series besides its slots. Returns before the picture.
    ///
    /// - Throws: `CaptureError` `.usage` if it does not run.
    public func trigger(_ id: String) async throws(CaptureError) { try await series(id).trigger() }

    /// Pauses a series after its current picture. Slots that pass until it is resumed are missed.
    public func pause(_ id: String) async throws(CaptureError) { try await series(id).pause() }

    /// Resumes a series that is paused or stopped, or retries it at once if a fault keeps it from running.
    public func resume(_ id: String) async throws(CaptureError) { try await series(id).resume() }

    /// Stops a series after its current picture, until it is resumed or the service starts again.
    public func stop(_ id: String) async throws(CaptureError) { try await series(id).stop() }
}
