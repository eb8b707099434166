// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase

extension CaptureError {
    /// The error of a source without frames. A source of libcamera may have none because it gets no memory for them.
    ///
    /// - Parameter memory: The reason why libcamera gets no memory; `nil` if it gets some.
    static func silentSource(
        _ source: CaptureConfiguration.Source, _ silence: Duration,
        memory: @autoclosure () -> CaptureError? = FrameMemory.problem
    ) -> CaptureError {
        let problem = source.isLibcamera ? memory() : nil
        return CaptureError(
            .noCamera, "has delivered no frame for \(silence.components.seconds) s", subject: source.name,
            advice: problem.map { "libcamera gets no memory for frames: \($0)" }
                ?? "check its cable, and whether another program uses it")
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
