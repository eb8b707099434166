// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Testing

@testable import LibraryKit

@Suite("Expressions of searches")
struct FullTextQueryTests {
    /// An index whose camera has the facet 7, and whose pictures have the word `snow`.
    private struct Facets: FacetFinding {
        func number(of facet: Facet) -> Int64? {
            switch facet.kind {
            case .kind: Int64(ItemFacts.Kind.allCases.firstIndex { $0.word == facet.value } ?? 0) + 100
            case .stars: Int64(facet.value).map { $0 + 10 }
            default: nil
            }
        }
        func numbers(named expression: String) -> [Int64] { expression.hasPrefix("\"gard") ? [7] : [] }
        func hasText(_ expression: String) -> Bool { expression.hasPrefix("\"snow") }
    }

    private func query(_ text: String) throws -> FullTextQuery { try FullTextQuery(try LibraryQuery(text), Facets()) }

    private func facet(_ number: Int64) -> String { "facets : \"\(FacetToken.text(number))\"" }

    @Test("A word that only names a camera is its facet, so that its days are counted already")
    func names() throws {
        #expect(try query("gard").expression == "(\(facet(7)))" && query("gard").single == 7)
        #expect(try query("snow").expression == #"(text : "snow" *)"# && query("snow").single == nil)
        #expect(try query("gard snow ").single == nil && query("gard -snow").single == nil)
        #expect(try query("ice").findsNothing)
    }

    @Test("Pictures without a number of stars or a kind are those with another: each row is not read")
    func complements() throws {
        #expect(try query("-stars:0").expression == "(" + (11...15).map(facet).joined(separator: " OR ") + ")")
        let others = try ItemFacts.Kind.allCases.filter { $0 != .still }.map {
            facet(try #require(Facets().number(of: Facet(.kind, $0.word))))
        }
        #expect(try query("-kind:still").expression == "(" + others.joined(separator: " OR ") + ")")
        #expect(try query("-stars:0..5").findsNothing)
    }

    @Test(
        "Two values of a property that a picture has once find nothing: no list is compared",
        arguments: [
            ("kind:still kind:session", true), ("stars:1..2 stars:4..5", true), ("stars:1..3 stars:3..5", false),
            ("kind:still kind:still", false), ("kind:still -kind:session", false), ("kind:still -kind:still", true),
            ("kind:still stars:3", false),
        ])
    func contradictions(_ text: String, _ isContradictory: Bool) throws {
        #expect(try query(text).findsNothing == isContradictory)
    }

    @Test("Each picture of a search has the facets that are separate terms")
    func required() throws {
        let still = try #require(Facets().number(of: Facet(.kind, "still")))
        #expect(try query("kind:still stars:3 gard").required == [still, 13, 7])
        #expect(try query("stars:2..3 snow -kind:still").required == [])
    }
}
#endif
