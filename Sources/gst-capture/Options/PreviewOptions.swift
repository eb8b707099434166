// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for the size, rate and sink of the preview.
struct PreviewOptions: SettingOptions {
    @Option(help: .setting("preview-width"))
    var previewWidth: String?

    @Option(help: .setting("preview-height"))
    var previewHeight: String?

    @Option(help: .setting("preview-framerate"))
    var previewFramerate: String?

    @Flag(inversion: .prefixedNo, help: .setting("mirror"))
    var mirror: Bool?

    @Option(help: .setting("sink"), completion: .setting("sink"))
    var sink: String?

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("preview-width", previewWidth), SettingAssignment("preview-height", previewHeight),
            SettingAssignment("preview-framerate", previewFramerate), SettingAssignment("mirror", mirror),
            SettingAssignment("sink", sink),
        ].compactMap { $0 }
    }
}
