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
        try self.init(
            layers.map { (option, $0) }, appearance: appearance.map { ("--appearance", $0) }, outlines: outlines)
    }

    /// Does the same for texts of several options, or of properties. Errors name the one that they are in.
    package init(
        _ layers: [(option: String, text: String)], appearance: [(option: String, text: String)],
        outlines: OutlineLibrary
    ) throws(CaptureError) {
        var errors: [CaptureError] = []
        self.appearance = appearance.reduce(Style()) { style, entry in
            Self.parse(entry.text, .appearance, of: entry.option, &errors)?.merging(over: style) ?? style
        }
        let unresolved = layers.flatMap { entry in
            var unresolved = Self.parse(entry.text, .layers, of: entry.option, &errors) ?? []
            for index in unresolved.indices { unresolved[index].origin = entry.option }
            return unresolved
        }
        if unresolved.count > LayerSyntax.mostLayers, let last = layers.last {
            errors.append(CaptureError(.usage, "has more than \(LayerSyntax.mostLayers) layers", subject: last.option))
        }
        var finder = LayerFinder(outlines)
        self.layers = finder.overlay(unresolved)
        if let error = CaptureError.joining(errors + finder.errors) { throw error }
    }

    private static func parse<Value>(
        _ text: String, _ syntax: SettingSyntax<Value>, of option: String, _ errors: inout [CaptureError]
    ) -> Value? {
        do throws(InvalidValue) {
            return try syntax.parse(.list([.text(SourcedText(text: text))], nil))
        } catch {
            errors += error.errors(.usage, subject: option)
            return nil
        }
    }
}
