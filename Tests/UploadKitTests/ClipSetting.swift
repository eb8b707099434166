// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import ClipList
import DatabaseKit
import Glibc
import Testing

@testable import UploadKit

/// A folder with the list of a camera's clips, and a target.
final class ClipSetting: SenderSetting {
    let folder: TemporaryFolder
    let transport: FolderTransport
    var configuration: OutboxConfiguration
    private(set) var account: ClipAccount

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("target/.keep", "")
        try folder.write("door/.gst-capture/.keep", "")
        transport = FolderTransport(folder.path + "/target")
        configuration = OutboxConfiguration(board: try #require(BoardName("board")))
        let place = UploadTarget(id: "nas", service: .webdav(.init()), address: "http://127.0.0.1")
        var target = OutboxConfiguration.Target(place)
        target.parallel = 1
        target.name = try UploadName("{series}/{file}.{extension}")
        configuration.targets = [target]
        var route = OutboxConfiguration.Route(folder: folder.path + "/door", targets: ["nas"], series: "door")
        route.kind = .clips
        configuration.routes = [route]
        account = try Self.account(folder)
    }

    private static func account(_ folder: TemporaryFolder) throws -> ClipAccount {
        try ClipAccount(folder.path + "/door/.gst-capture/door.clips", base: folder.path + "/door", .create)
    }

    var list: String { account.path }

    /// The names of the files that the target has.
    var received: [String] { DeviceFiles.names(in: folder.path + "/target/door").sorted() }

    func path(_ name: String) -> String { folder.path + "/door/" + name }

    /// Begins a clip, as a service does.
    ///
    /// - Returns: Its ID.
    @discardableResult
    func begin(_ name: String) throws -> Int {
        try folder.write("door/" + name, "")
        return try account.add(path(name), start: .test(0), width: 320, height: 240)
    }

    /// Ends a clip.
    func end(_ id: Int, _ text: String? = nil, as state: StoredClip.State = .complete) throws {
        var clip = try #require(try account.clip(id))
        let name = String(clip.path.dropFirst(path("").utf8.count))
        let text = text ?? "clip " + name
        if state != .gone { try folder.write("door/" + name, text) }
        (clip.state, clip.byteCount) = (state, text.utf8.count)
        try account.end(clip)
    }

    /// Records a clip.
    @discardableResult
    func record(_ name: String, _ text: String? = nil) throws -> Int {
        let id = try begin(name)
        try end(id, text)
        return id
    }

    /// Removes a clip, as a service does.
    func remove(_ id: Int, isDeletion: Bool) throws {
        let clip = try #require(try account.clip(id))
        try account.beginRemoval(of: clip, isDeletion: isDeletion)
        unlink(clip.path)
        try account.endRemoval(of: id, as: .removed)
    }

    /// Changes the list as another program does.
    func change(_ statements: String) throws { try Database(list, .write).run(statements) }

    /// Makes the list again after it was removed.
    func makeList() throws { account = try Self.account(folder) }

    /// The lines that all targets have.
    var sentLines: [ClosedRange<Int>] {
        let lines = SentLines(of: list, [.init(ledger: list, target: "nas")], .clips, store: folder.path + "/outbox")
        _ = lines.refresh()
        return lines.ranges
    }
}
