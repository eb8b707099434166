// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import Testing

@testable import UploadKit

@Suite("The state of a picture at its targets")
struct UploadStateTests {
    private let folder: TemporaryFolder
    private let store: OutboxStore
    private let lane: OutboxStore.Lane
    private let ledger: String

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("garden/series.ledger", "")
        ledger = folder.path + "/garden/series.ledger"
        store = try OutboxStore(folder: folder.path + "/outbox")
        lane = OutboxStore.Lane(target: "nas", source: try store.source(ledger, identity: "1"))
    }

    /// A configuration that sends the garden to some of the targets.
    private func configuration(to targets: [String] = ["nas"]) throws -> OutboxConfiguration {
        var configuration = OutboxConfiguration(board: try #require(BoardName("board")))
        configuration.targets = ["archive", "nas", "web"].map {
            OutboxConfiguration.Target(UploadTarget(id: $0, service: .rclone, address: "remote:"))
        }
        configuration.routes = [.init(folder: folder.path + "/garden", targets: targets, series: "garden")]
        return configuration
    }

    private func states(
        _ line: Int, to targets: [String] = ["nas"], identity: String = "1", ledger: String? = nil,
        fileName: String = "1.jpg"
    ) throws -> [UploadState] {
        let line = UploadLine(line, of: ledger ?? self.ledger, identity: identity, fileName: fileName)
        return try store.states(of: line, try configuration(to: targets))
    }

    private func take(_ line: Int) throws -> UploadJob {
        let picture = UploadPicture(
            line: line, path: "/a/\(line).jpg", byteCount: 100, sha256: String(repeating: "ab", count: 32),
            taken: .test(0))
        return try #require(try store.take(line...line, [(picture, "a/\(line).jpg")], lane).first)
    }

    @Test func `A picture waits until the target has confirmed it`() throws {
        #expect(try states(1) == [UploadState(target: "nas", .waiting)])
        var job = try take(1)
        #expect(try states(1) == [UploadState(target: "nas", .waiting)])
        (job.state, job.failures, job.reason) = (.stored, 1, "the server does not answer")
        try store.update(job)
        #expect(try states(1) == [UploadState(target: "nas", .waiting, reason: "the server does not answer")])
        try store.finish(job, at: .test(1))
        #expect(try states(1) == [UploadState(target: "nas", .sent)])
        #expect(try states(2) == [UploadState(target: "nas", .waiting)])
    }

    @Test func `A dead picture has its reason, and a skipped one is not sent`() throws {
        var job = try take(1)
        (job.state, job.reason) = (.dead, "too large")
        try store.update(job)
        #expect(try states(1) == [UploadState(target: "nas", .dead, reason: "too large")])
        try store.skip(job)
        #expect(try states(1) == [UploadState(target: "nas", .skipped)])
    }

    @Test func `A picture waits for a target that does not know its ledger yet`() throws {
        try store.finish(try take(1), at: .test(0))
        let expected: [UploadState] = [.init(target: "archive", .waiting), .init(target: "nas", .sent)]
        #expect(try states(1, to: ["nas", "archive"]) == expected)
        // Another ledger at the same path.
        #expect(try states(1, identity: "2") == [UploadState(target: "nas", .waiting)])
    }

    @Test func `A picture that no route sends has no state`() throws {
        #expect(try states(1, to: []).isEmpty)
        #expect(try states(1, ledger: "/other/series.ledger").isEmpty)
        #expect(try states(1, fileName: "1.raw").isEmpty)
        #expect(try states(1, fileName: "1").isEmpty)
    }

    @Test func `A ledger is known by a link, too`() throws {
        try store.finish(try take(1), at: .test(0))
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/garden")
        #expect(try states(1, ledger: link + "/series.ledger") == [UploadState(target: "nas", .sent)])
    }
}
