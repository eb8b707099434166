// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit

/// Receives the events of all jobs of a service before listeners do: metrics are computed from them.
public protocol ServiceObserver: Sendable {
    /// Records an event of a job. Runs on the actor of the job: it must not wait.
    ///
    /// - Parameter series: The ID of the series; `nil` for a single picture.
    func record(_ event: CaptureEvent, camera: String, series: String?)

    /// Records that a live picture of a camera was encoded, and how long that took. It must not wait.
    func recordLivePicture(of camera: String, encodedIn duration: Duration)
}
