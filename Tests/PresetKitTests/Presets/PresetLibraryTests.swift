// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import PresetKit
import Testing

@Suite("The library of presets")
struct PresetLibraryTests {
    private let folder: TemporaryFolder
    private let library: PresetLibrary

    init() throws {
        folder = try TemporaryFolder()
        library = PresetLibrary(
            PresetSurroundings(
                workingFolder: folder.path + "/work", home: folder.path + "/home",
                executable: folder.path + "/prefix/bin/gst-capture"))
    }

    @Test("The user's preset overrides the installed one, and that overrides the working folder's")
    func order() throws {
        let own = try folder.write("work/pipelines/cam.yaml", "width: 1")
        #expect(try library.preset("cam").settings.width == 1)
        let installed = try folder.write("prefix/share/gst-capture/pipelines/cam.yaml", "width: 3")
        #expect(try library.preset("cam").settings.width == 3)
        let user = try folder.write("home/.config/gst-capture/cam.yaml", "width: 2")
        #expect(try library.preset("cam").settings.width == 2)
        let entry = try #require(library.entries.first { $0.name == "cam" })
        #expect(entry.path == user)
        #expect(entry.shadowed == [installed, own])
        #expect(try entry.preset.get().settings.width == 2)
    }

    @Test(
        "A preset of the working folder that runs commands or elements is refused by name and read by path",
        arguments: [
            ("exec-before: touch x", "exec-before"), ("exec-after: touch x", "exec-after"),
            ("exec-lost: touch x", "exec-lost"), ("exec-recovered: touch x", "exec-recovered"),
            ("source: videotestsrc", "source"), ("camera: scene\ndecode: filesink location=x", "decode"),
            ("source: videotestsrc\nexec-after: touch x", "source, exec-after"),
            ("preview-sink: filesink location=x", "preview-sink"), ("sound: wavenc ! filesink location=x", "sound"),
        ])
    func workingFolderRunsNothing(text: String, keys: String) throws {
        let path = try folder.write("work/pipelines/cam.yaml", text)
        let error = #expect(throws: CaptureError.self) { try library.preset("cam") }
        #expect(
            error?.description == """
                "cam": the preset in ./pipelines uses \(keys), which can run commands or GStreamer elements; \
                give its path if you trust it: ./pipelines/cam.yaml
                """)
        #expect(error?.code == .permission)
        let listed = try #require(library.entries.first { $0.name == "cam" })
        #expect(throws: CaptureError.self) { try listed.preset.get() }
        for named in ["./pipelines/cam.yaml", "pipelines/cam.yaml", path] {
            #expect(try library.preset(named).settings != CaptureSettings())
        }
        try folder.write("home/.config/gst-capture/cam.yaml", text)
        #expect(try library.preset("cam").settings != CaptureSettings())
    }

    @Test("A preset of the working folder may use the short names of sinks and sounds")
    func shortNames() throws {
        try folder.write("work/pipelines/cam.yaml", "preview-sink: none\nsound: auto")
        #expect(try library.preset("cam").settings.sound == "auto")
    }

    @Test("A link in the working folder to a folder of the user is searched as the user's")
    func linkedFolder() throws {
        try folder.write("home/.config/gst-capture/cam.yaml", "exec-after: touch x")
        try FileManager.default.createDirectory(atPath: folder.path + "/work", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/work/pipelines", withDestinationPath: folder.path + "/home/.config/gst-capture")
        #expect(try library.preset("cam").settings.execAfter == "touch x")
        #expect(library.entries.first { $0.name == "cam" }?.shadowed == [])
    }

    @Test("XDG_CONFIG_HOME replaces ~/.config if it is absolute")
    func configurationHome() throws {
        try folder.write("home/.config/gst-capture/cam.yaml", "width: 2")
        try folder.write("xdg/gst-capture/cam.yaml", "width: 4")
        var surroundings = PresetSurroundings(workingFolder: folder.path, home: folder.path + "/home")
        surroundings.configurationHome = folder.path + "/xdg"
        #expect(try PresetLibrary(surroundings).preset("cam").settings.width == 4)
        surroundings.configurationHome = "xdg"
        #expect(try PresetLibrary(surroundings).preset("cam").settings.width == 2)
    }

    @Test("A program that was built in a checkout finds the checkout's presets")
    func checkout() throws {
        try folder.write("tree/Package.swift", "")
        try folder.write("tree/pipelines/cam.yaml", "width: 5")
        let built = folder.path + "/tree/.build/x86_64-unknown-linux-gnu/release/gst-capture"
        let library = PresetLibrary(PresetSurroundings(workingFolder: "/", executable: built))
        #expect(try library.preset("cam").settings.width == 5)
        let inside = PresetLibrary(PresetSurroundings(workingFolder: folder.path + "/tree", executable: built))
        #expect(inside.entries.first { $0.name == "cam" }?.shadowed == [])
        try folder.write("tree/pipelines/cam.yaml", "source: videotestsrc")
        #expect(try inside.preset("cam").settings.source == "videotestsrc")
    }

    @Test("A path is relative to the working folder")
    func paths() throws {
        let path = try folder.write("work/mine.yaml", "width: 7")
        try folder.write("work/odd.txt", "width: 8")
        #expect(try library.preset("mine.yaml").settings.width == 7)
        #expect(try library.preset("./odd.txt").settings.width == 8)
        #expect(try library.preset(path).path == path)
    }

    @Test(
        "A name cannot lead outside of the folders of presets",
        arguments: ["..", ".", "", ".hidden", "mine", "pipelines", "c\0m", "cam ", "%2e%2e"])
    func traversal(name: String) throws {
        try folder.write("work/mine.yaml", "width: 7")
        try folder.write("work/pipelines/.hidden.yaml", "width: 7")
        try folder.write("work/pipelines/folder.yaml/x", "")
        let error = #expect(throws: CaptureError.self) { try library.preset(name) }
        #expect(error?.code == .noInput)
        #expect(!library.entries.contains { [".hidden", "folder"].contains($0.name) })
    }

    @Test("The error of a misspelled name suggests the nearest one")
    func advice() throws {
        try folder.write("work/pipelines/document-scanner.yaml", "width: 7")
        let error = #expect(throws: CaptureError.self) { try library.preset("docment-scanenr") }
        #expect(
            error?.description == #""docment-scanenr": there is no such preset; did you mean document-scanner?"#)
        let missing = #expect(throws: CaptureError.self) { try library.preset("none.yaml") }
        #expect(missing?.description == folder.path + "/work/none.yaml: there is no such file")
    }

    @Test("A preset with an error is listed with that error, and hides no other")
    func badPresets() throws {
        try folder.write("work/pipelines/bad.yaml", "widht: 7")
        try folder.write("work/pipelines/good.yaml", "width: 7")
        let own = library.entries.filter { $0.path.hasPrefix(folder.path) }
        #expect(own.map(\.name) == ["bad", "good"])
        #expect(throws: CaptureError.self) { try own[0].preset.get() }
        #expect(try own[1].preset.get().name == "good")
        let errors = Preset.errors(inFile: own[0].path)
        #expect(errors.map(\.subject) == [own[0].path + ":1:1"])
        #expect(Preset.errors(inFile: own[1].path).isEmpty)
    }
}
