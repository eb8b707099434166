// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

/// Resolves layers: finds their outlines and files, and gives each layer a unique name.
package struct LayerFinder {
    private let library: OutlineLibrary
    package private(set) var errors: [CaptureError] = []

    package init(_ library: OutlineLibrary) { self.library = library }

    /// Returns the layers of a preview. A layer that is not found is left out, and adds an error.
    package mutating func overlay(_ unresolved: [UnresolvedLayer]) -> [Layer] {
        named(unresolved.compactMap { layer($0) })
    }

    /// Returns the layers of stills. An entry that is the name of a layer of the overlay stands for that layer.
    package mutating func burnIn(_ unresolved: [UnresolvedLayer], overlay: [Layer]) -> [Layer] {
        named(unresolved.compactMap { entry in overlay.first { $0.name == entry.bareText } ?? layer(entry) })
    }

    private mutating func layer(_ unresolved: UnresolvedLayer) -> Layer? {
        do throws(CaptureError) {
            let content = try content(unresolved.content)
            return Layer(unresolved.name ?? Self.name(content), content, unresolved.placement, unresolved.style)
        } catch {
            let message = (error.subject.map { "\($0): " } ?? "") + error.message
            errors.append(CaptureError(error.code, message, subject: unresolved.origin, advice: error.advice))
            return nil
        }
    }

    private func content(_ unresolved: UnresolvedLayer.Content) throws(CaptureError) -> Layer.Content {
        switch unresolved {
        case .outline(let text): .outline(try outline(text))
        case .dim(let text): .dim(outside: try outline(text))
        case .text(let template): .text(template)
        case .ghost(let path): .ghost(path: try library.file(path))
        case .image(let path): .image(path: try library.file(path))
        case .grid(let grid): .grid(grid)
        case .letterbox(let aspect): .letterbox(aspect: aspect)
        }
    }

    private func outline(_ text: String) throws(CaptureError) -> Outline {
        do throws(CaptureError) {
            return try library.outline(text)
        } catch {
            // A user who writes `grid` does not mean an outline.
            guard let kind = LayerKind(word: text) else { throw error }
            throw CaptureError(error.code, error.message, subject: error.subject, advice: "write \(kind.example)")
        }
    }

    /// Returns the default name of a layer: that of its outline or file, or else its kind.
    private static func name(_ content: Layer.Content) -> String {
        switch content {
        case .outline(let outline): outline.name
        case .image(let path): DeviceFiles.name(of: path).split(separator: ".").first.map(String.init) ?? "image"
        case .text: "text"
        case .ghost: "ghost"
        case .grid: "grid"
        case .dim: "dim"
        case .letterbox: "letterbox"
        case .panel: "panel"
        }
    }

    /// Makes names unique: the second layer of a name becomes `name-2`, and so on.
    private func named(_ layers: [Layer]) -> [Layer] {
        var known: Set<String> = []
        return layers.map { layer in
            var layer = layer
            let names = sequence(first: 2) { $0 + 1 }.lazy.map { [name = layer.name] in "\(name)-\($0)" }
            if known.contains(layer.name), let free = names.first(where: { !known.contains($0) }) { layer.name = free }
            known.insert(layer.name)
            return layer
        }
    }
}
