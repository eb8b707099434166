// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import Testing

@testable import CaptureBase
@testable import LayerKit

@Suite struct `The syntax of layers` {
    private func layers(_ text: String) throws -> [UnresolvedLayer] { try LayerSyntax.layers(SourcedText(text: text)) }

    private func only(_ text: String) throws -> UnresolvedLayer {
        let layers = try layers(text)
        return try #require(layers.count == 1 ? layers.first : nil)
    }

    @Test(
        arguments: [
            ("face", .outline("face")), ("outline:face", .outline("face")), (" Outline : face ", .outline("face")),
            ("./a:b.svg", .outline("./a:b.svg")), ("mine.svg", .outline("mine.svg")),
            ("text:%H:%M:%S", .text(TextTemplate("%H:%M:%S"))),
            ("text:{countdown}", .text(TextTemplate("{countdown}"))),
            ("ghost:before.jpg", .ghost("before.jpg")), ("grid:thirds", .grid(.thirds)),
            ("grid:Golden", .grid(.golden)),
            ("grid:crosshair", .grid(.crosshair)), ("grid:centre", .grid(.center)), ("grid:center", .grid(.center)),
            ("dim:face", .dim(outside: "face")), ("image:logo.png", .image("logo.png")),
            ("letterbox:2.39", .letterbox(aspect: 2.39)), ("letterbox:2.39:1", .letterbox(aspect: 2.39)),
            ("letterbox:21:9", .letterbox(aspect: 21.0 / 9)), ("letterbox:16:9", .letterbox(aspect: 16.0 / 9)),
        ] as [(String, UnresolvedLayer.Content)])
    func `The text of a layer defines its content`(text: String, content: UnresolvedLayer.Content) throws {
        #expect(try only(text) == UnresolvedLayer(content))
    }

    @Test func `The text of a layer defines its placement and style`() throws {
        let layer = try only(
            "face; name=me ;position=top-left;anchor=50%,0.25;size=40%;margin=8px;colour=#7cff9b;stroke=0.5%;halo=6px"
                + ";halo-colour=black;opacity=50%")
        #expect(layer.name == "me")
        #expect(layer.placement.position == UnitPoint(0, 0))
        #expect(layer.placement.anchor == UnitPoint(0.5, 0.25))
        #expect(layer.placement.size == 0.4)
        #expect(layer.placement.margin == .pixels(8))
        #expect(layer.style.color == Color(red: 0x7C / 255.0, green: 1, blue: 0x9B / 255.0))
        #expect(layer.style.stroke == .fraction(0.005))
        #expect(layer.style.halo == .pixels(6))
        #expect(layer.style.haloColor == .black)
        #expect(layer.style.opacity == 0.5)
        let text = try only("text:now;font=Serif Bold Italic;background=#00000080;opacity=.5;position=centre")
        #expect(text.style.font == "Serif Bold Italic")
        #expect(text.style.background == Color(red: 0, green: 0, blue: 0, alpha: 128 / 255.0))
        #expect(text.style.opacity == 0.5)
        #expect(text.placement.position == .center)
    }

    @Test(arguments: [
        ("face,grid:thirds", 2), ("face;position=10%,20%,grid:thirds", 2), ("face;position=10%,20%;color=red,card", 2),
        ("face;position=10%, 20%", 1), ("face;name=1,2", 2), ("face,text:Hello, stranger", 2),
        ("text:a,b,c", 1), (" TEXT :a,b", 1), ("text:a;color=red", 1), ("a\\,b.svg,c", 2), ("a,b,c,d", 4),
    ])
    func `Layers are split at commas, except in points and texts`(text: String, count: Int) throws {
        #expect(try layers(text).count == count)
    }

    @Test(arguments: [
        ("text:Hello, stranger", "Hello, stranger"), ("text:a;b=c", "a;b=c"), ("text:a; b;color=red", "a; b"),
        ("text:a\\;color=red", "a;color=red"), ("text:a\\, b", "a, b"), ("text::", ":"), ("text:=", "="),
        ("text:a\nb", "a\nb"), ("text:\\", "\\"), ("text:C:\\x", "C:\\x"), ("text:👩‍👩‍👧;colour=red", "👩‍👩‍👧"),
        ("text:a;color", "a;color"), ("text:\u{301}a", "\u{301}a"),
    ])
    func `The text of a text layer extends to the end, or to a known key`(text: String, expected: String) throws {
        #expect(try only(text).content == .text(TextTemplate(expected)))
    }

    @Test func `A backslash escapes commas and semicolons`() throws {
        #expect(try only("a\\,b\\;c.svg;color=red").content == .outline("a,b;c.svg"))
        #expect(try only("a\\b.svg").content == .outline("a\\b.svg"))
    }

