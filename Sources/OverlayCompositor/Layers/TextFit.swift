// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A text fitted into a field of the frame: as large as allowed, smaller if it is long, truncated if it is far too
/// long. Lengths are in multiples of the frame's shorter side.
///
/// Nothing is measured: letters count as wide as in a wide, bold font, so that no line is wider than computed.
package struct TextFit: Sendable, Hashable {
    /// The text that fits, broken into lines of similar length.
    package let text: String
    /// The height of a line.
    package let size: Double
    /// The number of lines.
    package let lines: Int

    /// The height of all lines together.
    package var height: Double { Double(lines) * size }

    /// Fits a text.
    ///
    /// - Parameters:
    ///   - width: The width of the field.
    ///   - height: The height of the field; one line of the smallest size is always kept.
    ///   - sizes: The smallest and the largest height of a line.
    package init(_ text: String, width: Double, height: Double, sizes: ClosedRange<Double>) {
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

    /// Fits lines without breaking them. At the smallest of `sizes` they may exceed the field.
    package init(lines: [String], width: Double, height: Double, sizes: ClosedRange<Double>) {
        let widest = max(1, lines.map(Self.width).max() ?? 1)
        let size = min(sizes.upperBound, min(width / widest, height / Double(max(1, lines.count))))
        (text, self.size, self.lines) = (lines.joined(separator: "\n"), max(sizes.lowerBound, size), lines.count)
    }

    /// The width of a text on one line, in line heights.
    package static func width(_ text: String) -> Double { text.reduce(0) { $0 + width(of: $1) } }
}

extension TextFit {
    /// The number of letters that are considered; later ones are dropped.
    private static let most = 4000
    /// The most Unicode scalars of a letter; more marks would reach into the lines above and below.
    private static let mostMarks = 8

    /// The text on one line. Line breaks, control characters and marks of direction become spaces.
    private static func plain(_ text: String) -> String {
        let letters = text.prefix(most).filter { $0.unicodeScalars.count <= mostMarks }
        let scalars = String(letters).unicodeScalars.map { isShown($0) ? Character($0) : " " }
        return String(scalars).split(separator: " ").joined(separator: " ")
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: false
        // Direction marks become spaces. U+200C and U+200D, which control the joining of letters, are kept.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }

    /// Breaks a text between words, and within words that are too long.
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

    /// The first of these lines; the last one is filled up and ends in an ellipsis.
    private static func cut(_ lines: [String], to most: Int, _ width: Double) -> [String] {
        var (last, used) = ("", self.width(of: "…"))
        for letter in lines[(most - 1)...].joined(separator: " ") {
            used += self.width(of: letter)
            guard used <= width else { break }
            last.append(letter)
        }
        return lines.prefix(most - 1) + [last + "…"]
    }

    /// Breaks the text into as many lines of similar length: a single word on the last line looks lost.
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
