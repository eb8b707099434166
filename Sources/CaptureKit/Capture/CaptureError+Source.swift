// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

extension CaptureError {
    static func silentSource(_ subject: String, _ silence: Duration) -> CaptureError {
        CaptureError(
            .noCamera, "has delivered no frame for \(silence.components.seconds) s", subject: subject,
            advice: "check its cable, and whether another program uses it")
    }

    package static func sourceEnded(_ subject: String) -> CaptureError {
        CaptureError(.noCamera, "the source ended", subject: subject)
    }

    static func shortBurst(_ subject: String, _ count: Int, of burst: Int) -> CaptureError {
        CaptureError(.inputOutput, "the burst has only \(count) of \(burst) pictures", subject: subject)
    }

    /// The error of a picture that was chosen, but not stored before the capture was stopped for the second time.
    static let givenUp = CaptureError(.temporary, "the capture was stopped before the picture was stored")
}
