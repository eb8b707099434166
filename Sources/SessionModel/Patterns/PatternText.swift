// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// The text of an expression, with the place up to which it was read: signs, escapes, classes and quantifiers.
struct PatternText {
    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    var isAtEnd: Bool { index == scalars.count }

    /// The next scalar; `nil` at the end.
    var next: Unicode.Scalar? { isAtEnd ? nil : scalars[index] }

    /// Skips a scalar.
    mutating func skip() { index = min(index + 1, scalars.count) }

    /// Reads a scalar; `nil` at the end.
    mutating func takeAny() -> Unicode.Scalar? {
        defer { skip() }
        return next
    }

    /// Reads this text; returns `false` if it is not there.
    mutating func take(_ text: String) -> Bool {
        guard scalars[index...].starts(with: text.unicodeScalars) else { return false }
        index += text.unicodeScalars.count
        return true
    }
}

// MARK: Quantifiers

extension PatternText {
    /// Reads a quantifier; `nil` if there is none.
    mutating func quantifier() throws(PatternError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard take("{") else { return nil }
        guard let least = try number() else { throw Self.badRepetition }
        var most: Int? = least
        if take(",") { most = try number() }
        guard take("}") else { throw Self.badRepetition }
        guard most ?? least >= least else { throw PatternError("repeats from more to less", "write {least,most}") }
        return (least, most)
    }

    private static let badRepetition = PatternError(
        "has a { that begins no repetition", #"write {n}, {n,} or {n,m}, or \{ for the sign"#)

    private mutating func number() throws(PatternError) -> Int? {
        var value: Int?
        while let digit = next, ScalarSet.isDigit(digit) {
            skip()
            value = (value ?? 0) * 10 + Int(digit.value - 48)
            guard value ?? 0 <= TextPattern.mostStates else {
                throw PatternError("repeats more than \(TextPattern.mostStates) times", "repeat less, such as {1,100}")
            }
        }
        return value
    }
}

// MARK: Classes

extension PatternText {
    /// Reads a class after its `[`.
    mutating func classItems() throws(PatternError) -> (items: [ScalarSet.Item], isNegated: Bool) {
        let isNegated = take("^")
        var items: [ScalarSet.Item] = []
        while !take("]") {
            let first = try classAtom()
            guard next == "-", !isAtLastDash else {
                items.append(first)
                continue
            }
            skip()
            items.append(try range(from: first, to: try classAtom()))
        }
        return (items, isNegated)
    }

    /// `true` if the dash is the last sign of its class, and stands for itself.
    private var isAtLastDash: Bool { index + 1 < scalars.count && scalars[index + 1] == "]" }

    private func range(
        from first: ScalarSet.Item, to last: ScalarSet.Item
    ) throws(PatternError) -> ScalarSet.Item {
        guard case .range(let low) = first, case .range(let high) = last else {
            throw PatternError("has a range from or to a set such as \\d", "write \\- for the sign -")
        }
        guard low.lowerBound <= high.lowerBound else {
            throw PatternError("has a range from a later to an earlier character", "write it as in a-z")
        }
        return .range(low.lowerBound...high.lowerBound)
    }

    private mutating func classAtom() throws(PatternError) -> ScalarSet.Item {
        guard let sign = takeAny() else { throw PatternError("does not close a class", "add ]") }
        switch sign {
        case "\\" where take("b"): return .range("\u{8}"..."\u{8}")
        case "\\": return try escapedItem()
        case "[": throw PatternError("has a [ in a class", "write \\[ for the sign")
        case _ where Self.doubled.contains(sign) && next == sign:
            // With the flag v, which pages use, these are operators, or reserved for them.
            throw PatternError("has \(sign)\(sign) in a class", "write \\\(sign) for the sign, once")
        default: return .range(sign...sign)
        }
    }

    private static let doubled: [Unicode.Scalar] = Array("&!#$%*+,.:;<=>?@^`~-".unicodeScalars)
}

// MARK: Escapes

extension PatternText {
    /// Reads an escape after its `\`, except for `\b` and `\B`.
    mutating func escapedItem() throws(PatternError) -> ScalarSet.Item {
        guard let letter = takeAny() else { throw PatternError("ends in \\", "write \\\\ for the sign") }
        if let item = ScalarSet.item(escape: letter) { return item }
        if letter == "p" || letter == "P" { return try property(isNegated: letter == "P") }
        let scalar = try escapedScalar(letter)
        return .range(scalar...scalar)
    }

    private mutating func escapedScalar(_ letter: Unicode.Scalar) throws(PatternError) -> Unicode.Scalar {
        switch letter {
        case "t": return "\t"
        case "n": return "\n"
        case "v": return "\u{b}"
        case "f": return "\u{c}"
        case "r": return "\r"
        case "0" where !(next.map(ScalarSet.isDigit) ?? false): return "\0"
        case "c":
            guard let control = takeAny(), control.isASCII, control.properties.isAlphabetic else {
                throw Self.unknownEscape(letter)
            }
            return Unicode.Scalar(UInt8(control.value % 32))
        case "x": return try hexadecimal(digits: 2)
        case "u" where take("{"): return try braced()
        case "u": return try hexadecimal(digits: 4)
        case "0"..."9", "k": throw Self.backreference(letter)
        case _ where letter.isASCII && !ScalarSet.isWord(letter) && letter.value > 32 && letter.value < 127:
            return letter
        default: throw Self.unknownEscape(letter)
        }
    }

    private static func backreference(_ letter: Unicode.Scalar) -> PatternError {
        PatternError(
            "has the backreference \\\(letter), which needs more than linear time",
            "write out what may stand there, such as (aa|bb)")
    }

    private static func unknownEscape(_ letter: Unicode.Scalar) -> PatternError {
        PatternError(
            "has an escape that is not known, \("\\\(letter)".quoted)", "write the character without the \\")
    }

    private mutating func hexadecimal(digits: Int) throws(PatternError) -> Unicode.Scalar {
        var text = ""
        for _ in 0..<digits { text.unicodeScalars.append(takeAny() ?? "?") }
        return try Self.scalar(text)
    }

    private mutating func braced() throws(PatternError) -> Unicode.Scalar {
        var text = ""
        while let sign = takeAny(), sign != "}" { text.unicodeScalars.append(sign) }
        return try Self.scalar(text)
    }

    private static func scalar(_ digits: String) throws(PatternError) -> Unicode.Scalar {
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy(\.isHexadecimalDigit)
        guard isNumber, let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else {
            throw PatternError(
                "has no number of a character in \(digits.quoted)", #"write \x41, \u0041 or \u{1f600}"#)
        }
        return scalar
    }

    private mutating func property(isNegated: Bool) throws(PatternError) -> ScalarSet.Item {
        var name = ""
        guard take("{") else { throw PatternError("has \\p without a property", #"write one such as \p{L}"#) }
        while let sign = takeAny(), sign != "}" { name.unicodeScalars.append(sign) }
        guard let has = ScalarSet.property(name) else {
            throw PatternError(
                "has a property that is not known, \(name.quoted)",
                #"use a category such as \p{L}, \p{Lu} or \p{Nd}, or \p{Alphabetic}"#)
        }
        return .property(has, isNegated: isNegated)
    }
}
