// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
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
        case .ready, .armed, .counting, .capturing, .recording: live(scene)
        case .consent: consent(scene)
        case .form: form(scene)
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

extension SessionDescription {
    /// The placement of the outlines of sessions on the preview.
    package static var outlinePlacement: Placement { SessionComposer.outlinePlacement }
}

// MARK: - Words

extension SessionComposer {
    /// The title of a stage on the screen. Without a title, the name `body_front` becomes "Body front".
    func title(of stage: Int) -> String {
        if let title = session.stages[stage].title { return title }
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

    /// The active keys, such as "space start · q cancel"; empty if the viewer has no keys, or has buttons for them.
    func keys(_ scene: SessionScene) -> String {
        guard scene.hasKeys, !scene.hasButtons else { return "" }
        return SessionKey.help(scene, session).map { "\($0.key.rawValue) \($0.words)" }.joined(separator: " · ")
    }

    private func accepted(_ scene: SessionScene) -> String {
        let clips = scene.progress.pictures.count { scene.durations[$0.number] != nil }
        let pictures = scene.progress.pictures.count - clips
        let parts = [pictures > 0 ? Self.count(pictures, "picture") : "", clips > 0 ? Self.count(clips, "clip") : ""]
        let text = parts.filter { !$0.isEmpty }.joined(separator: " and ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "one \(noun)" : "\(number) \(noun)s"
    }

    /// A title, with the length of the clip if the picture is one: "Hello · 0:05".
    func title(_ title: String, of picture: SessionPicture?, _ scene: SessionScene) -> String {
        guard let duration = picture.flatMap({ scene.durations[$0.number] }) else { return title }
        return "\(title) · \(duration.clockText)"
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
        Layer(
            "session-" + name, content,
            Placement(
                position: center(of: field), anchor: .center, size: min(field.width / width, field.height / height),
                margin: .pixels(0)))
    }

    /// The middle of a field's width, in parts of the frame.
    ///
    /// - Parameter y: The height in the field, in its heights.
    func center(of field: FrameGrid.Field, y: Double = 0.5) -> UnitPoint {
        UnitPoint((field.x + field.width / 2) / width, (field.y + field.height * y) / height)
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

/// The pages that replace frames, except for the review.
extension SessionComposer {
    /// A page of the tutorial: a picture and its explanation.
    func tutorial(_ number: Int, _ scene: SessionScene) -> SessionView {
        let page = session.tutorial[number]
        let hasPicture = page.picture != nil
        let fit = TextFit(
            page.text, width: width - 2 * Self.textMargin, height: hasPicture ? 0.24 : 0.5, sizes: 0.036...0.06)
        let bottom = height - Self.footerTop - lift(scene)
        let y = hasPicture ? bottom : bottom / 2
        let text = verbatim("text", fit, y: y, anchor: hasPicture ? 1 : 0.5)
        let picture = page.picture.map { path in
            fitted("picture", .image(path: path), in: field(to: bottom - fit.height - 0.05))
        }
        let place = "\(number + 1) of \(session.tutorial.count)"
        return .page(layers: [picture, text].compactMap { $0 } + footer([scene.notice, place], scene), .black)
    }

    /// The text to agree to.
    func consent(_ scene: SessionScene) -> SessionView {
        let kept = session.consent?.retention.map { "The pictures are removed after \($0.shortText)." }
        let lines = [session.consent?.text ?? "", kept ?? ""].filter { !$0.isEmpty }
        let fit = TextFit(
            lines.joined(separator: " "), width: width - 2 * Self.textMargin, height: height - 0.36 - lift(scene),
            sizes: 0.026...0.05)
        return .page(
            layers: [
                heading(session.title), verbatim("text", fit, y: (height - lift(scene)) / 2 + 0.02, anchor: 0.5),
            ] + footer([scene.notice], scene), .black)
    }

    /// The fields with their values, one per line.
    func form(_ scene: SessionScene) -> SessionView {
        let lines = session.form.map { field in
            "\(field.label ?? field.name): \(scene.progress.form[field.name] ?? (field.isRequired ? "…" : "–"))"
        }
        let fit = TextFit(
            lines: lines, width: width - 2 * Self.textMargin, height: height - 0.3 - lift(scene), sizes: 0.026...0.06)
        return .page(
            layers: [
                heading(session.title), verbatim("text", fit, y: (height - lift(scene)) / 2 + 0.02, anchor: 0.5),
            ] + footer([scene.notice], scene), .black)
    }

    /// The stage's newest picture; `nil` if its file is missing.
    func taken(_ stage: Int, _ scene: SessionScene) -> SessionView? {
        guard let picture = scene.progress.stages[stage].newest, let file = scene.files[picture.number] else {
            return nil
        }
        return closeUp(file, titled: title(title(of: stage), of: picture, scene), scene)
    }

    /// One picture, as large as possible.
    func closeUp(_ file: String, titled title: String, _ scene: SessionScene) -> SessionView {
        let picture = fitted(
            "picture", .image(path: file), in: field(from: Self.headerBottom, to: height - Self.footerTop - lift(scene))
        )
        return .page(layers: [picture, heading(title)] + footer([scene.notice], scene), .black)
    }

    /// The reason for the wait, and the prompt that follows.
    func waiting(_ text: String, _ scene: SessionScene) -> SessionView {
        let fit = TextFit(text + " …", width: width - 2 * Self.textMargin, height: 0.15, sizes: 0.036...0.066)
        let heading = self.heading(scene.stage.map { label(of: $0, scene) } ?? session.title)
        let next = note(scene.stage.map { session.stages[$0].prompt } ?? "")
        return .page(
            layers: [
                veil, heading, verbatim("text", fit, y: height / 2 + 0.02, anchor: 1), next,
            ] + footer([scene.notice], scene), .blurred)
    }

    /// All keys, one per line.
    func help() -> SessionView {
        let lines = SessionKey.reference.map { "\($0.keys): \($0.words)" }
        let fit = TextFit(lines: lines, width: width - 2 * Self.textMargin, height: height - 0.3, sizes: 0.02...0.05)
        let body = verbatim("help", fit, y: height / 2 + 0.02, anchor: 0.5)
        return .page(layers: [veil, heading("Keys"), body], .blurred)
    }

    /// The last page of a session.
    func ending(_ word: String, _ text: String) -> SessionView {
        let large = TextFit(word, width: width - 2 * Self.textMargin, height: 0.13, sizes: 0.06...0.12)
        return .page(
            layers: [veil, verbatim("text", large, y: height / 2 + 0.02, anchor: 1), note(text)], .blurred)
    }
}

// MARK: - Parts

extension SessionComposer {
    static let textMargin = 0.1
    /// The top of pictures below a heading.
    static let headerBottom = 0.14
    /// The bottom of pictures and text, measured from the frame's bottom; the keys are below.
    static let footerTop = 0.14

    /// A field between two heights, across the frame.
    func field(from top: Double = 0.05, to bottom: Double) -> FrameGrid.Field {
        FrameGrid.Field(x: Self.margin, y: top, width: width - 2 * Self.margin, height: bottom - top)
    }

    func heading(_ text: String) -> Layer {
        let fit = TextFit(text, width: width - 2 * Self.textMargin, height: 0.06, sizes: 0.036...0.05)
        return verbatim("heading", fit, y: Self.margin + 0.005, anchor: 0)
    }

    /// Text below the text in the middle of the frame.
    private func note(_ text: String) -> Layer {
        let fit = TextFit(text, width: width - 2 * Self.textMargin, height: 0.15, sizes: 0.036...0.05)
        var layer = verbatim("note", fit, y: height / 2 + 0.06, anchor: 0)
        layer.style.color = Self.soft
        return layer
    }

    /// Small text at the bottom, joined from the parts that are not empty and the keys, or above the buttons.
    func footer(_ parts: [String], _ scene: SessionScene) -> [Layer] {
        let text = (parts + [keys(scene)]).filter { !$0.isEmpty }.joined(separator: " · ")
        let fit = TextFit(text, width: width - 2 * Self.margin, height: 0.08, sizes: 0.03...0.036)
        var layer = verbatim("footer", fit, y: height - Self.margin - lift(scene), anchor: 1, margin: Self.margin)
        layer.style.color = Self.soft
        return [layer] + buttonLayers(scene)
    }

    func verbatim(
        _ name: String, _ fit: TextFit, y: Double, anchor: Double, margin: Double = Self.textMargin
    ) -> Layer {
        words(name, TextTemplate(verbatim: fit.text), size: fit.size, y: y, anchor: anchor, margin: margin)
    }
}
