// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PresetKit

var settings = try CaptureSettings(options: [("camera", "scene"), ("output", "-")], preset: nil)
settings.width = 640
let configuration = try CaptureConfiguration(settings, mode: .snap)
print(configuration.request.width ?? 0, "pixels wide,", try PresetLibrary().preset("scene").description)
