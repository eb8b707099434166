// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import OverlayCompositor

/// The buttons of a window that reports presses: one for each key that the phase allows, in rows at the bottom.
extension SessionComposer {
    /// A button, which acts like its key.
    struct Button: Sendable, Hashable {
        let key: SessionKey
        /// The effect of the key, in a word or two.
        let label: String
        /// The place on the frame, in multiples of the shorter side.
        let field: FrameGrid.Field
    }

    /// The buttons of a scene, from left to right; empty if the window reports no presses.
    func buttons(_ scene: SessionScene) -> [Button] {
        guard scene.hasButtons, !scene.showsHelp else { return [] }
        let rows = rows(of: SessionKey.help(scene, session))
        let step = Self.buttonHeight + Self.buttonGap
        return rows.enumerated().flatMap { index, row in
            let y = height - Self.margin - Double(rows.count - index) * step + Self.buttonGap
            return place(row, at: y)
        }
    }

    /// Returns the button at a place of the frame, in parts of its width and height; `nil` if there is none.
    func button(at place: UnitPoint, _ scene: SessionScene) -> Button? {
        buttons(scene).first { $0.field.contains(place.x * width, place.y * height) }
    }

    /// The height of the buttons above the margin; 0 without buttons.
    func lift(_ scene: SessionScene) -> Double {
        guard scene.hasButtons, !scene.showsHelp else { return 0 }
        let rows = rows(of: SessionKey.help(scene, session)).count
        return Double(rows) * (Self.buttonHeight + Self.buttonGap)
    }

    /// The layers of the buttons.
    func buttonLayers(_ scene: SessionScene) -> [Layer] {
        let buttons = buttons(scene)
        let main = buttons.first { $0.key == .accept } ?? buttons.first { $0.key == .go }
        return buttons.flatMap { layers($0, isMain: $0 == main) }
    }

    private func layers(_ button: Button, isMain: Bool) -> [Layer] {
        let (field, name) = (button.field, button.key.rawValue)
        let center = center(of: field)
        var panel = Layer(
            "session-button-" + name, .panel(aspect: field.width / field.height),
            Placement(
                position: center, anchor: .center, size: max(field.width / width, field.height / height),
                margin: .pixels(0)))
        panel.style.color = isMain ? Self.amber : Color(red: 0.13, green: 0.14, blue: 0.16)
        panel.style.opacity = 0.9
        let fit = TextFit(
            lines: [button.label], width: field.width - Self.buttonPadding, height: field.height,
            sizes: 0.02...Self.buttonText)
        var words = Layer(
            "session-label-" + name, .text(TextTemplate(verbatim: fit.text)),
            Placement(position: center, anchor: .center, size: fit.size, margin: .pixels(0)))
        words.style.color = isMain ? Color(red: 0, green: 0, blue: 0) : Self.soft
        if isMain { words.style.halo = .pixels(0) }
        return [panel, words]
    }

    /// At 1080p 119 pixels: about 3 cm on a screen of 24 inches.
    private static let buttonHeight = 0.11
    private static let buttonGap = 0.02
    private static let buttonText = 0.045
    /// The free space at both ends of a label together.
    private static let buttonPadding = 0.07

    /// Distributes keys over as many rows as they need.
    private func rows(of keys: [(key: SessionKey, words: String)]) -> [[(key: SessionKey, words: String)]] {
        var rows: [[(key: SessionKey, words: String)]] = []
        for entry in keys {
            if let row = rows.last, length(of: row + [entry]) <= width - 2 * Self.margin {
                rows[rows.count - 1].append(entry)
            } else {
                rows.append([entry])
            }
        }
        return rows
    }

    private func length(of row: [(key: SessionKey, words: String)]) -> Double {
        row.reduce(0) { $0 + length(of: $1.words) } + Double(row.count - 1) * Self.buttonGap
    }

    private func length(of words: String) -> Double {
        max(0.2, TextFit.width(words) * Self.buttonText + Self.buttonPadding)
    }

    /// Centers a row.
    private func place(_ row: [(key: SessionKey, words: String)], at y: Double) -> [Button] {
        var x = (width - length(of: row)) / 2
        return row.map { key, words in
            let field = FrameGrid.Field(x: x, y: y, width: length(of: words), height: Self.buttonHeight)
            x += field.width + Self.buttonGap
            return Button(key: key, label: words.prefix(1).uppercased() + words.dropFirst(), field: field)
        }
    }
}
