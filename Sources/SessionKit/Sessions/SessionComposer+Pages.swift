// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor

/// The pages that replace frames, except for the review.
extension SessionComposer {
    /// A page of the tutorial: a picture and its explanation.
    func tutorial(_ number: Int, _ scene: SessionScene) -> SessionView {
        let page = session.tutorial[number]
        let hasPicture = page.picture != nil
        let fit = TextFit(
            page.text, width: width - 2 * Self.textMargin, height: hasPicture ? 0.24 : 0.5, sizes: 0.036...0.06)
        let bottom = height - Self.footerTop
        let y = hasPicture ? bottom : bottom / 2
        let text = verbatim("text", fit, y: y, anchor: hasPicture ? 1 : 0.5)
        let picture = page.picture.map { path in
            fitted("picture", .image(path: path), in: field(to: bottom - fit.height - 0.05))
        }
        let place = "\(number + 1) of \(session.tutorial.count)"
        return .page(layers: [picture, text, footer([scene.notice, place, keys(scene)])].compactMap { $0 }, .black)
    }

    /// The stage's last picture; `nil` if its file is missing.
    func taken(_ stage: Int, _ scene: SessionScene) -> SessionView? {
        guard let picture = scene.progress.stages[stage].pictures.last, let file = scene.files[picture.number] else {
            return nil
        }
        return closeUp(file, titled: title(of: stage), scene)
    }

    /// One picture, as large as possible.
    func closeUp(_ file: String, titled title: String, _ scene: SessionScene) -> SessionView {
        let picture = fitted(
            "picture", .image(path: file), in: field(from: Self.headerBottom, to: height - Self.footerTop))
        return .page(layers: [picture, heading(title), footer([scene.notice, keys(scene)])], .black)
    }

    /// The reason for the wait, and the prompt that follows.
    func waiting(_ text: String, _ scene: SessionScene) -> SessionView {
        let fit = TextFit(text + " …", width: width - 2 * Self.textMargin, height: 0.15, sizes: 0.036...0.066)
        let heading = self.heading(scene.stage.map { label(of: $0, scene) } ?? session.title)
        let next = note(scene.stage.map { session.stages[$0].prompt } ?? "")
        return .page(
            layers: [
                veil, heading, verbatim("text", fit, y: height / 2 + 0.02, anchor: 1), next,
                footer([scene.notice, keys(scene)]),
            ], .blurred)
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

    /// Small text at the bottom, joined from the parts that are not empty.
    func footer(_ parts: [String]) -> Layer {
        let text = parts.filter { !$0.isEmpty }.joined(separator: " · ")
        let fit = TextFit(text, width: width - 2 * Self.margin, height: 0.08, sizes: 0.03...0.036)
        var layer = verbatim("footer", fit, y: height - Self.margin, anchor: 1, margin: Self.margin)
        layer.style.color = Self.soft
        return layer
    }

    func verbatim(
        _ name: String, _ fit: TextFit, y: Double, anchor: Double, margin: Double = Self.textMargin
    ) -> Layer {
        words(name, TextTemplate(verbatim: fit.text), size: fit.size, y: y, anchor: anchor, margin: margin)
    }
}
