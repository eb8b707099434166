// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import ServiceKit

@Suite("Series that clients create")
struct CreatedSeriesTests {
    private static let text =
        #"{"id": "quick", "camera": "garden", "interval": "5s", "count": 3, "days": ["mon", "tue"], "quality": 80}"#

    private static func read(_ text: String) throws -> CreatedSeries {
        try CreatedSeries(Array(text.utf8), file: "body")
    }

    @Test("The file of a series is read as the same series")
    func roundTrip() throws {
        let series = try Self.read(Self.text)
        #expect(series.id == "quick" && series.camera == "garden")
        let again = try Self.read(series.json.fileText)
        #expect(again.settings == series.settings && again.json.text == series.json.text)
    }

    @Test(
        "A text that is no series is refused with its mistakes",
        arguments: [
            "", "{", "[]", "null", "\u{0}", "{}", #"{"id": "a"}"#, #"{"camera": "garden"}"#,
            #"{"id": "", "camera": "garden"}"#, #"{"id": "../a", "camera": "garden"}"#,
            #"{"id": "a/b", "camera": "garden"}"#, #"{"id": 1, "camera": "garden"}"#,
            #"{"id": null, "camera": "garden"}"#, #"{"id": ["a"], "camera": "garden"}"#,
            #"{"id": "a", "id": "b", "camera": "garden"}"#, #"{"id": "a", "camera": "garden", "output": "/etc/x"}"#,
            #"{"id": "a", "camera": "garden", "ledger": "/etc/x"}"#,
            #"{"id": "a", "camera": "garden", "exec-after": "reboot"}"#,
            #"{"id": "a", "camera": "garden", "mount": "/"}"#, #"{"id": "a", "camera": "garden", "source": "fakesrc"}"#,
            #"{"id": "a", "camera": "garden", "burn-in": "ghost:/etc/passwd"}"#,
            #"{"id": "a", "camera": "garden", "interval": {"a": "b"}}"#,
            #"{"id": "a", "camera": "garden", "interval": [["5s"]]}"#,
            #"{"id": "a", "camera": "garden", "interval": "often"}"#,
            #"{"id": "a", "camera": "garden", "interval": null}"#,
            #"{"id": "a", "camera": "garden", "count": -1}"#,
            #"{"id": "\#(String(repeating: "a", count: 65))", "camera": "garden"}"#,
            String(repeating: "[", count: 10_000), String(repeating: " ", count: 20_000),
        ])
    func refused(text: String) {
        let error = #expect(throws: CaptureError.self) { try Self.read(text) }
        #expect(error?.code == .usage)
        #expect(error?.description.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" } == false)
    }

    @Test("A series needs a camera of the configuration, a free ID, and settings that fit together")
    func adding() throws {
        let folder = try TemporaryFolder()
        let configuration = try TestService.configuration(
            """
              garden: { source: FRAMES, output: "FOLDER/%n.jpg", series: { minute: { interval: 1m, output: "FOLDER/m/%n.jpg" } } }
            """, in: folder)
        let (added, errors) = configuration.adding(
            [
                try Self.read(Self.text), try Self.read(#"{"id": "minute", "camera": "garden", "interval": "1s"}"#),
                try Self.read(#"{"id": "garden", "camera": "garden", "interval": "1s"}"#),
                try Self.read(#"{"id": "desk", "camera": "desk", "interval": "1s"}"#),
                try Self.read(#"{"id": "single", "camera": "garden"}"#),
            ], in: "/state/pictures")
        #expect(added.cameras[0].series.map(\.id) == ["minute", "quick"])
        #expect(added.cameras[0].series[1].settings.output == "/state/pictures/quick/%Y-%m-%d/%H%M%S_%n.jpg")
        #expect(added.cameras[0].series[1].settings.keepFree == .share(0.05))
        #expect(errors.map(\.code) == [.cannotCreate, .cannotCreate, .noInput, .usage])
    }

    @Test("Files of series that cannot be read are reported, and the others are used")
    func folder() throws {
        let state = try TemporaryFolder()
        let folder = SeriesFolder(state: state.path)
        #expect(folder.read().series.isEmpty)
        try folder.write(try Self.read(Self.text))
        _ = try state.write("series/broken.json", "{")
        _ = try state.write("series/other.json", Self.text)
        let (series, errors) = folder.read()
        #expect(series.map(\.id) == ["quick"] && errors.count == 2)
        try folder.remove("quick")
        #expect(folder.read().series.isEmpty)
    }
}
