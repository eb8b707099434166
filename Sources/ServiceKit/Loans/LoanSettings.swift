// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import PresetKit

/// The settings with which a program of this machine uses a camera of the service.
public struct LoanSettings: Sendable {
    /// The settings that a program may give.
    package static let keys = [
        "width", "height", "framerate", "format", "decode", "settle", "controls", "lock", "ramp", "ramp-rate",
        "ramp-target", "flash", "flash-control",
    ]

    private let settings: CaptureSettings

    /// Reads an object with ``keys`` and the values of a preset.
    ///
    /// - Throws: `CaptureError` `.usage` with a line for each mistake.
    package init(_ bytes: [UInt8]) throws(CaptureError) {
        settings = try SettingsObject(bytes, file: "body", ids: [], keys: Self.keys).settings
    }

    /// The configuration of a loan: that of the camera's single pictures, with these settings. The loan ends with the
    /// loss of the camera, and the program decides how to continue.
    ///
    /// - Parameter found: The device; `nil` if the settings of the camera name elements or the scene.
    /// - Throws: `CaptureError` `.usage` if the settings do not fit together, `.temporary` if they need other elements
    ///   than the service has.
    func configuration(
        of camera: ServiceCamera, _ found: Camera?
    ) throws(CaptureError) -> CaptureConfiguration {
        // Elements may write files: only the configuration of the service names them.
        if let decode = settings.decode, decode != "auto", decode != camera.settings.decode {
            throw CaptureError(
                .temporary, "the service decodes this camera with other elements", subject: camera.id,
                advice: "leave out --decode, or write it into the configuration of the service")
        }
        var settings = settings
        settings.decode = camera.settings.decode ?? settings.decode
        let merged = ServiceCamera(
            id: camera.id, settings: settings.merging(over: camera.settings), series: [])
        var configuration = try merged.snap(found)
        configuration.recovery = .off
        return configuration
    }
}
