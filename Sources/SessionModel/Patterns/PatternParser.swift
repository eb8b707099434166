// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase

/// Reads an expression. It refuses syntax that ECMA-262 does not have with the flag `u` or `v`, syntax that differs
/// between the two flags, and syntax that an automaton cannot match.
struct PatternParser {
    private var text: PatternText
    private var ignoresCase = false

    init(_ expression: String) { text = PatternText(expression) }

    /// Reads the whole expression.
    mutating func parse() throws(PatternError) -> PatternNode {
        let node = try choice()
        guard text.isAtEnd else {
            throw PatternError("closes a group that it does not open", #"write \) for the sign"#)
        }
        return node
    }

    private mutating func choice() throws(PatternError) -> PatternNode {
        var nodes = [try sequence()]
        while text.take("|") { nodes.append(try sequence()) }
        return nodes.count == 1 ? nodes[0] : .choice(nodes)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var nodes: [PatternNode] = []
        while let next = text.next, next != "|", next != ")" {
            let atom = try atom()
            nodes.append(try repeated(atom))
        }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    private mutating func atom() throws(PatternError) -> PatternNode {
        guard let sign = text.takeAny() else { return .sequence([]) }
        switch sign {
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case ".": return .scalar(.any(ignoresCase: ignoresCase))
        case "(": return try group()
        case "[":
            let (items, isNegated) = try text.classItems()
            return .scalar(ScalarSet(items, isNegated: isNegated, ignoresCase: ignoresCase))
        case "\\": return try escaped()
        case "*", "+", "?": throw PatternError("has nothing before \(sign)", "write \\\(sign) for the sign")
        case "{", "}", "]": throw PatternError("has a \(sign) without a meaning", "write \\\(sign) for the sign")
        default: return literal(sign)
        }
    }

    private func literal(_ scalar: Unicode.Scalar) -> PatternNode {
        .scalar(ScalarSet([.range(scalar...scalar)], ignoresCase: ignoresCase))
    }

    private mutating func escaped() throws(PatternError) -> PatternNode {
        switch text.next {
        case "b":
            text.skip()
            return .assertion(.wordBoundary)
        case "B":
            text.skip()
            return .assertion(.noWordBoundary)
        default: return .scalar(ScalarSet([try text.escapedItem()], ignoresCase: ignoresCase))
        }
    }
}

extension PatternParser {
    private mutating func group() throws(PatternError) -> PatternNode {
        let outer = ignoresCase
        if text.take("?") { try groupKind() }
        let node = try choice()
        ignoresCase = outer
        guard text.take(")") else { throw PatternError("does not close a group", "add )") }
        return node
    }

    /// Reads what follows `(?`: the kind of the group, up to its content.
    private mutating func groupKind() throws(PatternError) {
        if text.take(":") { return }
        if text.take("i:") {
            ignoresCase = true
            return
        }
        if text.take("-i:") {
            ignoresCase = false
            return
        }
        for sign in ["=", "!", "<=", "<!"] where text.take(sign) {
            throw PatternError(
                "has the lookaround (?\(sign)…), which needs more than linear time",
                "describe the whole value without it, such as [A-Z][0-9]{5}")
        }
        if text.take("<") {
            while let sign = text.takeAny() { if sign == ">" { return } }
        }
        throw PatternError("has a group that is not known", "use (…), (?:…), (?<name>…) or (?i:…)")
    }

    private mutating func repeated(_ atom: PatternNode) throws(PatternError) -> PatternNode {
        guard let (least, most) = try text.quantifier() else { return atom }
        if case .assertion = atom { throw PatternError("repeats ^, $ or \\b", "leave out the repetition") }
        // A whole text matches or not, so it does not matter whether a repetition is greedy.
        _ = text.take("?")
        return .repeated(atom, least: least, most: most)
    }
}
