// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import OverlayCompositor
import PresetKit
import Testing

@testable import CaptureKit

@Suite struct `Layers of settings` {
    private let folder: TemporaryFolder
    private let outlines: OutlineLibrary

    init() throws {
        folder = try TemporaryFolder()
        for name in ["face", "card"] { try folder.write("pipelines/outlines/\(name).svg", "<svg/>") }
        try folder.write("logo.png", "PNG")
        outlines = OutlineLibrary(PresetSurroundings(workingFolder: folder.path))
    }

    private func configuration(_ options: [(key: String, value: String)]) throws(CaptureError) -> CaptureConfiguration {
        let settings = try CaptureSettings(options: [("camera", "scene")] + options)
        return try CaptureConfiguration(settings, mode: .snap, outlines: outlines)
    }

    private func preset(_ text: String) throws -> CaptureSettings {
        try Preset(path: "p.yaml", bytes: Array(text.utf8)).settings
    }

    @Test func `The text of a layer ends with its option`() throws {
        let settings = try CaptureSettings(options: [
            ("overlay", "text:a, b"), ("overlay", "face,card;color=red"), ("overlay", "text:c, d"),
        ])
        #expect(
            settings.overlay?.map(\.content) == [
                .text(TextTemplate("a, b")), .outline("face"), .outline("card"), .text(TextTemplate("c, d")),
            ])
        #expect(try CaptureSettings(options: [("overlay", "none")]).overlay == [])
    }

    @Test func `A layer in a preset can be a text or a mapping`() throws {
        let settings = try preset(
            """
            overlay:
              - face;colour=#7cff9b
              - outline: face
                color: "#7cff9b"
              - text: "%H:%M, now; color=red"
                position: bottom-right
              - grid: thirds
            burn-in: {text: "{n}", size: 5%}
            appearance:
              color: orange
              stroke: 6px
            """)
        let layers = try #require(settings.overlay)
        #expect(layers.count == 4)
        #expect(layers[0] == layers[1])
        #expect(layers[2].content == .text(TextTemplate("%H:%M, now; color=red")))
        #expect(layers[2].placement.position == UnitPoint(1, 1))
        #expect(settings.burnIn?.first?.placement.size == 0.05)
        #expect(settings.appearance?.stroke == .pixels(6))
    }

    @Test(arguments: [
        ("overlay:\n  - outlin: face", #"p.yaml:2:5: overlay: unknown key "outlin"; did you mean outline?"#),
        (
            "overlay:\n  - outline: face\n    colr: red",
            #"p.yaml:3:5: overlay: unknown key "colr"; did you mean color?"#
        ),
        (
            "overlay:\n  - outline: face\n    color: gren",
            #"p.yaml:3:12: overlay: color: "gren" is not a color; did you mean green?"#
        ),
        ("overlay:\n  - color: red", nil),
        (
            "overlay:\n  - outline: face\n    text: hi",
            "p.yaml:3:5: overlay: a layer cannot be outline and text; make two entries"
        ),
        ("overlay:\n  - grid: thirds\n    font: Sans", "p.yaml:3:5: overlay: grid does not take font"),
        ("appearance:\n  position: top", nil),
        (
            "appearance:\n  stroke: 6",
            "p.yaml:2:11: appearance: stroke: \"6\" is not a length; give one such as 6px, or 0.5% of the shorter side"
        ),
        ("overlay:\n  - text: [a]", "p.yaml:2:11: a list cannot be inside of another; write a single value"),
    ])
    func `Mistakes in a preset are reported with line and column`(text: String, message: String?) {
        let error = #expect(throws: CaptureError.self) { try preset(text) }
        #expect(error?.code == .configuration)
        #expect(message == nil || error?.description == message)
    }

    @Test func `All mistakes of a file are reported at once`() throws {
        let path = try folder.write(
            "p.yaml",
            """
            overlay: [fase, "face;colr=red", "grid:third"]
            burn-in:
              - face
              - dim: crad
              - image: lost.png
            """)
        let errors = Preset.errors(inFile: path, outlines: outlines).map(\.description)
        #expect(
            errors == [
                path + #":1:17: overlay: unknown key "colr"; did you mean color?"#,
                path + #":1:34: overlay: "third" is not known; did you mean thirds?"#,
                path + #":4:10: burn-in: "crad": there is no such outline; did you mean card?"#,
                path + ":5:12: burn-in: \(folder.path)/lost.png: there is no such file",
            ])
    }

    @Test(arguments: [
        (("overlay", "fase"), #"--overlay: "fase": there is no such outline; did you mean face?"#),
        (("burn-in", "dim:crad"), #"--burn-in: "crad": there is no such outline; did you mean card?"#),
        (("overlay", "grid"), #"--overlay: "grid": there is no such outline; write grid:thirds"#),
    ])
    func `Missing outlines are reported early, with the option at fault`(option: (String, String), message: String) {
        let error = #expect(throws: CaptureError.self) { try configuration([(option.0, option.1)]) }
        #expect(error?.code == .noInput)
        #expect(error?.description == message)
    }

    @Test func `Files that a layer needs are checked before a camera is opened`() throws {
        mkfifo(folder.path + "/fifo.png", 0o600)
        for layer in ["ghost:lost.jpg", "image:lost.png", "image:pipelines", "image:fifo.png", "./lost.svg"] {
            let error = #expect(throws: CaptureError.self) { try configuration([("overlay", layer)]) }
            #expect(error?.code == .noInput)
            #expect(error?.subject == "--overlay")
        }
        let layers = try configuration([("overlay", "image:logo.png")]).overlay
        #expect(layers.map(\.content) == [.image(path: folder.path + "/logo.png")])
    }

    @Test func `Each layer has a unique name`() throws {
        let layers = try configuration([
            ("overlay", "face,face,card;name=face-2,image:logo.png,grid:thirds,grid:golden,text:a"),
            ("overlay", "text:b"),
        ]).overlay
        #expect(
            layers.map(\.name) == ["face", "face-2", "face-2-2", "logo", "grid", "grid-2", "text", "text-2"])
    }

    @Test func `Burn-in accepts the names of layers in the overlay, and other layers`() throws {
        let configuration = try configuration([
            ("overlay", "face;color=red,text:%H:%M;name=clock"), ("burn-in", "clock,face,card,grid:thirds"),
            ("appearance", "color=#0f0;stroke=6px"), ("appearance", "opacity=50%"),
        ])
        #expect(configuration.burnIn.map(\.name) == ["clock", "face", "card", "grid"])
        #expect(configuration.burnIn[0] == configuration.overlay[1])
        #expect(configuration.burnIn[1].style.color == Color(red: 1, green: 0, blue: 0))
        #expect(configuration.appearance.stroke == .pixels(6))
        #expect(configuration.appearance.opacity == 0.5)
    }

    @Test func `The appearance is merged key by key, and the layers as a whole`() throws {
        let lower = try CaptureSettings(options: [("appearance", "color=red;stroke=1px"), ("overlay", "face,card")])
        let upper = try CaptureSettings(environment: [
            "GST_CAPTURE_APPEARANCE": "color=blue", "GST_CAPTURE_OVERLAY": "grid:thirds",
        ])
        let merged = upper.merging(over: lower)
        #expect(merged.appearance?.color == Color(red: 0, green: 0, blue: 1))
        #expect(merged.appearance?.stroke == .pixels(1))
        #expect(merged.overlay?.count == 1)
    }

    @Test func `A preset whose aliases stand for too many values is refused`() {
        let values = (0..<3000).map { "k\($0): 1" }.joined(separator: ",")
        let list = Array(repeating: "*m", count: 7).joined(separator: ",")
        let text = "a: &m {\(values)}\nb: &l [\(list)]\nc: *l\nd: *l\n"
        #expect(throws: CaptureError.self) { try Preset(path: "p.yaml", bytes: Array(text.utf8)) }
    }
}
