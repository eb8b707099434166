// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import OverlayCompositor

/// Parses the values of layers. Sizes are limited here, so that no text can request more than can be drawn.
package enum LayerValue {
    /// Parses a text of one line.
    static func line(_ text: String) throws(InvalidValue) -> String {
        try SettingSyntax<String>.text("text").parse(.text(SourcedText(text: text)))
    }

    /// Parses a text of several lines.
    static func lines(_ text: String) throws(InvalidValue) -> String {
        _ = try line(text.replacing("\n", with: " "))
        return text
    }

    /// Parses a short text of one line.
    static func name(_ text: String) throws(InvalidValue) -> String {
        try SettingSyntax<String>.text("name", most: 100).parse(.text(SourcedText(text: text)))
    }

    /// Parses the name of a grid; `center` and `centre` are the same.
    static func grid(_ text: String) throws(InvalidValue) -> Grid {
        let word = text.lowercased()
        if let grid = Grid(rawValue: word == "center" ? Grid.center.rawValue : word) { return grid }
        throw unknown(text, among: Grid.allCases.map(\.rawValue))
    }

    /// Parses the size of a layer: `40%`, or `0.4`.
    static func size(_ text: String) throws(InvalidValue) -> Double {
        guard let size = fraction(text), size >= 0.001, size <= 2 else {
            throw InvalidValue("\(text.quoted) is not a size", advice: "give a part of the frame such as 40% or 0.4")
        }
        return size
    }

    /// Parses an opacity: `0...1`, or `0%...100%`.
    static func opacity(_ text: String) throws(InvalidValue) -> Double {
        guard let opacity = fraction(text), opacity <= 1 else {
            throw InvalidValue("\(text.quoted) is not an opacity", advice: "give 0 (clear) to 1 (opaque), or 50%")
        }
        return opacity
    }

    /// Parses a length: `0.5%` of the frame's shorter side, or `6px`.
    static func length(_ text: String) throws(InvalidValue) -> Length {
        if let number = number(text, unit: "%"), number <= 100 { return .fraction(number / 100) }
        if let number = number(text, unit: "px"), number <= 16384 { return .pixels(number) }
        if number(text, unit: "") == 0 { return .pixels(0) }
        throw InvalidValue(
            "\(text.quoted) is not a length", advice: "give one such as 6px, or 0.5% of the shorter side")
    }

    /// Parses a point: a corner, an edge or the center by name, or `x%,y%` from the top left.
    static func point(_ text: String) throws(InvalidValue) -> UnitPoint {
        let word = text.lowercased()
        if let point = points.first(where: { $0.name == word })?.point { return point }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { coordinate($0) }
        if numbers.count == 2, let x = numbers[0], let y = numbers[1] { return UnitPoint(x, y) }
        let near = Spelling.nearest(to: text, among: points.map(\.name)).map { "did you mean \($0)?" }
        throw InvalidValue("\(text.quoted) is not a point", advice: near ?? "give one such as top-left or 50%,90%")
    }

    /// Parses a fraction of the frame's width or height: `10%`, or `0.1`.
    static func coordinate(_ text: some StringProtocol) -> Double? {
        fraction(FixedText.trimmed(String(text))).flatMap { $0 <= 1 ? $0 : nil }
    }

    /// Parses an aspect ratio, width divided by height: `2.39`, `2.39:1` or `16:9`.
    static func aspect(_ text: String) throws(InvalidValue) -> Double {
        let sides = text.split(separator: ":", omittingEmptySubsequences: false).map { number($0, unit: "") }
        if 1...2 ~= sides.count, let width = sides[0], let height = sides.count == 2 ? sides[1] : 1, height > 0,
            0.1...10 ~= width / height
        {
            return width / height
        }
        throw InvalidValue("\(text.quoted) is not an aspect ratio", advice: "give one such as 16:9 or 2.39")
    }

    private static let points: [(name: String, point: UnitPoint)] = [
        ("top-left", UnitPoint(0, 0)), ("top", UnitPoint(0.5, 0)), ("top-right", UnitPoint(1, 0)),
        ("left", UnitPoint(0, 0.5)), ("center", .center), ("centre", .center), ("right", UnitPoint(1, 0.5)),
        ("bottom-left", UnitPoint(0, 1)), ("bottom", UnitPoint(0.5, 1)), ("bottom-right", UnitPoint(1, 1)),
    ]

    private static func unknown(_ text: String, among words: [String]) -> InvalidValue {
        let near = Spelling.nearest(to: text, among: words).map { "did you mean \($0)?" }
        return InvalidValue("\(text.quoted) is not known", advice: near ?? "give \(words.alternatives)")
    }
}

extension LayerValue {
    /// Parses a percentage or a fraction.
    package static func fraction(_ text: String) -> Double? {
        number(text, unit: "%").map { $0 / 100 } ?? number(text, unit: "")
    }

    /// Parses digits with at most one decimal point, followed by the unit. Negative numbers, infinity and other
    /// notations are `nil`.
    private static func number(_ text: some StringProtocol, unit: String) -> Double? {
        guard text.hasSuffix(unit) else { return nil }
        let digits = text.utf8.dropLast(unit.utf8.count)
        guard digits.count <= 16, digits.contains(where: \.isDigit),
            digits.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(String(decoding: Array(digits), as: UTF8.self))
    }
}
