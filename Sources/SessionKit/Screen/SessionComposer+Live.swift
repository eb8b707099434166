// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor

/// The layers over the camera's frames.
extension SessionComposer {
    /// The outline of the stage, its prompt, and the session's progress.
    func live(_ scene: SessionScene) -> SessionView {
        let label = fit(header: scene.stage.map { self.label(of: $0, scene) } ?? session.title)
        let prompt = fit(prompt: words(for: scene))
        let hint = fit(hint: scene.hints.prefix(2).joined(separator: " · "))
        let notice = fit(notice: scene.notice)
        let help = fit(keys: keys(scene))
        let texts = [
            labelLayer(label), keysLayer(help, beside: label), promptLayer(prompt, scene),
            hintLayer(hint, above: prompt, scene), noticeLayer(notice), digits, recordingMark,
        ]
        let values = [
            "label": label.text, "keys": help.text, "prompt": prompt.text, "hint": hint.text, "notice": notice.text,
            "countdown": scene.countdown, "recording": scene.remaining.map { "● \($0.clockText)" } ?? "",
        ]
        return .live(layers: pictures(scene) + texts + buttonLayers(scene), values: values.prefixed)
    }

    private func words(for scene: SessionScene) -> String {
        if let stage = scene.stage { return session.stages[stage].prompt }
        return scene.hasKeys && !scene.hasButtons && session.start == .trigger
            ? "Press space to begin" : session.purpose
    }

    /// The ghost of an earlier picture, and the outline.
    private func pictures(_ scene: SessionScene) -> [Layer] {
        // Before the start, the user already steps into the first outline.
        let index = scene.stage ?? (scene.phase == .ready ? scene.progress.openStage : nil)
        guard let stage = index.map({ session.stages[$0] }) else { return [] }
        let ghost = ghost(stage.ghost, scene).map { Layer("session-ghost", .ghost(path: $0)) }
        let outline = stage.outline.flatMap { outlines[$0] }.map {
            Layer("session-outline", .outline($0), Self.outlinePlacement, Self.lines)
        }
        return [ghost, outline].compactMap { $0 }
    }

    private func ghost(_ ghost: SessionStage.Ghost, _ scene: SessionScene) -> String? {
        let pictures = scene.progress.pictures
        let picture =
            switch ghost {
            case .none: nil as SessionPicture?
            case .first: pictures.first
            case .previous: pictures.max { $0.number < $1.number }
            }
        return picture.flatMap { scene.wholes[$0.number] }
    }
}

// MARK: - Texts

extension SessionComposer {
    /// A line style that is visible on white, too.
    private static var lines: Style {
        var style = Style()
        style.stroke = .fraction(0.006)
        style.halo = .fraction(0.003)
        style.haloColor = Color(red: 0, green: 0, blue: 0, alpha: 0.6)
        return style
    }

    private func fit(header text: String) -> TextFit {
        TextFit(text, width: width * 0.6, height: 0.1, sizes: 0.035...0.05)
    }

    private func fit(prompt text: String) -> TextFit {
        TextFit(text, width: width - 2 * Self.promptMargin, height: 0.16, sizes: 0.036...0.066)
    }

    private func fit(hint text: String) -> TextFit {
        TextFit(text, width: width - 2 * Self.promptMargin, height: 0.06, sizes: 0.036...0.052)
    }

    private func fit(notice text: String) -> TextFit {
        TextFit(text, width: width - 2 * Self.promptMargin, height: 0.12, sizes: 0.036...0.05)
    }

    private func fit(keys text: String) -> TextFit {
        TextFit(text, width: width - 2 * Self.promptMargin, height: 0.035, sizes: 0.024...0.034)
    }

    private static let promptMargin = 0.07

    private func labelLayer(_ fit: TextFit) -> Layer {
        shaded(words("label", "{session-label}", size: fit.size, side: 0, y: Self.margin, anchor: 0))
    }

    /// Places the keys at the bottom of an upright frame; else to the right of the label, or below it if there is no
    /// room.
    private func keysLayer(_ keys: TextFit, beside label: TextFit) -> Layer {
        let room = width - 2 * Self.margin - TextFit.width(label.text) * label.size - 0.06
        let isBeside = label.lines == 1 && TextFit.width(keys.text) * keys.size <= room
        let (side, y, anchor) =
            switch (isUpright, isBeside) {
            case (true, _): (0.5, height - 0.03, 1.0)
            case (false, true): (1, Self.margin + (label.size - keys.size) / 2, 0)
            case (false, false): (0, Self.margin + label.height + 0.035, 0)
            }
        var layer = words("keys", "{session-keys}", size: keys.size, side: side, y: y, anchor: anchor)
        layer.style.color = Self.soft
        return shaded(layer)
    }

    private var isUpright: Bool { height > width }

    private func promptLayer(_ fit: TextFit, _ scene: SessionScene) -> Layer {
        shaded(
            words(
                "prompt", "{session-prompt}", size: fit.size, y: height - promptBottom - lift(scene), anchor: 1,
                margin: Self.promptMargin))
    }

    /// The height of the prompt above the frame's bottom. It leaves room for keys at the bottom, shown or not, so that
    /// nothing moves.
    private var promptBottom: Double { isUpright ? 0.11 : 0.05 }

    private func hintLayer(_ fit: TextFit, above prompt: TextFit, _ scene: SessionScene) -> Layer {
        let top = height - promptBottom - lift(scene) - (prompt.text.isEmpty ? 0 : prompt.height + 0.05)
        var layer = words(
            "hint", "{session-hint}", size: fit.size, y: top, anchor: 1, margin: Self.promptMargin)
        layer.style.color = Self.amber
        return shaded(layer)
    }

    private func noticeLayer(_ fit: TextFit) -> Layer {
        shaded(
            words("notice", "{session-notice}", size: fit.size, y: 0.215, anchor: 0, margin: Self.promptMargin))
    }

    /// The digits of the countdown, with a halo that is dark enough for any background.
    private var digits: Layer {
        var layer = words("countdown", "{session-countdown}", size: 0.42, y: height * 0.46, anchor: 0.5)
        layer.style.halo = .fraction(0.011)
        layer.style.haloColor = Color(red: 0, green: 0, blue: 0, alpha: 0.65)
        return layer
    }

    /// The red mark of a clip with its remaining time, at the right, below the keys.
    private var recordingMark: Layer {
        var layer = words("recording", "{session-recording}", size: 0.07, side: 1, y: 0.13, anchor: 0)
        layer.style.color = Color(red: 1, green: 0.25, blue: 0.2)
        return shaded(layer)
    }

    private func shaded(_ layer: Layer) -> Layer {
        var layer = layer
        layer.style.background = Self.shade
        return layer
    }

    private func words(
        _ name: String, _ text: String, size: Double, side: Double = 0.5, y: Double, anchor: Double,
        margin: Double = Self.margin
    ) -> Layer {
        words(name, TextTemplate(text), size: size, side: side, y: y, anchor: anchor, margin: margin)
    }
}

extension [String: String] {
    /// Adds a prefix to the names, so that they do not collide with the placeholders of a capture.
    fileprivate var prefixed: [String: String] {
        Dictionary(uniqueKeysWithValues: map { ("session-" + $0.key, $0.value) })
    }
}
