// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import Testing

@Suite struct `An outline` {
    @Test func `Outlines are equal if their names and drawings are equal`() {
        let face = Outline(name: "face", path: "face.svg")
        #expect(face == Outline(name: "face", path: "face.svg"))
        #expect(face != Outline(name: "face", path: "mine/face.svg"))
    }
}
