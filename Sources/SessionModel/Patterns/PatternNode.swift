// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The syntax tree of an expression.
indirect enum PatternNode: Sendable {
    /// One scalar of a set.
    case scalar(ScalarSet)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// `most` is `nil` for any number.
    case repeated(PatternNode, least: Int, most: Int?)

    /// At least the number of the automaton's states, without the accepting one. The empty sequence counts, because
    /// compiling a repetition costs time for each copy.
    var states: Int {
        switch self {
        case .scalar, .assertion: 1
        case .sequence(let nodes): max(1, Self.sum(nodes))
        // A branch and a jump for each alternative but one.
        case .choice(let nodes): Self.sum(nodes).saturatingAdd(2 * (nodes.count - 1))
        case .repeated(let node, let least, nil): node.states.saturatingMultiply(max(1, least)).saturatingAdd(2)
        case .repeated(let node, _, let most?):
            max(1, node.states.saturatingAdd(1).saturatingMultiply(most))
        }
    }

    private static func sum(_ nodes: [PatternNode]) -> Int { nodes.reduce(0) { $0.saturatingAdd($1.states) } }
}

/// A condition between two scalars.
enum PatternAssertion: Sendable {
    case start
    case end
    case wordBoundary
    case noWordBoundary

    /// Returns `true` if the condition holds between these scalars; `nil` is the start or the end of the text.
    func holds(between before: Unicode.Scalar?, _ after: Unicode.Scalar?) -> Bool {
        switch self {
        case .start: before == nil
        case .end: after == nil
        case .wordBoundary: Self.isWord(before) != Self.isWord(after)
        case .noWordBoundary: Self.isWord(before) == Self.isWord(after)
        }
    }

    private static func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(ScalarSet.isWord) ?? false }
}

extension Int {
    fileprivate func saturatingAdd(_ other: Int) -> Int {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? .max : sum
    }

    fileprivate func saturatingMultiply(_ other: Int) -> Int {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        return isOver ? .max : product
    }
}
