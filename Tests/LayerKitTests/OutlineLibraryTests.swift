// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import LayerKit

@Suite struct `The library of outlines` {
    private let folder: TemporaryFolder
    private let library: OutlineLibrary

    init() throws {
        folder = try TemporaryFolder()
        library = OutlineLibrary(
            PresetSurroundings(
                workingFolder: folder.path + "/work", home: folder.path + "/home",
                executable: folder.path + "/prefix/bin/gst-capture"))
    }

    @Test func `SVG is found before PNG, and an installed outline before that of the working folder`() throws {
        let own = try folder.write("work/pipelines/outlines/cat.svg", "<svg/>")
        let picture = try folder.write("prefix/share/gst-capture/pipelines/outlines/cat.png", "PNG")
        #expect(try library.outline("cat").path == picture)
        let drawing = try folder.write(
            "prefix/share/gst-capture/pipelines/outlines/cat.svg", "<svg><title>A cat</title></svg>")
        #expect(try library.outline("cat").path == drawing)
        let entry = try #require(library.entries.first { $0.name == "cat" })
        #expect(entry.title == "A cat")
        #expect(entry.path == drawing)
        #expect(entry.shadowed == [picture, own])
    }

    @Test func `A file whose name has control characters is not listed`() throws {
        for name in ["good", "clear\u{1B}[2J", "two\nlines"] {
            try folder.write("work/pipelines/outlines/\(name).svg", "<svg/>")
        }
        let names = library.entries.map(\.name)
        #expect(names.contains("good") && names.allSatisfy { $0 == $0.withoutControls })
        #expect(throws: CaptureError.self) { try library.outline("two\nlines") }
    }

    @Test func `A path is accepted, and the outline has the name of the file`() throws {
        let path = try folder.write("work/mine.svg", "<svg/>")
        try folder.write("work/odd.txt", "<svg/>")
        #expect(try library.outline("mine.svg").path == path)
        #expect(try library.outline(path).name == "mine")
        #expect(try library.outline("./odd.txt").name == "odd.txt")
        let error = #expect(throws: CaptureError.self) { try library.outline("none.svg") }
        #expect(error?.code == .noInput)
        #expect(error?.description == folder.path + "/work/none.svg: there is no such file")
    }

    @Test func `A drawing is returned whole, or refused as too large`() throws {
        let drawing = "<svg>" + String(repeating: " ", count: 4 << 20)
        let whole = String(drawing.prefix(4 << 20))
        try folder.write("work/pipelines/outlines/large.svg", whole)
        try folder.write("work/pipelines/outlines/larger.svg", drawing)
        #expect(try library.text("large") == whole)
        let error = #expect(throws: CaptureError.self) { try library.text("larger") }
        #expect(error?.code == .noInput)
        #expect(error?.message == "is larger than 4 MiB")
    }

    @Test func `The error of a misspelled name suggests the nearest name`() throws {
        try folder.write("work/pipelines/outlines/passport.svg", "<svg/>")
        let error = #expect(throws: CaptureError.self) { try library.outline("pasport") }
        #expect(error?.code == .noInput)
        #expect(error?.description == #""pasport": there is no such outline; did you mean passport?"#)
    }

    @Test(arguments: ["..", ".", "", ".hidden", "f\0o", "fifo", "folder", "dangling"])
    func `Names that are paths or hidden, and files that are not regular, are refused`(name: String) throws {
        try folder.write("work/pipelines/outlines/.hidden.svg", "<svg/>")
        try folder.write("work/pipelines/outlines/folder.svg/x", "")
        try folder.link("work/pipelines/outlines/dangling.svg", to: "nowhere")
        mkfifo(folder.path + "/work/pipelines/outlines/fifo.svg", 0o600)
        let error = #expect(throws: CaptureError.self) { try library.outline(name) }
        #expect(error?.code == .noInput)
        #expect(!library.entries.contains { $0.name == name })
    }

    @Test(arguments: ["fifo.svg", "folder.svg", "/dev/zero", "a\0b.svg"])
    func `A path that is not a regular file is refused at once`(path: String) throws {
        try folder.write("work/folder.svg/x", "")
        mkfifo(folder.path + "/work/fifo.svg", 0o600)
        let error = #expect(throws: CaptureError.self) { try library.outline(path) }
        #expect(error?.code == .noInput)
    }

    @Test(arguments: [
        ("<svg><title>Face</title>", "Face"),
        (
            "<?xml version='1.0'?><!-- <title>no</title> --><svg><title\n id='t'> A &lt;b&gt;&amp;lt; </title>",
            "A <b>&lt;"
        ),
        ("<svg><titles>no</titles><title>Yes\n or\tno</title>", "Yes  or no"),
        ("<svg><title></title></svg>", nil), ("<svg><title>open", nil), ("<svg><title", nil),
        ("<!-- <title>x</title>", nil),
        ("", nil), ("<", nil), ("<title>\u{1b}[31mred</title>", "[31mred"),
    ])
    func `The title of a drawing is found`(svg: String, title: String?) {
        #expect(SVGTitle.find(in: Array(svg.utf8)) == title)
    }

    @Test func `Only the beginning of a drawing is read for its title`() throws {
        let noise = String(repeating: "<t<!-<title", count: 100_000)
        try folder.write("work/pipelines/outlines/noise.svg", noise + "<title>far</title>")
        #expect(try #require(library.entries.first { $0.name == "noise" }).title == nil)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let bytes = (0..<200).map { _ in "<>!-title &;lt\u{0}\u{ff}".utf8.randomElement(using: &random)! }
            _ = SVGTitle.find(in: bytes)
        }
    }
}
