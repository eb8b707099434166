// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import ScheduleKit
import Testing

@testable import PresetKit

@Suite("Presets")
struct PresetTests {
    @Test("A preset holds settings, a name and a description")
    func reading() throws {
        let text = """
            # -----
            # A webcam.
            # More.
            camera: auto
            framerate: 30/1
            flash: on
            overwrite: no
            until: 18:00
            lock: [exposure, white-balance]
            overlay:
              - card
              - a b.svg
            controls:
              brightness: 128
              power_line_frequency: 50 Hz
            """
        let preset = try Preset(path: "/a/web-cam.yaml", bytes: Array(text.utf8))
        #expect(preset.name == "web-cam")
        #expect(preset.description == "A webcam.")
        #expect(preset.text == text)
        #expect(preset.settings.framerate == FrameRate(30))
        #expect(preset.settings.flash == .on)
        #expect(preset.settings.overwrite == false)
        #expect(preset.settings.until?.hour == 18)
        #expect(preset.settings.lock == [.exposure, .whiteBalance])
        #expect(preset.settings.overlay?.map(\.bareText) == ["card", "a b.svg"])
        #expect(preset.settings.controls?.map(\.value) == ["128", "50 Hz"])
    }

    @Test("A description key overrides the comment; a byte order mark and CR LF are accepted")
    func description() throws {
        let text = "\u{FEFF}# comment\r\ndescription: said\r\nsource: >-\r\n  videotestsrc\r\n  ! queue\r\n"
        let preset = try Preset(path: "x", bytes: Array(text.utf8))
        #expect(preset.description == "said")
        #expect(preset.settings.source == "videotestsrc ! queue")
    }

    @Test("A source over several lines becomes one line")
    func fragments() throws {
        let preset = try Preset(path: "x", bytes: Array("source: |\n  a\n  !\n  b\n".utf8))
        #expect(preset.settings.source == "a ! b")
    }

    @Test(
        "Errors have line and column, and advice",
        arguments: [
            ("width: 640\nwidht: 3", #"p.yaml:2:1: unknown key "widht"; did you mean "width"?"#),
            ("set:\n  gain: 3", #"p.yaml:1:1: unknown key "set"; in a preset it is "controls""#),
            ("zzzzzzzz: 3", #"p.yaml:1:1: unknown key "zzzzzzzz""#),
            ("# é\nwidth:   12o", #"p.yaml:2:10: width: "12o" is not a whole number; give 1 to 16384"#),
            ("width: [640]", "p.yaml:1:8: width: takes a single value, not a list"),
            ("width:\n  a: 1", "p.yaml:2:3: width: takes a single value, not a list"),
            ("width:", "p.yaml:1:7: width: has no value; give one, or leave it out"),
            ("lock: [focus, é, zoom]", #"p.yaml:1:15: lock: "é" is not known; give exposure, white-balance or focus"#),
            ("lock: {a: 1}", "p.yaml:1:7: lock: takes a list, not a mapping; write [one, another]"),
            ("overlay: [[a]]", "p.yaml:1:11: a list cannot be inside of another; write a single value"),
            ("controls:\n  a: 1\n  b: [2]", "p.yaml:3:6: a list cannot be inside of another; write a single value"),
            ("controls:\n  é: 1", #"p.yaml:2:3: controls: "é" is not a control name"#),
            ("width: 1\nwidth: 2", #"p.yaml:2:1: "width" appears twice, first in line 1; remove one"#),
            ("controls:\n  a: 1\n  a: 2", #"p.yaml:3:3: controls: a is set twice"#),
            ("width: 1\n\theight: 2", "p.yaml:2:1: tabs cannot indent YAML; use spaces"),
            ("width: 640\nhello\nheight: 4", #"p.yaml:2:1: "hello" is not a setting; write key: value"#),
            ("- width", "p.yaml:1:1: a list is not a setting; write key: value"),
            ("", "p.yaml:1:1: holds no settings; write key: value"),
            ("# nothing\n", "p.yaml:1:1: holds no settings; write key: value"),
            (
                "camera: scene\nwidth: 1\nsource: x",
                "p.yaml:3:1: camera and source exclude each other; leave out one of them"
            ),
            ("? [a]\n: 1", "p.yaml:1:3: a list cannot be a key; write key: value"),
            ("width: 640\u{2028}height: 3", "p.yaml:1:11: has a line break other than LF or CR LF"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: CaptureError.self) { try Preset(path: "p.yaml", bytes: Array(text.utf8)) }
        #expect(error?.description == message)
        #expect(error?.code == .configuration)
    }

    @Test("All errors of a file are reported together and in order, those of YAML and of settings")
    func several() {
        let text = """
            widht: 640
            source: "a
            quality: 101
            camera: scene
            camera: auto
            lock: [focus, x
            height: 0
            """
        let error = #expect(throws: CaptureError.self) { try Preset(path: "p.yaml", bytes: Array(text.utf8)) }
        let places = error?.description.split(separator: "\n").map { $0.split(separator: " ")[0] }
        #expect(places == ["p.yaml:1:1:", "p.yaml:2:9:", "p.yaml:3:10:", "p.yaml:5:1:", "p.yaml:6:7:", "p.yaml:7:9:"])
    }

    @Test("Bytes that are not text are reported with their position")
    func brokenText() {
        let bytes = Array("width: 640\nüber".utf8) + [0xFF, 0x0A]
        let error = #expect(throws: CaptureError.self) { try Preset(path: "p.yaml", bytes: bytes) }
        #expect(error?.description == "p.yaml:2:5: is not UTF-8 text")
        let text = "width: 1\nheight: \0"
        let nul = #expect(throws: CaptureError.self) { try Preset(path: "p.yaml", bytes: Array(text.utf8)) }
        #expect(nul?.subject == "p.yaml:2:9")
    }
}
