// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Testing

@Suite("Properties", .criticalsAreFatal)
struct PropertyTests {
    /// An element, one of its properties, and a value for it.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let (factory, property, value): (String, String, Value)
        init(_ factory: String, _ property: String, _ value: Value) {
            (self.factory, self.property, self.value) = (factory, property, value)
        }
        var testDescription: String { "\(factory).\(property) = \(value)" }
    }

    @Test(
        "Property values of every width are written and read back",
        arguments: [
            Attempt("fakesink", "sync", .bool(true)),
            Attempt("videotestsrc", "num-buffers", .int(-1)),
            Attempt("videotestsrc", "num-buffers", .int(Int64(Int32.max))),
            Attempt("appsink", "max-buffers", .uint(UInt64(UInt32.max))),
            Attempt("videotestsrc", "timestamp-offset", .int(0)),
            Attempt("videotestsrc", "timestamp-offset", .int(2_876_543_209_999_999)),
            Attempt("fakesink", "ts-offset", .int(-5_000_000_000)),
            Attempt("fakesink", "max-lateness", .int(Int64.max)),
            Attempt("queue", "max-size-time", .uint(UInt64.max)),
            Attempt("identity", "drop-probability", .double(0.25)),
            Attempt("videobalance", "contrast", .double(1.5)),
            Attempt("filesrc", "location", .string("/tmp/ä b.jpg")),
            Attempt("appsrc", "caps", .null),
        ])
    func roundTrip(attempt: Attempt) throws {
        let element = try Element.make(attempt.factory)
        try element.set(attempt.property, to: attempt.value)
        #expect(try element.value(of: attempt.property) == attempt.value)
    }

    @Test("Enumerations, flags, fractions and caps are set as Swift values and as text")
    func kinds() throws {
        let flip = try Element.make("videoflip")
        try flip.set("method", to: "horizontal-flip")
        #expect(try flip.get("method") == "horizontal-flip")
        #expect(try flip.value(of: "method") == .enumeration(nick: "horizontal-flip", number: 4))
        try flip.set("method", to: 2)
        #expect(try flip.get("method") == "rotate-180")

        let encoder = try Element.make("theoraenc")
        try encoder.set("multipass-mode", to: "first-pass")
        let rate = try Element.make("capsfilter")
        try rate.set("caps", to: Caps("video/x-raw,framerate=30/1"))
        #expect(try rate.get("caps", as: Caps.self).structures[0]["framerate"] == Fraction(30, 1))
        try rate.set("caps", to: "video/x-raw,framerate=15/1")
        #expect(try rate.get("caps", as: Caps.self).structures[0]["framerate"] == Fraction(15, 1))

        let playbin = try Element.make("playbin")
        try playbin.set("flags", to: "video+text")
        guard case .flags(let bits, let text) = try playbin.value(of: "flags") else { throw Unexpected() }
        #expect(bits == 0b101)
        #expect(text.contains("subtitles"))
        try playbin.set("flags", to: Value.flags(bits: 0b11, text: ""))
        #expect(try playbin.value(of: "flags") != .flags(bits: bits, text: text))

    }

    @Test("A fraction property is written and read as a fraction")
    func fractions() throws {
        let source = try Element.make("imagefreeze")
        #expect(failure { try source.set("num-buffers", to: Fraction(1, 2)) }?.code == .propertyType)
        let encoder = try Element.make("videoparse")
        try encoder.set("framerate", to: Fraction(25, 2))
        #expect(try encoder.get("framerate") == Fraction(25, 2))
        try encoder.set("framerate", to: "30000/1001")
        #expect(try encoder.get("framerate") == Fraction(30000, 1001))
        #expect(failure { try encoder.set("framerate", to: Fraction(1, 0)) } != nil)
        #expect(try encoder.get("framerate") == Fraction(30000, 1001))
    }

    @Test("An object property is written and read as the same object; one of another type is refused")
    func objects() throws {
        let bin = try Element.make("autovideosink")
        #expect(bin.properties.contains { $0.name == "filter-caps" })
        let (playbin, sink) = try (Element.make("playbin"), Element.make("fakesink"))
        try playbin.set("video-sink", to: sink)
        #expect(try playbin.get("video-sink") == sink)
        #expect(failure { try playbin.get("video-sink", as: Pad.self) }?.code == .propertyType)
        let pad = try #require(sink.pad("sink"))
        #expect(failure { try playbin.set("video-sink", to: pad) }?.code == .propertyType)
        try playbin.set("video-sink", to: Value.null)
    }

    /// A value that must be refused, and the code of the error.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let (attempt, code): (Attempt, PipelineError.Code)
        init(_ factory: String, _ property: String, _ value: Value, _ code: PipelineError.Code) {
            (self.attempt, self.code) = (Attempt(factory, property, value), code)
        }
        var testDescription: String { "\(attempt.testDescription): \(code)" }
    }

    @Test(
        "An invalid property value is refused, and nothing is set",
        arguments: [
            Refusal("videotestsrc", "colour", .int(1), .unknownProperty),
            Refusal("videotestsrc", "", .int(1), .unknownProperty),
            Refusal("videotestsrc", "num-buffers\0x", .int(1), .unknownProperty),
            Refusal("videotestsrc", "num-buffers", .string("many"), .propertyType),
            Refusal("videotestsrc", "num-buffers", .string("12\0"), .propertyType),
            Refusal("videotestsrc", "num-buffers", .double(1), .propertyType),
            Refusal("videotestsrc", "num-buffers", .bool(true), .propertyType),
            Refusal("videotestsrc", "num-buffers", .null, .propertyType),
            Refusal("videotestsrc", "num-buffers", .int(Int64(Int32.max) + 1), .propertyType),
            Refusal("videotestsrc", "num-buffers", .int(-2), .propertyRange),
            Refusal("videotestsrc", "pattern", .string("plaid"), .propertyType),
            Refusal("videotestsrc", "pattern", .int(999), .propertyRange),
            Refusal("videotestsrc", "is-live", .int(1), .propertyType),
            Refusal("appsink", "max-buffers", .int(-1), .propertyType),
            Refusal("appsink", "max-buffers", .uint(1 << 32), .propertyType),
            Refusal("queue", "max-size-time", .int(-1), .propertyType),
            Refusal("queue", "current-level-buffers", .uint(1), .propertyAccess),
            Refusal("fakesink", "ts-offset", .uint(UInt64.max), .propertyType),
            Refusal("fakesink", "stats", .string("x"), .propertyAccess),
            Refusal("identity", "drop-probability", .double(1.5), .propertyRange),
            Refusal("identity", "drop-probability", .string("half"), .propertyType),
            Refusal("jpegenc", "quality", .int(101), .propertyRange),
            Refusal("capsfilter", "caps", .string("no caps, at=all="), .propertyType),
            Refusal("capsfilter", "caps", .int(1), .propertyType),
            Refusal("filesrc", "location", .string("a\0b"), .propertyType),
            Refusal("filesrc", "location", .int(1), .propertyType),
        ])
    func refusals(refusal: Refusal) throws {
        let (factory, property) = (refusal.attempt.factory, refusal.attempt.property)
        let element = try Element.make(factory)
        let before = try? element.value(of: property)
        let error = try #require(
            failure { try element.set(property, to: refusal.attempt.value) })
        #expect(error.code == refusal.code, "\(error)")
        #expect(error.element == element.name)
        if property != "stats" { #expect(before == (try? element.value(of: property))) }
    }

    @Test("Reading a property checks its name and the Swift type")
    func reading() throws {
        let source = try Element.make("videotestsrc")
        #expect(failure { try source.value(of: "colour") }?.code == .unknownProperty)
        #expect(failure { try source.get("pattern", as: Bool.self) }?.code == .propertyType)
        #expect(try source.get("pattern", as: Int.self) == 0)
        #expect(try source.get("num-buffers", as: Int.self) == -1)
        let sentinel = failure { try source.get("num-buffers", as: UInt64.self) }
        #expect(sentinel?.code == .propertyType, "-1 is no UInt64")
    }

    @Test(
        "Each readable property of an element can be read",
        arguments: ["videotestsrc", "appsink", "appsrc", "v4l2src", "jpegenc", "playbin"])
    func declarations(factory: String) throws {
        let element = try Element.make(factory)
        #expect(element.properties.contains { $0.name == "name" && $0.typeName == "gchararray" && $0.isReadable })
        for property in element.properties {
            #expect(element.hasProperty(property.name))
            guard property.isReadable else { continue }
            _ = try element.value(of: property.name)
        }
    }

    struct Unexpected: Error {}
}
