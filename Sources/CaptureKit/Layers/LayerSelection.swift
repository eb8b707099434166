// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// Layers as somebody wrote them, found and ready to be drawn.
public struct LayerSelection: Sendable {
    /// The layers, in the order in which they were written.
    public let layers: [Layer]
    /// How they look where they do not say it themselves.
    public let appearance: Style

    /// Reads layers and an appearance in the syntax of `--overlay` and `--appearance`.
    ///
    /// - Throws: ``CaptureError`` with a line for each mistake, and for each outline or file that is not there.
    public init(
        _ overlay: [String], appearance: [String] = [], outlines: OutlineLibrary = OutlineLibrary()
    ) throws(CaptureError) {
        let options = overlay.map { (key: "overlay", value: $0) } + appearance.map { (key: "appearance", value: $0) }
        let settings = try CaptureSettings(options: options)
        var finder = LayerFinder(outlines)
        layers = finder.overlay(settings.overlay ?? [])
        if let error = CaptureError.joining(finder.errors) { throw error }
        self.appearance = settings.appearance ?? Style()
    }
}
