// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

/// Layers that a user wrote, found and ready to be drawn.
public struct LayerSelection: Sendable {
    /// The layers, in the order in which the user wrote them.
    public let layers: [Layer]
    /// The style for properties that a layer leaves `nil`.
    public let appearance: Style

    /// Parses layers and an appearance in the syntax of `--overlay` and `--appearance`, and finds the outlines and
    /// files of the layers. It blocks.
    ///
    /// - Parameter option: The option that errors in layers name.
    /// - Throws: `CaptureError` with a line for each mistake, and for each outline or file that does not exist.
    public init(
        _ layers: [String], of option: String = "--overlay", appearance: [String] = [],
        outlines: OutlineLibrary = OutlineLibrary()
    ) throws(CaptureError) {
        let settings = try CaptureSettings(options: appearance.map { (key: "appearance", value: $0) })
        self.appearance = settings.appearance ?? Style()
        let inputs = layers.map { SettingInput.text(SourcedText(text: $0)) }
        var (unresolved, errors): ([UnresolvedLayer], [CaptureError]) = ([], [])
        do throws(InvalidValue) {
            unresolved = try SettingSyntax<[UnresolvedLayer]>.layers.parse(.list(inputs, nil))
        } catch {
            errors = error.errors(.usage, subject: option)
        }
        for index in unresolved.indices { unresolved[index].origin = option }
        var finder = LayerFinder(outlines)
        self.layers = finder.overlay(unresolved)
        if let error = CaptureError.joining(errors + finder.errors) { throw error }
    }
}
