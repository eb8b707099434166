// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A text made to fit into a field of the frame: as large as allowed, smaller where it is long, cut where it is far too
/// long. Lengths are in shorter sides of the frame.
///
/// Nothing is measured: letters are taken to be as wide as those of a wide, bold font, so that what is drawn has as many
/// lines as counted, or fewer.
struct TextFit: Sendable, Hashable {
    /// What is left of the text, on one line: whoever draws it breaks it.
    let text: String
    /// The height of a line.
    let size: Double
    /// So many lines it has at most.
    let lines: Int

    /// All lines together.
    var height: Double { Double(lines) * size }

    /// Fits a text.
    ///
    /// - Parameters:
    ///   - width: Of the field.
    ///   - height: Of the field; one line of the smallest size is always there.
    ///   - sizes: From the smallest to the largest height of a line.
    init(_ text: String, width: Double, height: Double, sizes: ClosedRange<Double>) {
        let plain = Self.plain(text)
        var size = sizes.upperBound
        while size > sizes.lowerBound {
            let count = Self.lines(plain, in: width / size).count
            if Double(count) * size <= height {
                (self.text, self.size, lines) = (plain, size, count)
                return
            }
            size = max(sizes.lowerBound, size * 0.94)
        }
        let all = Self.lines(plain, in: width / size)
        let most = max(1, Int(height / size))
        self.size = size
        lines = min(all.count, most)
        self.text = all.count <= most ? plain : Self.cut(all.prefix(most))
    }

    /// The width of a text on one line, in heights of the line.
    static func width(_ text: String) -> Double { text.reduce(0) { $0 + width(of: $1) } }
}

extension TextFit {
    /// A longer text is not looked at to its end.
    private static let most = 4000
    /// More marks on one letter reach into the lines above and below.
    private static let mostMarks = 8

    /// The text on one line, without what would break it or turn it around.
    private static func plain(_ text: String) -> String {
        let letters = text.prefix(most).filter { $0.unicodeScalars.count <= mostMarks }
        let scalars = String(letters).unicodeScalars.map { isShown($0) ? Character($0) : " " }
        return String(scalars).split(separator: " ").joined(separator: " ")
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: false
        // Marks of direction; those that join letters are needed.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }

    /// Breaks a text between words, and within those that are too long.
    private static func lines(_ text: String, in width: Double) -> [String] {
        var lines: [String] = []
        var (line, used) = ("", 0.0)
        for word in text.split(separator: " ") {
            let needed = self.width(String(word))
            if !line.isEmpty, used + self.width(of: " ") + needed > width {
                lines.append(line)
                (line, used) = ("", 0)
            }
            if !line.isEmpty { (line, used) = (line + " ", used + self.width(of: " ")) }
            for letter in word {
                if !line.isEmpty, used + self.width(of: letter) > width {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                (line, used) = (line + String(letter), used + self.width(of: letter))
            }
        }
        return lines + [line]
    }

    private static func cut(_ lines: ArraySlice<String>) -> String {
        let last = (lines.last ?? "").dropLast(2)
        return (lines.dropLast() + ["\(last)…"]).joined(separator: " ")
    }

    private static func width(of letter: Character) -> Double {
        switch letter {
        case " ", ".", ",", ":", ";", "!", "|", "'", "i", "j", "l", "I", "t", "f", "r", "(", ")", "-", "·": 0.42
        case "m", "w", "M", "W", "@", "%", "&", "…", "—": 1
        case "a"..."z": 0.62
        case "A"..."Z", "0"..."9": 0.74
        default: letter.isASCII ? 0.74 : letter.unicodeScalars.allSatisfy { $0.value < 0x250 } ? 0.8 : 1.1
        }
    }
}
