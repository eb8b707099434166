// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A text made to fit into a field of the frame: as large as allowed, smaller where it is long, cut where it is far too
/// long. Lengths are in shorter sides of the frame.
///
/// Nothing is measured: letters are taken to be as wide as those of a wide, bold font, so that no line is wider than
/// counted.
struct TextFit: Sendable, Hashable {
    /// What is left of the text, broken into lines that are about as long as each other.
    let text: String
    /// The height of a line.
    let size: Double
    /// How many lines it has.
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
        var broken = Self.lines(plain, in: width / size)
        while Double(broken.count) * size > height, size > sizes.lowerBound {
            size = max(sizes.lowerBound, size * 0.94)
            broken = Self.lines(plain, in: width / size)
        }
        let most = max(1, Int(height / size))
        let isWhole = broken.count <= most
        let kept = isWhole ? Self.evened(broken, plain, width / size) : Self.cut(broken, to: most, width / size)
        (self.text, self.size, lines) = (kept.joined(separator: "\n"), size, kept.count)
    }

    /// Fits lines that stay as they are; they are not broken, and only as small as `sizes` allows.
    init(lines: [String], width: Double, height: Double, sizes: ClosedRange<Double>) {
        let widest = max(1, lines.map(Self.width).max() ?? 1)
        let size = min(sizes.upperBound, min(width / widest, height / Double(max(1, lines.count))))
        (text, self.size, self.lines) = (lines.joined(separator: "\n"), max(sizes.lowerBound, size), lines.count)
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

    /// The first of these lines, the last of them as full as it can be.
    private static func cut(_ lines: [String], to most: Int, _ width: Double) -> [String] {
        var (last, used) = ("", self.width(of: "…"))
        for letter in lines[(most - 1)...].joined(separator: " ") {
            used += self.width(of: letter)
            guard used <= width else { break }
            last.append(letter)
        }
        return lines.prefix(most - 1) + [last + "…"]
    }

    /// As many lines as these, but none much shorter than the others: a last word alone looks lost.
    private static func evened(_ lines: [String], _ text: String, _ width: Double) -> [String] {
        guard lines.count > 1 else { return lines }
        var even = lines
        for share in stride(from: 0.95, to: 0.5, by: -0.05) {
            let narrower = self.lines(text, in: width * share)
            guard narrower.count == lines.count else { break }
            even = narrower
        }
        return even
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
