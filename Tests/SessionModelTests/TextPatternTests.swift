// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import SessionModel

@Suite("Patterns of values")
struct TextPatternTests {
    @Test(
        "A pattern matches a whole value, as on a page",
        arguments: [
            ("[0-9]{6}", "004212", "00421"), ("[0-9]{6}", "999999", "9999999"), ("a|bc", "bc", "abc"),
            ("(ab)+?c*", "ababcc", "abac"), ("x{2,}", "xxx", "x"), ("x{0}y", "y", "xy"), ("x{1,3}", "xxx", "xxxx"),
            (".+", "aé😀", "a\u{2028}"), (#"\d\D\w\W\s\S"#, "1a_- x", "1a_-_x"), (#"\d"#, "7", "٧"),
            (#"[^\d\s]+"#, "ab-é", "a b"), (#"[\w.\-]+@\w+\.[a-z]{2,}"#, "a.b-c@d.org", "a.b-c@d.o"),
            ("[A-Za-z0-9_-]+", "a-B_9", "a b"), ("[]|b", "b", "a"), ("[^]", "a", ""), ("a$|^b", "b", "c"),
            (#"\bab\b.*"#, "ab c", "abc"), (#"a\Bb"#, "ab", "a b"), ("(?:a(?<rest>b|c))+", "abac", "abad"),
            ("(?i:ab)C", "aBC", "abc"), ("(?i:[a-d]x(?-i:y))", "DXy", "DXY"), ("(?i:é)", "É", "e"),
            (#"\p{L}+"#, "Zoë", "Zo3"), (#"\p{Lu}\P{Lu}+"#, "Ada", "ADA"), (#"[\p{gc=Nd}\p{Pd}]+"#, "1-٧", "a"),
            (#"\x41\u00e9\u{1f600}\cA\t\/"#, "Aé😀\u{1}\t/", "A"), ("", "", "a"), ("a||b", "", "ab"),
            ("(a*)*", "aaa", "ab"), ("(a|)+b", "aab", "a"), ("(|a){3}", "aa", "aaaa"),
        ])
    func matching(pattern: String, accepted: String, refused: String) throws {
        let expression = try TextPattern(pattern)
        #expect(expression.matches(accepted))
        #expect(!expression.matches(refused))
    }

    @Test(
        "A pattern that an automaton cannot match, or that has a mistake, is refused with a remedy",
        arguments: [
            (#"(a)\1"#, #"has the backreference \1, which needs more than linear time"#),
            (#"(?<a>b)\k<a>"#, #"has the backreference \k, which needs more than linear time"#),
            ("(?=a)b", "has the lookaround (?=…), which needs more than linear time"),
            ("(?<!a)b", "has the lookaround (?<!…), which needs more than linear time"),
            ("(?>a)", "has a group that is not known"), ("(?i)a", "has a group that is not known"),
            ("(?<a", "has a group that is not known"), ("(a", "does not close a group"),
            ("a)", "closes a group that it does not open"), ("[a", "does not close a class"),
            ("[", "does not close a class"),
            ("*a", "has nothing before *"), ("a**", "has nothing before *"), ("a++", "has nothing before +"),
            ("^*", #"repeats ^, $ or \b"#), ("{", "has a { without a meaning"), ("a]", "has a ] without a meaning"),
            ("a{", "has a { that begins no repetition"), ("a{,2}", "has a { that begins no repetition"),
            ("a{2,1}", "repeats from more to less"), ("a{99999999999999999999}", "repeats more than 4096 times"),
            ("[b-a]", "has a range from a later to an earlier character"),
            (#"[a-\d]"#, #"has a range from or to a set such as \d"#), ("[a&&b]", "has && in a class"),
            ("[[a]b]", "has a [ in a class"), (#"\q"#, #"has an escape that is not known, "\q""#),
            ("\\", #"ends in \"#), (#"\p{Klingon}"#, #"has a property that is not known, "Klingon""#),
            (#"\u{110000}"#, #"has no number of a character in "110000""#),
            (#"\xg1"#, #"has no number of a character in "g1""#),
            ("(((a{100}){100}){100}){100}", "needs more than 4096 states"),
            ("((((){4000}){4000}){4000}){4000}", "needs more than 4096 states"),
            (String(repeating: "a", count: 201), "is longer than 200 bytes"),
        ])
    func mistakes(pattern: String, problem: String) {
        let error = #expect(throws: PatternError.self) { _ = try TextPattern(pattern) }
        #expect(error?.problem == problem)
        #expect(error?.remedy.isEmpty == false)
    }

    // MARK: Work

    /// Patterns for which a matcher that backtracks needs a time that grows with a power of the text, and texts of this
    /// length that make it do so.
    private static let hostile: [(pattern: String, text: @Sendable (Int) -> String)] = [
        (#"([a-zA-Z0-9]+([._-]?[a-zA-Z0-9]+)*)+@[a-z]+\.[a-z]+"#, { String(repeating: "a", count: $0) + "!" }),
        ("(a+)+", { String(repeating: "a", count: $0) + "!" }), ("(a*)*b", { String(repeating: "a", count: $0) }),
        ("(a|a)*", { String(repeating: "a", count: $0) + "!" }),
        ("(.*)*(.*)*(.*)*x", { String(repeating: "é", count: $0) }),
        ("(a?){40}a{40}", { String(repeating: "a", count: $0) }),
        ("((a{0,30}){0,9})*b", { String(repeating: "a", count: $0) }),
        (#"(\w+\s?)*!"#, { String(repeating: "word ", count: $0 / 5) + "?" }),
        ("(([a-z])+.)+[A-Z]([a-z])+", { String(repeating: "a", count: $0) }),
    ]

    @Test(
        "The steps of a hostile pattern grow with the length of the value, and not faster", arguments: hostile.indices)
    func linear(index: Int) throws {
        let (pattern, text) = Self.hostile[index]
        let expression = try TextPattern(pattern)
        let steps = [100, 200, 400, 800].map { expression.run(text($0)).steps }
        let growth = zip(steps, steps.dropFirst()).map { $1 - $0 }
        for (half, whole) in zip(growth, growth.dropFirst()) { #expect(whole <= 2 * half + 1000, "\(steps)") }
    }

    @Test("No pattern and no value need more steps than the limit")
    func mostSteps() throws {
        let value = String(repeating: "a", count: FormField.mostBytes)
        for pattern in ["(.|a){1,800}", "((a|b|c|d|e)*){100}", #"([\p{L}\p{N}]?\w?.?){0,500}"#] {
            let steps = try TextPattern(pattern).run(value).steps
            #expect(steps <= (TextPattern.mostStates + TextPattern.mostBytes) * (value.unicodeScalars.count + 1))
        }
    }

    @Test("A value that makes a pattern backtrack is refused at once")
    func field() throws {
        let file = #"""
            fields:
              - name: mail
                pattern: '([a-zA-Z0-9]+([._-]?[a-zA-Z0-9]+)*)+@[a-z]+\.[a-z]+'
            stages: [name: a]
            """#
        let session = try SessionFile(path: "club.yaml", bytes: Array(file.utf8)).session
        let value = String(repeating: "a", count: FormField.mostBytes)
        let error = #expect(throws: CaptureError.self) { try session.checkedForm(["mail": value]) }
        #expect(error?.description.contains("does not have the right form") == true)
        #expect(try session.checkedForm(["mail": "ada.l@mail.org"]) == ["mail": "ada.l@mail.org"])
    }

    // MARK: Comparison

    @Test("Random patterns match the same random texts as Swift's regular expressions")
    func differential() throws {
        var generator = SplitMix(8)
        var (matches, refusals) = (0, 0)
        for _ in 0..<600 {
            let pattern = Self.pattern(depth: 3, &generator)
            // Swift's is the reference for short texts: its time grows fast.
            let reference = try Regex(pattern).matchingSemantics(.unicodeScalar).asciiOnlyDigits()
                .asciiOnlyWordCharacters().wordBoundaryKind(.simple)
            let expression = try TextPattern(pattern)
            for _ in 0..<12 {
                let text = String((0..<Int.random(in: 0...6, using: &generator)).map { _ in Self.letter(&generator) })
                let isMatch = expression.matches(text)
                #expect(try isMatch == (reference.wholeMatch(in: text) != nil), "\(pattern) and \(text)")
                if isMatch { matches += 1 } else { refusals += 1 }
            }
        }
        #expect(matches > 500 && refusals > 500)
    }

    @Test("A random text is a pattern, or is refused with a problem and a remedy on one line")
    func randomPatterns() {
        let tokens = Array("ab(|)[]{}*+?^$.\\dwsbBpPux{}1,9:=!<>-&\n😀".unicodeScalars)
        var generator = SplitMix(9)
        for _ in 0..<5000 {
            var pattern = ""
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                pattern.unicodeScalars.append(tokens[Int.random(in: tokens.indices, using: &generator)])
            }
            do throws(PatternError) {
                _ = try TextPattern(pattern).run("ab1")
            } catch {
                #expect(!error.problem.isEmpty && !error.remedy.isEmpty && !error.problem.contains("\n"))
            }
        }
    }

    private static let letters = Array("aabbcAB01_- é")

    private static func letter(_ generator: inout SplitMix) -> Character {
        letters[Int.random(in: letters.indices, using: &generator)]
    }

    /// A pattern of the syntax that Swift's expressions share.
    private static func pattern(depth: Int, _ generator: inout SplitMix) -> String {
        let atoms = [
            "a", "b", "c", "é", "-", " ", ".", #"\d"#, #"\D"#, #"\w"#, #"\W"#, #"\s"#, #"\S"#, "[ab]", "[^ab]",
            "[a-c0]",
            #"[^\d_]"#, #"[\w\-]"#, #"\x61"#, #"\u0062"#, #"\p{Lu}"#, #"\P{L}"#, "(?i:ab)", "(?i:[a-b])",
        ]
        guard depth > 0 else { return atoms[Int.random(in: atoms.indices, using: &generator)] }
        func part() -> String { pattern(depth: depth - 1, &generator) }
        let quantifiers = ["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{1,}", "*?", "+?"]
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: return part() + part()
        case 2: return part() + part() + part()
        case 3: return "(\(part())|\(part()))"
        case 4: return "(?:\(part())|)"
        case 5, 6: return "(?:\(part()))" + quantifiers[Int.random(in: quantifiers.indices, using: &generator)]
        // Without \b: Swift's differs from ECMA-262's before a digit.
        default: return ["^", "$", ""][Int.random(in: 0..<3, using: &generator)] + part()
        }
    }
}
