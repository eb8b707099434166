// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import LayerKit
import Testing

@Suite("The attribute data-present of an outline")
struct OutlinePresenceTests {
    @Test(
        "The attribute is read from the root element alone, in either kind of quotes",
        arguments: [
            (#"<svg data-present="edges">"#, OutlinePresence.edges),
            ("<svg\n data-present = 'face 22%' x=\"1\">", .face(width: 0.22)),
            (
                #"<?xml version="1.0"?><!-- <svg data-present="none"> --><svg a=">" data-present=" face ">"#,
                .face(width: 1)
            ),
            (#"<svg data-present="none"><rect data-present="edges"/></svg>"#, .nothing),
            (#"<svg><g data-present="edges"/></svg>"#, nil),
            ("<svg data-present=edges>", nil), ("<svg data-present=\"edges", nil), ("<svgs data-present='edges'>", nil),
            ("", nil),
            (#"<svg xdata-present="edges">"#, nil), ("<svg =\"\" ='' data-present", nil), ("<svg", nil), ("<!-- ", nil),
            ("<svg \"", nil),
        ] as [(String, OutlinePresence?)])
    func attribute(svg: String, presence: OutlinePresence?) throws {
        #expect(try OutlinePresence.read(Array(svg.utf8)) == presence)
    }

    @Test("Random bytes never trap the reader of data-present")
    func random() {
        var generator = SplitMix(17)
        let letters = Array("<svg>!-='\" data-present/\n".utf8)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? 0
            }
            _ = try? OutlinePresence.read(bytes)
        }
    }
}
