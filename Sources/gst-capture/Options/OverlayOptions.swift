// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for the layers of the preview, and the style of layers in previews and pictures.
struct OverlayOptions: SettingOptions {
    @Option(name: .customLong("overlay"), help: .setting("overlay"), completion: .layers)
    var overlays: [String] = []

    @Option(help: .setting("appearance"))
    var appearance: [String] = []

    var assignments: [SettingAssignment] { .repeated("overlay", overlays) + .repeated("appearance", appearance) }
}
