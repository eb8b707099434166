// Part of gst-capture. Apache License 2.0, see LICENSE.

extension SessionMachine {
    /// The parameters of a machine besides the session's description.
    struct Plan: Sendable {
        /// `true` if there is a camera to switch to.
        var hasSeveralCameras = true
        /// The camera that is shown until the user or a stage requests another one.
        var usualCamera = CameraRole.front
        /// `true` if the user already knows the tutorial.
        var knowsTutorial = false
        /// How long a stage shows its last picture before the next stage begins.
        var showing = Duration.seconds(1)
    }
}
