// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A regular expression for a whole text, which matches in linear time.
///
/// It reads the expressions of a page's `pattern` (ECMA-262 with the flags `u` or `v`), so that a page and a service
/// agree about a value. The expression becomes a nondeterministic automaton, and all of its states advance together with
/// each scalar of the text: no expression backtracks, and the work of a match is bounded by
/// `(mostStates + mostBytes) * (text.unicodeScalars.count + 1)` steps. Expressions that need more than an automaton
/// (backreferences, lookaround) are refused.
package struct TextPattern: Sendable {
    /// The longest expression, in bytes.
    package static let mostBytes = 200
    /// The most states of the automaton. A state is a character, or a branch; repetitions multiply what they repeat.
    package static let mostStates = 4096

    private let automaton: PatternAutomaton

    /// Compiles an expression.
    ///
    /// - Throws: ``PatternError`` with the problem and a remedy.
    package init(_ expression: String) throws(PatternError) {
        guard expression.utf8.count <= Self.mostBytes else {
            throw PatternError("is longer than \(Self.mostBytes) bytes", "shorten it")
        }
        var parser = PatternParser(expression)
        let node = try parser.parse()
        guard node.states <= Self.mostStates else {
            throw PatternError("needs more than \(Self.mostStates) states", "repeat less, such as {1,100}")
        }
        automaton = PatternAutomaton(node)
    }

    /// Returns `true` if the expression matches the whole text.
    package func matches(_ text: String) -> Bool { automaton.run(text).isMatch }

    /// Matches the text, and counts the steps.
    func run(_ text: String) -> PatternAutomaton.Run { automaton.run(text) }
}

/// The reason why a text is not an expression that ``TextPattern`` matches.
package struct PatternError: Error, Hashable {
    /// The problem, which follows the expression in a message.
    package let problem: String
    /// The advice for the user.
    package let remedy: String

    init(_ problem: String, _ remedy: String) { (self.problem, self.remedy) = (problem, remedy) }
}