    @Test(arguments: [
        ("dimm:face", #""dimm" is not a kind of layer; did you mean dim?"#),
        ("x:y", #""x" is not a kind of layer; use one of outline, text, ghost, grid, dim, image, letterbox"#),
        ("grid:third", #""third" is not known; did you mean thirds?"#),
        ("grid:", "has no value; give one, or leave it out"), ("face,,card", "has no value; give one, or leave it out"),
        ("face;colr=red", #"unknown key "colr"; did you mean color?"#),
        ("face;", #""" is not key=value; write it as color=orange"#),
        ("face;red", #""red" is not key=value; write it as color=orange"#),
        ("face;color=", "color: has no value; give one, or leave it out"),
        ("face;color=gren", #"color: "gren" is not a color; did you mean green?"#),
        (
            "face;color=#12345",
            ##"color: "#12345" is not a color; give one such as orange, #7cff9b, or #00000080 with opacity"##
        ),
        ("face;color=red;colour=blue", "color appears twice; remove one"),
        ("ghost:a.jpg;color=red", "ghost does not take color"),
        ("grid:thirds;size=5%", "grid does not take size"), ("text:a;stroke=1px", nil),
        ("face;font=Sans", "outline does not take font"),
        ("letterbox:0", #""0" is not an aspect ratio; give one such as 16:9 or 2.39"#),
        ("letterbox:16:0", #""16:0" is not an aspect ratio; give one such as 16:9 or 2.39"#),
        ("face;position=topleft", #"position: "topleft" is not a point; did you mean top-left?"#),
        ("face;size=50", #"size: "50" is not a size; give a part of the frame such as 40% or 0.4"#),
        ("face;opacity=2", #"opacity: "2" is not an opacity; give 0 (clear) to 1 (opaque), or 50%"#),
        ("face;stroke=3", #"stroke: "3" is not a length; give one such as 6px, or 0.5% of the shorter side"#),
        ("image:\u{1B}[31m", "contains a control character; write it on one line"),
    ])
    func `A layer with a mistake is refused with advice`(text: String, message: String?) {
        let error = #expect(throws: InvalidValue.self) { try layers(text) }
        let line = error.map { $0.message + ($0.advice.map { "; \($0)" } ?? "") }
        #expect(message == nil || line == message)
    }

    @Test(arguments: [
        "nan", "NaN%", "inf", "infinity", "-1", "-1%", "+1", "1e309", "1e3", "0x10", "1_0", ".", "%", "px",
        "1..2",
        "１", "½", "99999999999999999999", "0.00000000000000001", "1 %", "--", "1e-400", "\u{0}", "1%%", "٣",
    ])
    func `A layer with an invalid number is refused`(number: String) {
        for key in ["size", "opacity", "stroke", "halo", "margin", "position", "anchor"] {
            #expect(throws: InvalidValue.self) { try layers("face;\(key)=\(number)") }
        }
        #expect(throws: InvalidValue.self) { try layers("letterbox:\(number)") }
        #expect(throws: InvalidValue.self) { try layers("letterbox:\(number):\(number)") }
    }

    @Test(arguments: ["101%", "16385px", "1000000px"])
    func `Sizes, places and the number of layers have limits`(length: String) {
        #expect(throws: InvalidValue.self) { try layers("face;stroke=\(length)") }
        #expect(throws: InvalidValue.self) { try layers("face;size=201%") }
        #expect(throws: InvalidValue.self) { try layers("face;size=0") }
        #expect(throws: InvalidValue.self) { try layers("face;position=101%,0%") }
        #expect(throws: InvalidValue.self) { try layers("letterbox:1000") }
        #expect(throws: InvalidValue.self) { try layers(Array(repeating: "a", count: 65).joined(separator: ",")) }
    }

    @Test(.timeLimit(.minutes(5))) func `Random and long layers never trap, and are parsed quickly`() {
        let pieces = [
            "face", "text:", "grid:", "dim:", "ghost:", "image:", "letterbox:", "outline:", ";", ",", "=", ":", "\\",
            "\\;",
            "color", "position", "size=", "halo-color=", "10%", "20px", "#fff", "nan", "1e309", "-", " ", "\n", "\u{0}",
            "\u{301}", "👩‍👩‍👧", "é", "\u{202E}", "position=1%,", "a=b", "\r\n",
        ]
        for _ in 0..<3000 {
            _ = try? layers((0..<Int.random(in: 0...24)).compactMap { _ in pieces.randomElement() }.joined())
        }
        for _ in 0..<1000 {
            let bytes = (0..<Int.random(in: 0...64)).map { _ in UInt8.random(in: 0...255) }
            _ = try? layers(String(decoding: bytes, as: UTF8.self))
        }
        for piece in pieces { _ = try? layers(String(repeating: piece, count: 100_000)) }
        for piece in pieces { _ = try? layers(String(repeating: piece, count: 16384 / piece.utf8.count)) }
        _ = try? layers("face;position=" + String(repeating: "1%,", count: 5000))
    }
}
