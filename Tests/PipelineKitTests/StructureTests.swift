// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("Structures", .criticalsAreFatal)
struct StructureTests {
    @Test("Every kind of value in a structure is written and read back")
    func roundTrip() throws {
        let fields: [String: Value] = [
            "flag": .bool(true), "small": .int(-7), "large": .int(Int64.min), "unsigned": .uint(7),
            "huge": .uint(UInt64.max), "real": .double(0.5), "text": .string("a \"quoted\", ünï; =text"),
            "ratio": .fraction(Fraction(30000, 1001)), "range": .intRange(2...10, step: 2),
            "ratios": .fractionRange(Fraction(1, 2), Fraction(2, 1)), "one of": .null,
            "list": .list([.int(1), .int(2)]), "mixed": .list([.int(1), .intRange(4...8, step: 1)]),
            "array": .array([.string("x"), .string("y")]),
            "mask": .other(type: "GstBitmask", text: "0x0000000000000003"),
        ].filter { $0.key != "one of" }
        let structure = Structure("x/test", fields)
        #expect(try Structure(parsing: structure.description) == structure)
    }

    @Test("Nested structures and caps are read back")
    func nested() throws {
        let inner = Structure("inner", ["n": .int(1)])
        let structure = try Structure("outer", ["caps": .caps(Caps("image/jpeg")), "inner": .structure(inner)])
        let read = try Structure(parsing: structure.description)
        #expect(read["caps"] == (try Caps("image/jpeg")))
        #expect(read["inner"] == inner)
    }

    @Test("The fields of a structure are written in the order of their names")
    func order() {
        let structure = Structure("s", ["b": .int(2), "a": .int(1), "c": .int(3)])
        #expect(structure.description == "s, a=(int)1, b=(int)2, c=(int)3;")
    }

    @Test(
        "Invalid structures throw", arguments: ["", " ", ",", "1a", "a b", "a, b", "a, b=", "a, b=1; c", "a\0, b=1"])
    func errors(text: String) {
        #expect(failure { try Structure(parsing: text) }?.code == .syntax)
    }

    @Test(
        "A structure that GStreamer cannot write is written as its name",
        arguments: [
            Structure(""), Structure("9a"), Structure("a b"), Structure("a\0"), Structure("ä"),
            Structure("a", ["": .int(1)]), Structure("a", ["b\0": .int(1)]), Structure("a", ["b": .string("c\0")]),
            Structure("a", ["b": .fraction(Fraction(1, 0))]), Structure("a", ["b": .fraction(Fraction(.min, 1))]),
            Structure("a", ["b": .fraction(Fraction(1, .min))]), Structure("a", ["b": .intRange(5...5, step: 1)]),
            Structure("a", ["b": .intRange(1...5, step: 0)]), Structure("a", ["b": .intRange(1...5, step: 2)]),
            Structure("a", ["b": .fractionRange(Fraction(2, 1), Fraction(1, 1))]),
            Structure("a", ["b": .other(type: "NoSuchType", text: "")]),
            Structure("a", ["b": .list([.int(1), .string("x")])]),
            Structure("a", ["b": .array([.int(1), .int(1 << 40)])]),
            Structure("a", ["b": .list([.fraction(Fraction(1, 0))])]),
        ])
    func unwritable(structure: Structure) {
        #expect(structure.description == structure.name)
    }

    @Test("A field of a structure is read as the requested Swift type")
    func fields() {
        let structure = Structure(
            "s", ["e": .enumeration(nick: "first", number: 1), "u": .uint(UInt64.max), "n": .int(-1)])
        #expect(structure["e"] == "first")
        #expect(structure["e"] == 1)
        #expect(structure["u", as: Int.self] == nil)
        #expect(structure["u"] == UInt64.max)
        #expect(structure["n", as: UInt64.self] == nil)
        #expect(structure["n", as: Value.self] == .int(-1))
        #expect(structure["n", as: Fraction.self] == nil)
    }

    @Test("A single value is written as GStreamer writes it")
    func text() {
        #expect(Value.int(-3).description == "-3")
        #expect(Value.array([.int(1), .int(2)]).description == "< (int)1, (int)2 >")
        #expect(Value.string("a b").description == "\"a\\ b\"" || Value.string("a b").description == "\"a b\"")
    }
}
