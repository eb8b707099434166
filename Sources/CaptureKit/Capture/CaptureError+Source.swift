// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
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

    /// The error of a stream that ended although it has no natural end.
    static func streamEnded(_ subject: String, _ network: NetworkSource?) -> CaptureError {
        guard let network else { return .sourceEnded(subject) }
        return CaptureError(
            .noCamera, "the camera ended its stream", subject: network.address.map { "\($0)" } ?? subject,
            advice: "check whether it restarts, and its network")
    }

    static func shortBurst(_ subject: String, _ count: Int, of burst: Int) -> CaptureError {
        CaptureError(.inputOutput, "the burst has only \(count) of \(burst) pictures", subject: subject)
    }

    /// The error of a picture that was chosen, but not stored before the capture was stopped for the second time.
    static let givenUp = CaptureError(.temporary, "the capture was stopped before the picture was stored")
}
