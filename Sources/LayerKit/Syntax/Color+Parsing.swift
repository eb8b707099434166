// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

extension Color {
    /// Parses a color in CSS notation: `#7cff9b`, `#fff`, `#00000080`, or a name such as `orange`.
    package init(parsing text: String) throws(InvalidValue) {
        let word = text.lowercased()
        if let color = Self.hexadecimal(word) ?? Self.names.first(where: { $0.name == word })?.color {
            self = color
            return
        }
        let near = word.hasPrefix("#") ? nil : Spelling.nearest(to: word, among: Self.names.map(\.name))
        throw InvalidValue(
            "\(text.quoted) is not a color",
            advice: near.map { "did you mean \($0)?" } ?? "give one such as orange, #7cff9b, or #00000080 with opacity")
    }

    /// Parses `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`; `nil` for other text.
    private static func hexadecimal(_ text: String) -> Color? {
        guard text.hasPrefix("#") else { return nil }
        let digits = text.dropFirst().compactMap(\.hexDigitValue)
        guard digits.count == text.utf8.count - 1 else { return nil }
        let bytes: [Int]
        switch digits.count {
        case 3, 4: bytes = digits.map { $0 * 17 }
        case 6, 8: bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
        default: return nil
        }
        return Color(bytes)
    }

    private init(_ bytes: [Int]) {
        let parts = bytes.map { Double($0) / 255 }
        self.init(red: parts[0], green: parts[1], blue: parts[2], alpha: parts.count == 4 ? parts[3] : 1)
    }

    private init(hexadecimal: Int) {
        self.init([hexadecimal >> 16 & 0xFF, hexadecimal >> 8 & 0xFF, hexadecimal & 0xFF])
    }

    /// The common color names of CSS, with their CSS values.
    private static let names: [(name: String, color: Color)] =
        [
            ("black", 0x000000), ("silver", 0xC0C0C0), ("white", 0xFFFFFF),
            ("maroon", 0x800000), ("red", 0xFF0000), ("purple", 0x800080), ("fuchsia", 0xFF00FF),
            ("magenta", 0xFF00FF), ("green", 0x008000), ("lime", 0x00FF00), ("olive", 0x808000), ("yellow", 0xFFFF00),
            ("navy", 0x000080), ("blue", 0x0000FF), ("teal", 0x008080), ("aqua", 0x00FFFF), ("cyan", 0x00FFFF),
            ("orange", 0xFFA500), ("gold", 0xFFD700), ("pink", 0xFFC0CB), ("hotpink", 0xFF69B4), ("brown", 0xA52A2A),
            ("crimson", 0xDC143C), ("tomato", 0xFF6347), ("coral", 0xFF7F50), ("salmon", 0xFA8072),
            ("khaki", 0xF0E68C), ("violet", 0xEE82EE), ("indigo", 0x4B0082), ("turquoise", 0x40E0D0),
            ("skyblue", 0x87CEEB), ("beige", 0xF5F5DC), ("ivory", 0xFFFFF0), ("gray", 0x808080), ("grey", 0x808080),
            ("lightgray", 0xD3D3D3),
            ("lightgrey", 0xD3D3D3), ("darkgray", 0xA9A9A9), ("darkgrey", 0xA9A9A9),
        ].map { ($0.0, Color(hexadecimal: $0.1)) } + [("transparent", Color(red: 0, green: 0, blue: 0, alpha: 0))]
}
