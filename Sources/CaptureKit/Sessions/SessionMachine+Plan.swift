// Part of gst-capture. Apache License 2.0, see LICENSE.

extension SessionMachine {
    /// What decides besides the session's description.
    struct Plan: Sendable {
        /// True where there is a camera to switch to.
        var hasSeveralCameras = true
        /// The camera that is shown until somebody, or a stage, asks for another.
        var usualCamera = CameraRole.front
        /// True where somebody knows the tutorial already.
        var knowsTutorial = false
        /// So long a stage shows what was taken before the next begins.
        var showing = Duration.seconds(1)
    }
}
