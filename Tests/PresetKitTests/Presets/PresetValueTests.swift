// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import OverlayRaster
import PipelineKit
import PresetKit
import Testing

@testable import CaptureKit
@testable import OverlayCompositor

/// Presets with values that are out of range, not numbers, or not finite.
@Suite(.timeLimit(.minutes(5))) struct `A preset with hostile values` {
    private static let values = [
        ".nan", "nan", ".inf", "-.inf", "inf", "1e999", "-1e999", "1e308", "-1", "-0", "0", "0x7fffffffffffffff",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e19", "nan%", "1e999%", "-50%",
        "1e999s", "-1s", "9223372036854775807h", "nanx1", "0x0", "-1x-1", "99999999999x99999999999", "1/0", "0/0", "#",
        "#zzz", "\"\\0\"", "~", "''", "[]", "[nan, inf]", "{a: nan}",
    ]

    @Test(arguments: Setting.all.map(\.key))
    func `A preset with a hostile value is an error or a configuration`(key: String) throws {
        for value in Self.values {
            let text = "\(key): \(value)\n"
            guard let preset = try? Preset(path: "/any.yaml", bytes: Array(text.utf8)) else { continue }
            for mode in [CaptureMode.snap, .timelapse, .preview] {
                try? CaptureConfiguration.check(preset.settings, mode: mode)
            }
        }
    }

    @Test func `A layer with a hostile value is an error or is drawn`() async throws {
        let words = [
            "nan", "inf", "-inf", "1e999", "1e308", "-1", "0", "200%", "nan%", "1e19px", "-5px", "nan,nan",
            "1e999,-1e999",
        ]
        let keys = ["size", "opacity", "margin", "position", "anchor", "stroke", "halo", "aspect"]
        let kinds = ["grid: thirds", "letterbox: 2.39", "letterbox: nan", "letterbox: 1e-320", "text: '%Y'"]
        let info = try VideoInfo(format: "I420", width: 64, height: 48)
        for kind in kinds {
            for key in keys {
                for word in words {
                    let text = "overlay:\n  - \(kind)\n    \(key): \(word)\n"
                    guard let preset = try? Preset(path: "/any.yaml", bytes: Array(text.utf8)),
                        let configuration = try? CaptureConfiguration(
                            preset.settings.with(camera: Camera.sceneID), mode: .preview)
                    else { continue }
                    let planner = OverlayPlanner(CairoRasterizer())
                    _ = try await planner.plan(OverlayContents(configuration.overlay), at: 0, for: info)
                }
            }
        }
    }
}

extension CaptureSettings {
    fileprivate func with(camera: String) -> CaptureSettings {
        var settings = self
        settings.camera = camera
        return settings
    }
}
