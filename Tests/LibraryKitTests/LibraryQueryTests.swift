// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CaptureTestSupport
import Testing

@testable import LibraryKit

@Suite("Searches")
struct LibraryQueryTests {
    private func terms(_ text: String) throws -> [LibraryQuery.Term] { try LibraryQuery(text).terms }

    @Test("Words are terms, and the last one may be the beginning of a word unless a space follows")
    func words() throws {
        #expect(try terms("first snow") == [.word("first", isPrefix: false), .word("snow", isPrefix: true)])
        #expect(try terms("first ") == [.word("first", isPrefix: false)])
        #expect(try terms(" \t\n").isEmpty)
    }

    @Test("Facets, phrases and exclusions")
    func facets() throws {
        let query = try LibraryQuery(#"tag:"first snow" -series:street Camera:desk "two words" -"no way" -blurred"#)
        #expect(
            query.terms == [
                .facet(Facet(.tag, "first snow")), .facet(Facet(.camera, "desk")), .phrase("two words"),
            ])
        #expect(
            query.excluded == [
                .facet(Facet(.series, "street")), .phrase("no way"), .word("blurred", isPrefix: true),
            ])
    }

    @Test("Stars are a number or a range")
    func stars() throws {
        #expect(try terms("stars:4") == [.stars(4...4)])
        #expect(try terms("stars:3..5") == [.stars(3...5)])
        for text in ["stars:6", "stars:", "stars:5..3", "stars:1..2..3", "stars:-1", "stars:１"] {
            #expect(throws: CaptureError.self, "\(text)") { try LibraryQuery(text) }
        }
    }

    @Test("Dates limit the days of pictures")
    func days() throws {
        let day = try #require(WallTime.day("2026-03-01"))
        #expect(day == 20513)
        #expect(try LibraryQuery("day:2026-03-01").days == day...day)
        #expect(try LibraryQuery("after:2026-03-01 before:2026-03-03").days == day...day + 1)
        #expect(WallTime.day("1969-12-31") == -1)
        for text in ["after:2026-02-30", "day:2026-3-1", "before:tomorrow", "day:", "day:2026-03-01T00"] {
            let error = #expect(throws: CaptureError.self, "\(text)") { try LibraryQuery(text) }
            #expect(error?.code == .usage && error?.advice == "write it as 2026-03-01")
        }
    }

    @Test("An unknown term is a word")
    func unknown() throws { #expect(try terms("f:8 ") == [.word("f:8", isPrefix: false)]) }

    @Test("A text that is too long, or has too many terms, is refused")
    func limits() {
        for text in [String(repeating: "a", count: 1025), String(repeating: "a ", count: 33)] {
            #expect(throws: CaptureError.self) { try LibraryQuery(text) }
        }
    }

    @Test("No text is an error of SQLite, and none finds what it should not")
    func hostile() throws {
        let folder = try TemporaryFolder()
        let index = try LibraryIndex(folder)
        try index.add([.picture(1)])
        let texts = [
            "\"", "\"\"", "-", "--", "*", "a*", "^a", "NEAR(a b)", "a AND", "OR", "NOT", "text:", "text:a", "{a b}:c",
            "(",
            ")", "'", "';DROP TABLE item;--", "a\0b", "\u{0}", "%", "_", "tag:", "tag:\"", "-tag:", "facets:一", "一",
            "\u{FEFF}", "\u{202E}abc", "👩‍👩‍👧", "é\u{301}", "a+b", "a:b:c", "::", ":a", "text : \"garden\"", "\\\"", "!!!",
        ]
        for text in texts {
            for query in [text, text + " ", "-" + text] {
                let found = try index.found(query)
                #expect(found.isEmpty || query.hasPrefix("-") || found == ["garden-1"], "\(query)")
            }
        }
    }

    @Test("Random texts of special characters are searches")
    func random() throws {
        let folder = try TemporaryFolder()
        let index = try LibraryIndex(folder)
        try index.add([.picture(1)])
        var numbers = SplitMix(35)
        let alphabet = Array("\"-*:^()+{}' \0\n.,AND OR NOT NEAR tag:stars:day:garden一é")
        for _ in 0..<2000 {
            let text = String(
                (0..<Int.random(in: 0...30, using: &numbers)).map { _ in alphabet.randomElement(using: &numbers)! })
            guard let query = try? LibraryQuery(text) else { continue }
            _ = try index.page(query, limit: 10)
        }
    }
}
#endif
