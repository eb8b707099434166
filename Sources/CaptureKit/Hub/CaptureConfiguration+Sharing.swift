// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase

/// The rules by which two jobs share a camera. Pure.
extension CaptureConfiguration {
    /// Returns the error of a job that cannot share its camera with earlier ones; `nil` if all agree.
    ///
    /// A job that leaves the format or the controls to the camera accepts those of the earlier job.
    ///
    /// - Parameters:
    ///   - earlier: The configuration of the camera, by the first job; it stays as it is.
    ///   - job: The name of a job that uses the camera now. The first one may have ended.
    func conflict(with earlier: CaptureConfiguration, of job: String) -> CaptureError? {
        guard let option = optionInConflict(with: earlier) else { return nil }
        return CaptureError(
            .temporary, "is used by \(job) with another \(option.subject)", subject: sourceName,
            advice: "end \(job), or leave out --\(option.name)")
    }

    /// An option that contradicts the earlier job, and the name of its setting for messages.
    private typealias ConflictingOption = (name: String, subject: String)

    private func optionInConflict(with earlier: CaptureConfiguration) -> ConflictingOption? {
        let requests: [(isInConflict: Bool, option: ConflictingOption)] = [
            (differs(request.width, earlier.request.width), ("width", "width")),
            (differs(request.height, earlier.request.height), ("height", "height")),
            (differs(request.frameRate, earlier.request.frameRate), ("framerate", "frame rate")),
            (differs(request.format, earlier.request.format), ("format", "format")),
            (differs(decode, earlier.decode), ("decode", "decoder")),
            (!controls.isEmpty && controls != earlier.controls, ("set", "value of a control")),
            (!locks.isSubset(of: earlier.locks), ("lock", "lock of controls")),
            (!ramps.isSubset(of: earlier.ramps), ("ramp", "ramp of controls")),
            (flash != .off && flash != earlier.flash, ("flash", "flash mode")),
            (differs(flashControl, earlier.flashControl), ("flash-control", "flash control")),
        ]
        return requests.first { $0.isInConflict }?.option
    }

    private func differs<Value: Equatable>(_ own: Value?, _ earlier: Value?) -> Bool { own != nil && own != earlier }
}
