// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import PresetKit

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

    @Test func `finds SVG before PNG, and the installed outline before the working folder's`() throws {
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

    @Test func `takes a path as a path, and names the outline after the file`() throws {
        let path = try folder.write("work/mine.svg", "<svg/>")
        try folder.write("work/odd.txt", "<svg/>")
        #expect(try library.outline("mine.svg").path == path)
        #expect(try library.outline(path).name == "mine")
        #expect(try library.outline("./odd.txt").name == "odd.txt")
        let error = #expect(throws: CaptureError.self) { try library.outline("none.svg") }
        #expect(error?.code == .noInput)
        #expect(error?.description == folder.path + "/work/none.svg: there is no such file")
    }

    @Test func `returns a text whole, or refuses it as too large`() throws {
        let drawing = "<svg>" + String(repeating: " ", count: 4 << 20)
        let whole = String(drawing.prefix(4 << 20))
        try folder.write("work/pipelines/outlines/large.svg", whole)
        try folder.write("work/pipelines/outlines/larger.svg", drawing)
        #expect(try library.text("large") == whole)
        let error = #expect(throws: CaptureError.self) { try library.text("larger") }
        #expect(error?.code == .noInput)
        #expect(error?.message == "is larger than 4 MiB")
    }

    @Test func `corrects a name that is nearly right`() throws {
        try folder.write("work/pipelines/outlines/passport.svg", "<svg/>")
        let error = #expect(throws: CaptureError.self) { try library.outline("pasport") }
        #expect(error?.code == .noInput)
        #expect(error?.description == #""pasport": there is no such outline; did you mean passport?"#)
    }

    @Test(arguments: ["..", ".", "", ".hidden", "f\0o", "fifo", "folder", "dangling"])
    func `a name leads nowhere else`(name: String) throws {
        try folder.write("work/pipelines/outlines/.hidden.svg", "<svg/>")
        try folder.write("work/pipelines/outlines/folder.svg/x", "")
        try folder.link("work/pipelines/outlines/dangling.svg", to: "nowhere")
        mkfifo(folder.path + "/work/pipelines/outlines/fifo.svg", 0o600)
        let error = #expect(throws: CaptureError.self) { try library.outline(name) }
        #expect(error?.code == .noInput)
        #expect(!library.entries.contains { $0.name == name })
    }

    @Test(arguments: ["fifo.svg", "folder.svg", "/dev/zero", "a\0b.svg"])
    func `what is no regular file is refused at once`(path: String) throws {
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
    func `finds a title`(svg: String, title: String?) {
        #expect(SVGTitle.find(in: Array(svg.utf8)) == title)
    }

    @Test func `reads no more of a drawing than titles need, whatever is in it`() throws {
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
