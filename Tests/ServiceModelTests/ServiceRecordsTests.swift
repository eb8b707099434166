// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import RecordKit
import Testing

@testable import ServiceModel

@Suite("Records of a service's configuration")
struct ServiceRecordsTests {
    private static let cameras = "cameras: {garden: {camera: scene}}\n"
    private static let kind = "title: Card\nfields: [{name: number}]\n"

    /// Reads a configuration; `FOLDER` stands for the folder of the kinds.
    private static func read(_ text: String) throws -> ServiceConfiguration {
        let folder = try TemporaryFolder()
        for name in ["card", "note", "blobs"] { try folder.write("\(name).yaml", kind) }
        try folder.write("desk.yaml", "stages: [{name: front}]\n")
        try folder.write("kiosk.yaml", "consent: {text: Yes, retention: 30d}\nstages: [{name: front}]\n")
        let text = (text + cameras).replacing("FOLDER", with: folder.path)
        return try ServiceConfiguration(path: "serve.yaml", bytes: Array(text.utf8))
    }

    @Test(
        "A service has the records of the kinds that its file names",
        arguments: [
            ("records: FOLDER/card.yaml\n", ["card"], String?.none),
            ("records: [FOLDER/note.yaml, FOLDER/card.yaml]\n", ["note", "card"], nil),
            ("records: {kinds: [FOLDER/card.yaml], folder: /srv/records}\n", ["card"], "/srv/records"),
        ])
    func kinds(_ text: String, _ kinds: [String], _ folder: String?) throws {
        let configuration = try Self.read(text)
        let records = try #require(configuration.records)
        #expect(records.kinds.map(\.id) == kinds && records.folder == folder)
        #expect(try records.folder(in: "/state") == folder ?? "/state/records")
        let place = folder.map { ", in \($0)" } ?? ""
        #expect(configuration.summary.hasSuffix("records: \(kinds.joined(separator: ", "))\(place)"))
    }

    @Test func `A service without the key has no records`() throws { #expect(try Self.read("").records == nil) }

    @Test(
        "A mistake names its place",
        arguments: [
            ("records: none-such\n", "serve.yaml:1:10: records:"),
            ("records: [FOLDER/card.yaml, FOLDER/card.yaml]\n", "serve.yaml:1:10: records: names a kind twice"),
            ("records: []\n", "records: names no kind"),
            ("records: {folder: /srv/records}\n", "records: names no kind"),
            ("records: {kinds: FOLDER/card.yaml, folder: srv}\n", "folder: is not an absolute path"),
            ("records: {kind: FOLDER/card.yaml}\n", "did you mean"),
            ("records: FOLDER/blobs.yaml\n", "is a name of the API"),
        ])
    func mistakes(_ text: String, _ message: String) throws {
        let error = #expect(throws: CaptureError.self) { try Self.read(text) }
        #expect(error?.code == .configuration && error?.description.contains(message) == true, "\(error as Any)")
    }

    @Test func `A session makes records of a kind of the service, unless its consent says when pictures are removed`()
        throws
    {
        func session(_ name: String, _ kind: String) throws -> ServiceSession? {
            let text = "desk: {session: FOLDER/\(name).yaml, output: FOLDER, record: \(kind)}"
            return try Self.read("records: FOLDER/card.yaml\nsessions: {\(text)}\n").sessions.first
        }
        #expect(try session("desk", "card")?.record == "card")
        for (name, kind, message) in [
            ("desk", "cart", "did you mean card?"), ("desk", "note", "is not a kind of this service"),
            ("kiosk", "card", "its consent says when pictures are removed"),
        ] {
            let error = #expect(throws: CaptureError.self) { try session(name, kind) }
            #expect(error?.description.contains(message) == true, "\(error as Any)")
        }
    }
}
