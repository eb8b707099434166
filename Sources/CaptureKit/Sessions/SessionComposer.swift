// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// Composes what a session shows on frames of one shape: pure, from where the session stands.
///
/// All is placed in fractions of the frame, so that it looks alike at every size, and in portrait. Layers keep their names,
/// and stay as they are while what they show does: whoever draws them draws anew just what changed. Texts fit.
struct SessionComposer: Sendable {
    let session: SessionDescription
    /// The outlines of the stages, by what the stages call them.
    let outlines: [String: Outline]
    /// The frame, in shorter sides.
    let width: Double, height: Double

    /// Prepares for frames of this size; only its proportions matter.
    init(_ session: SessionDescription, outlines: [String: Outline], on size: PreviewSize) {
        self.session = session
        self.outlines = outlines
        let side = Double(max(1, min(size.width, size.height)))
        (width, height) = (Double(size.width) / side, Double(size.height) / side)
    }

    /// Where outlines lie on the frame, for all who measure by them: room is left for words above and below.
    static let outlinePlacement = Placement(position: outlinePosition, size: outlineSize)
    static let outlinePosition = UnitPoint(0.5, 0.25), outlineSize = 0.82

    /// What is to be seen now.
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
    /// What a stage is called on the screen: `body_front` is "Body front".
    func title(of stage: Int) -> String {
        let words = session.stages[stage].name.split { $0 == "-" || $0 == "_" }.joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// The stage, the picture where it has several, and how far the session is: "Around 3/12 · 1 of 2".
    func label(of stage: Int, _ scene: SessionScene) -> String {
        let all = session.stages[stage].pictures
        let number = min(all, scene.standing.stages[stage].nextIndex + 1)
        let title = title(of: stage) + (all > 1 ? " \(number)/\(all)" : "")
        return session.stages.count > 1 ? title + " · \(stage + 1) of \(session.stages.count)" : title
    }

    /// "space start · q cancel"; empty where nobody has keys.
    func keys(_ scene: SessionScene) -> String {
        guard scene.hasKeys else { return "" }
        return SessionKey.help(scene, session).map { "\($0.key.rawValue) \($0.words)" }.joined(separator: " · ")
    }

    private func accepted(_ scene: SessionScene) -> String {
        let count = scene.standing.pictures.count
        return count == 1 ? "One picture" : "\(count) pictures"
    }

    private func cancelled(_ scene: SessionScene) -> String {
        scene.standing.setAside.isEmpty ? "No picture was kept" : "The pictures are kept aside"
    }
}

// MARK: - Places

extension SessionComposer {
    /// What is left free at the edges.
    static let margin = 0.045

    static let shade = Color(red: 0, green: 0, blue: 0, alpha: 0.6)
    static let amber = Color(red: 1, green: 0.8, blue: 0.25)
    static let soft = Color(red: 0.82, green: 0.84, blue: 0.87)

    /// Words at a height of the frame.
    ///
    /// - Parameters:
    ///   - side: 0 at the left edge, 1 at the right, or between.
    ///   - y: Where `anchor` of their height lies, in shorter sides.
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

    /// Something that keeps its proportions, as large as fits into a field.
    func fitted(_ name: String, _ content: Layer.Content, in field: FrameGrid.Field) -> Layer {
        let center = UnitPoint((field.x + field.width / 2) / width, (field.y + field.height / 2) / height)
        return Layer(
            "session-" + name, content,
            Placement(
                position: center, anchor: .center, size: min(field.width / width, field.height / height),
                margin: .pixels(0)))
    }

    /// Darkens all of the frame, so that words on it are read.
    var veil: Layer {
        var layer = fitted(
            "veil", .panel(aspect: width / height),
            in: FrameGrid.Field(x: -width / 10, y: -height / 10, width: width * 1.2, height: height * 1.2))
        layer.style.opacity = 0.45
        return layer
    }
}
