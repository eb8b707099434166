// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import DatabaseKit
import Foundation
import LedgerKit
import Testing

@testable import UploadKit

@Suite("Lines that all targets have")
struct SentLinesTests {
    private let folder: TemporaryFolder
    private let ledger: String
    private let identity: String
    private let store: OutboxStore
    private let lane: OutboxStore.Lane

    init() async throws {
        folder = try TemporaryFolder(isInMemory: true)
        ledger = folder.path + "/garden/.gst-capture/garden.ledger"
        try folder.write("garden/.gst-capture/.keep", "")
        try await Self.begin(ledger)
        identity = try #require(try LedgerUploads(ledger)?.identity)
        store = try OutboxStore(folder: folder.path + "/outbox")
        lane = OutboxStore.Lane(target: "nas", source: try store.source(ledger, identity: identity))
    }

    private static func begin(_ path: String) async throws {
        let ledger = Ledger(path, series: .seconds(10))
        try await ledger.open()
        try await ledger.append([.picture(0, nil)])
        await ledger.close(.completed)
    }

    private func sent(_ targets: [String] = ["nas"], by path: String? = nil) -> SentLines {
        let lanes = targets.map { SentLines.Lane(ledger: path ?? ledger, target: $0) }
        return SentLines(of: ledger, lanes, store: folder.path + "/outbox")
    }

    private func ranges(_ lines: SentLines) -> [ClosedRange<Int>] {
        _ = lines.refresh()
        return lines.ranges
    }

    private func picture(_ line: Int) -> (picture: UploadPicture, name: String) {
        let picture = UploadPicture(
            line: line, path: "/a/\(line).jpg", byteCount: 100, sha256: String(repeating: "ab", count: 32),
            taken: .test(0))
        return (picture, "a/\(line).jpg")
    }

    @Test func `A line is sent when its job has ended, and not while it is open, dead or skipped`() throws {
        let lines = sent()
        #expect(ranges(lines).isEmpty)
        var jobs = try store.take(1...9, [picture(2), picture(4), picture(6)], lane)
        #expect(ranges(lines) == [1...1, 3...3, 5...5, 7...9])
        try store.finish(jobs[0], at: .test(0))
        jobs[1].state = .dead
        try store.update(jobs[1])
        try store.skip(jobs[2])
        #expect(ranges(lines) == [1...3, 5...5, 7...9])
        #expect(lines.lines(from: 4) == 5...5 && lines.lines(from: 10) == nil)
    }

    @Test func `Lines of pictures that are never sent count as skipped`() throws {
        _ = try store.take(1...9, [], lane, unsent: [9, 3, 4])
        #expect(ranges(sent()) == [1...2, 5...8])
    }

    @Test func `All targets must have a line`() throws {
        let other = OutboxStore.Lane(target: "archive", source: lane.source)
        _ = try store.take(1...9, [], lane)
        #expect(ranges(sent(["nas", "archive"])).isEmpty)
        _ = try store.take(5...20, [], other)
        #expect(ranges(sent(["nas", "archive"])) == [5...9])
        #expect(ranges(sent([])).isEmpty)
    }

    @Test func `Another ledger at the same path has no sent lines`() async throws {
        _ = try store.take(1...9, [], lane)
        #expect(ranges(sent()) == [1...9])
        for file in ["garden.ledger", "garden.ledger-wal", "garden.ledger-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path + "/garden/.gst-capture/" + file)
        }
        try await Self.begin(ledger)
        #expect(ranges(sent()).isEmpty)
        #expect(ranges(sent(by: "/elsewhere/garden.ledger")).isEmpty)
    }

    @Test func `A ledger that begins later is found`() async throws {
        let path = folder.path + "/garden/.gst-capture/late.ledger"
        let lines = SentLines(of: path, [.init(ledger: path, target: "nas")], store: folder.path + "/outbox")
        #expect(ranges(lines).isEmpty && lines.fault == nil)
        try await Self.begin(path)
        let identity = try #require(try LedgerUploads(path)?.identity)
        let late = OutboxStore.Lane(target: "nas", source: try store.source(path, identity: identity))
        _ = try store.take(1...2, [], late)
        #expect(ranges(lines) == [1...2])
    }

