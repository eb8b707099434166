// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PresetKit

extension HealthCheck {
    /// Checks the presets that are found for mistakes, such as outlines that do not exist.
    static func presets() -> [HealthCheck] {
        var (good, checks): ([String], [HealthCheck]) = ([], [])
        for entry in PresetLibrary().entries {
            var errors = Preset.errors(inFile: entry.path)
            if errors.isEmpty, case .failure(let refused) = entry.preset { errors = [refused] }
            if errors.isEmpty { good.append(entry.name) }
            // A mistake in one preset does not affect the others.
            checks += errors.map { .warning("presets", $0.description, "fix the preset, or remove it") }
        }
        if good.isEmpty {
            return checks + [.warning("presets", "none is found", "see gst-capture help presets for their folders")]
        }
        return [.good("presets", good.joined(separator: ", "))] + checks
    }
}
