// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Why a capture ended.
public enum CaptureEnding: Sendable, Hashable {
    /// The schedule ended. Each of its slots has a picture, was missed or failed.
    case completed
    /// The caller stopped the capture with `CaptureController.finish()` or `CaptureController.cancel()`.
    case stopped
    /// An error ended the capture.
    case failed(CaptureError)
}
