// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import OverlayCompositor

/// Composes the view of a session for frames of one shape. Pure: the view follows from the session's state alone.
///
/// All positions and sizes are fractions of the frame, so that a view looks alike at every size, and in portrait.
/// Layers keep their names, and stay equal while their content does, so that only changed layers are drawn again. Texts
/// are fitted.
struct SessionComposer: Sendable {
    let session: SessionDescription
    /// The outlines of the stages, by the names that the stages use.
    let outlines: [String: Outline]
    /// The size of the frame in multiples of its shorter side.
    let width: Double, height: Double

    /// Prepares for frames of this size; only the aspect ratio matters.
    init(_ session: SessionDescription, outlines: [String: Outline], on size: PreviewSize) {
        self.session = session
        self.outlines = outlines
        let side = Double(max(1, min(size.width, size.height)))
        (width, height) = (Double(size.width) / side, Double(size.height) / side)
    }

    /// The placement of outlines on the frame, for drawing, gates and crops. It leaves room for text above and below.
    static let outlinePlacement = Placement(position: outlinePosition, size: outlineSize)
    static let outlinePosition = UnitPoint(0.5, 0.25), outlineSize = 0.82

    /// The view of a scene.
    func view(_ scene: SessionScene) -> SessionView {
        if scene.showsHelp { return help() }
        return switch scene.phase {
        case .ready, .armed, .counting, .capturing: live(scene)
        case .tutorial(let page): tutorial(page, scene)
        case .stageDone(let stage, _): taken(stage, scene) ?? live(scene)
        case .review: review(scene)
        case .switching where !scene.hasCamera: waiting("Bring in a picture", scene)
        case .idle, .switching: waiting("Waiting for the camera", scene)
        case .bringing: waiting("Bringing in a picture", scene)
        case .accepted: ending("Thank you", accepted(scene))
        case .cancelled: ending("Cancelled", cancelled(scene))
        }
    }
}

// MARK: - Words

extension SessionComposer {
    /// The title of a stage on the screen: `body_front` becomes "Body front".
    func title(of stage: Int) -> String {
        let words = session.stages[stage].name.split { $0 == "-" || $0 == "_" }.joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// The stage, the picture's number if the stage has several, and the session's progress: "Around 3/12 · 1 of 2".
    func label(of stage: Int, _ scene: SessionScene) -> String {
        let all = session.stages[stage].pictures
        let number = min(all, scene.progress.stages[stage].nextIndex + 1)
        let title = title(of: stage) + (all > 1 ? " \(number)/\(all)" : "")
        return session.stages.count > 1 ? title + " · \(stage + 1) of \(session.stages.count)" : title
    }

    /// The active keys, such as "space start · q cancel"; empty if the viewer has no keys.
    func keys(_ scene: SessionScene) -> String {
        guard scene.hasKeys else { return "" }
        return SessionKey.help(scene, session).map { "\($0.key.rawValue) \($0.words)" }.joined(separator: " · ")
    }

    private func accepted(_ scene: SessionScene) -> String {
        let count = scene.progress.pictures.count
        return count == 1 ? "One picture" : "\(count) pictures"
    }

    private func cancelled(_ scene: SessionScene) -> String {
        scene.progress.setAside.isEmpty ? "No picture was kept" : "The pictures were set aside"
    }
}

// MARK: - Places

extension SessionComposer {
    /// The space kept free at the edges.
    static let margin = 0.045

    static let shade = Color(red: 0, green: 0, blue: 0, alpha: 0.6)
    static let amber = Color(red: 1, green: 0.8, blue: 0.25)
    static let soft = Color(red: 0.82, green: 0.84, blue: 0.87)

    /// Text at a height of the frame.
    ///
    /// - Parameters:
    ///   - side: 0 at the left edge, 1 at the right edge, or between.
    ///   - y: The height at which `anchor` of the text lies, in multiples of the shorter side.
    func words(
        _ name: String, _ text: TextTemplate, size: Double, side: Double = 0.5, y: Double, anchor: Double,
        margin: Double = Self.margin
    ) -> Layer {
        let position = UnitPoint(side, (y - margin) / (height - 2 * margin))
        return Layer(
            "session-" + name, .text(text),
            Placement(
                position: position, anchor: UnitPoint(side, anchor), size: size, margin: .fraction(margin)))
    }

    /// Content that keeps its aspect ratio, as large as fits into a field.
    func fitted(_ name: String, _ content: Layer.Content, in field: FrameGrid.Field) -> Layer {
        let center = UnitPoint((field.x + field.width / 2) / width, (field.y + field.height / 2) / height)
        return Layer(
            "session-" + name, content,
            Placement(
                position: center, anchor: .center, size: min(field.width / width, field.height / height),
                margin: .pixels(0)))
    }

    /// Darkens the whole frame, so that text on it is readable.
    var veil: Layer {
        var layer = fitted(
            "veil", .panel(aspect: width / height),
            in: FrameGrid.Field(x: -width / 10, y: -height / 10, width: width * 1.2, height: height * 1.2))
        layer.style.opacity = 0.45
        return layer
    }
}
