// Part of gst-capture. Apache License 2.0, see LICENSE.

extension String {
    /// The text with a space in place of each control character, so that it stays on one line and cannot control a
    /// terminal.
    package var withoutControls: String {
        String(UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