    @Test func `A store that is missing or something else has no lines, and stays as it is`() throws {
        let missing = SentLines(of: ledger, [.init(ledger: ledger, target: "nas")], store: folder.path + "/none")
        #expect(ranges(missing).isEmpty && missing.fault?.code == .noInput)
        #expect(!DeviceFiles.exists(folder.path + "/none"))
        for text in ["", "text that is no database at all, and long enough for a header of SQLite"] {
            try folder.write("other/outbox.db", text)
            let other = SentLines(of: ledger, [.init(ledger: ledger, target: "nas")], store: folder.path + "/other")
            #expect(ranges(other).isEmpty && other.fault?.code == .inputOutput)
            #expect(try String(contentsOfFile: folder.path + "/other/outbox.db", encoding: .utf8) == text)
        }
        let later = try Database(folder.path + "/later.db", .create)
        try later.run("CREATE TABLE a(b); PRAGMA application_id = 1; PRAGMA user_version = 1")
        let lines = SentLines(of: ledger, [.init(ledger: ledger, target: "nas")], store: folder.path)
        try FileManager.default.moveItem(atPath: folder.path + "/later.db", toPath: folder.path + "/outbox.db")
        #expect(ranges(lines).isEmpty && lines.fault?.message.contains("not an outbox") == true)
    }

    @Test func `Lines that were sent do not count any more when the store is lost`() throws {
        _ = try store.take(1...9, [], lane)
        let lines = sent()
        #expect(ranges(lines) == [1...9])
        try folder.remove("outbox")
        #expect(ranges(lines).isEmpty && lines.fault?.code == .noInput)
    }

    @Test func `The version changes with the lines, and the store is read only if it has changed`() throws {
        let lines = sent()
        _ = try store.take(1...9, [], lane)
        let version = lines.refresh()
        #expect(lines.refresh() == version)
        // A change of something else is no change of the lines.
        try store.put(TargetState(id: "nas"))
        #expect(lines.refresh() == version)
        _ = try store.take(10...10, [], lane)
        #expect(lines.refresh() != version && lines.ranges == [1...10])
    }

    @Test func `A million lines are a few ranges`() throws {
        _ = try store.take(1...1_000_000, [picture(7), picture(900_000)], lane)
        #expect(ranges(sent()) == [1...6, 8...899_999, 900_001...1_000_000])
    }
}

@Suite("Series of an outbox")
struct OutboxSeriesTests {
    private static let file = """
        targets:
          archive:
            s3: https://s3.example.com/photos
            key: A
            secret-file: /etc/secret
          nas:
            webdav: https://nas.local/photos
          web:
            http: https://example.org/upload
        send:
          - {from: FOLDER/garden, to: [archive, nas]}
          - {from: FOLDER/yard, to: [archive, web]}
          - {from: FOLDER/link, to: archive}
        """

    private let folder: TemporaryFolder
    private let configuration: OutboxConfiguration

    init() throws {
        folder = try TemporaryFolder()
        let text = Self.file.replacing("FOLDER", with: folder.path)
        configuration = try OutboxConfiguration(Array(text.utf8), file: "outbox.yaml")
    }

    private func error(
        _ name: String, names: String = "%n.jpg", ledger: String? = nil, needsProof: Bool = true
    ) -> String? {
        let place = folder.path + "/" + name
        let request = SentPicturesRequest(
            ledger: ledger ?? place + "/.gst-capture/\(names).ledger", names: place + "/" + names, folder: place,
            needsProof: needsProof, setting: "max-age-sent")
        do throws(CaptureError) {
            _ = try configuration.sentPictures(request, file: "outbox.yaml", store: folder.path)
            return nil
        } catch {
            #expect(error.code == .configuration)
            return error.description
        }
    }

    @Test func `A series that no entry covers is refused`() {
        #expect(error("garden") == nil)
        let found = error("field")
        #expect(
            found == "max-age-sent: outbox.yaml sends no pictures of \(folder.path)/field; write - from: "
                + "\(folder.path)/field below send:")
    }

    @Test func `A target that confirms by an answer alone is refused if the series needs proof`() {
        #expect(
            error("yard") == "web: confirms by an answer alone; max-age-sent needs a hash or reading back")
        #expect(error("yard", needsProof: false) == nil)
    }

    @Test(arguments: ["%n.webp", "%n.raw", "%n"]) func `Pictures that are not sent are refused`(names: String) {
        #expect(error("garden", names: names)?.contains("sends no pictures named") == true)
    }

    @Test func `Pictures outside of the folder of the ledger are refused`() {
        let found = error("field", ledger: folder.path + "/garden/a.ledger")
        #expect(found?.contains("outside of the folder of the ledger") == true)
    }

    @Test func `A route may name the folder by a link`() throws {
        try folder.write("real/.gst-capture/.keep", "")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/real")
        #expect(error("real") == nil)
    }
}
