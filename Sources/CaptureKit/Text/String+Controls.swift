// Part of gst-capture. Apache License 2.0, see LICENSE.

extension String {
    /// With a blank in place of each control character: it stays on its line, and says nothing to a terminal.
    package var withoutControls: String {
        String(UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
