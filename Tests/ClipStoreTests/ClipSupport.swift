// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import DatabaseKit
import Foundation
import LedgerKit
import PipelineKit
import StillKit
import Synchronization
import Testing

@testable import ClipKit
@testable import ClipList
@testable import ClipStore

/// The reports of a folder.
final class Reports: Sendable {
    private let list = Mutex<[ClipFolder.Report]>([])

    func add(_ report: ClipFolder.Report) { list.withLock { $0.append(report) } }

    /// The clips that were removed or recovered, as `ID state`, and the codes of notices.
    var words: [String] {
        list.withLock { list in
            list.map { report in
                switch report {
                case .recovered(let clip), .removed(let clip): "\(clip.id) \(clip.state.rawValue)"
                case .notice(let notice): notice.code.rawValue
                }
            }
        }
    }
}

/// A folder of clips of a test.
struct TestClips {
    /// The folder to which paths in the list are relative.
    let base: String
    let reports = Reports()
    let names: FileNameTemplate
    private let folder: TemporaryFolder?

    /// The size of ``complete(_:in:bytes:)`` without another one.
    static let byteCount = 1000

    init() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        try self.init(in: folder.path + "/clips", folder)
    }

    /// - Parameter owner: Removes the folder at its end; `nil` if something else does.
    init(in base: String, _ owner: TemporaryFolder? = nil) throws {
        (self.base, folder) = (base, owner)
        names = try FileNameTemplate(parsing: base + "/%n.mp4")
    }

    func path(_ number: Int) -> String { "\(base)/\(number).mp4" }

    /// Begins a process that records.
    func open(
        _ limits: StorageLimits = StorageLimits(), mount: String? = nil, now: WallTime = .test(0),
        sent: (any SentPictures)? = nil
    ) async throws -> ClipFolder {
        let clips = ClipFolder(
            names, StoragePolicy(mount: mount, limits: limits),
            clock: { AgeClock(AgeClock.Reading(wall: now.seconds, steady: 1_000_000, isSynchronized: true)) },
            sent: { sent }, report: { [reports] in reports.add($0) })
        try await clips.open()
        return clips
    }

    /// Opens the list as a process does that is killed afterward.
    func account(_ access: Database.Access = .create) throws -> ClipAccount {
        let path = ClipFolder.accountPath(for: names)
        try StillFolder.make(StillFolder.path(of: path))
        return try ClipAccount(path, base: base, access)
    }

    static let format = ClipFormat(width: 320, height: 240, bitRate: 1, encoder: "test")

    /// Plans a clip whose file has no bytes yet.
    @discardableResult
    func begin(_ number: Int, in clips: ClipFolder, at start: WallTime = .test(0)) async throws -> Int {
        let id = try await clips.begin(path(number), start: start, format: Self.format)
        try write(number, bytes: 0)
        return id
    }

    /// Records a clip.
    func complete(
        _ number: Int, in clips: ClipFolder, at start: WallTime = .test(0), bytes: Int = TestClips.byteCount
    ) async throws {
        try await begin(number, in: clips, at: start)
        try await end(number, in: clips, at: start, bytes: bytes)
    }

    /// Completes a clip that was begun.
    func end(
        _ number: Int, in clips: ClipFolder, at start: WallTime = .test(0), bytes: Int = TestClips.byteCount
    ) async throws {
        try write(number, bytes: bytes)
        try await clips.complete(
            Clip(
                path: path(number), start: start, duration: .seconds(2), frameCount: 60, droppedCount: 1,
                soundDuration: nil, byteCount: bytes, width: 320, height: 240, ending: .stopped))
    }

    func write(_ number: Int, bytes: Int) throws {
        try StillFolder.make(base)
        try Data(repeating: 1, count: bytes).write(to: URL(filePath: path(number)))
    }

    func delete(_ number: Int) throws { try FileManager.default.removeItem(atPath: path(number)) }

    func exists(_ number: Int) -> Bool { DeviceFiles.exists(path(number)) }

    /// The IDs of the clips in the list, the newest first.
    func ids(_ clips: ClipFolder) async throws -> [Int] {
        try await clips.page(before: nil, limit: 100).map(\.id)
    }
}

/// A recording in fragments that a crash has cut off.
enum CutRecording {
    /// Skips tests on machines without the encoder.
    static let isPossible = ConditionTrait.enabled(
        if: ["openh264enc", "h264parse", "mp4mux"].allSatisfy { GStreamer.hasElement($0) },
        "openh264enc is missing; run scripts/setup test")

    /// Records 60 pictures, and cuts the last fragment off.
    static func write(to path: String) async throws {
        let pipeline = try Pipeline(
            "videotestsrc num-buffers=60 ! video/x-raw,width=64,height=48,framerate=30/1 ! "
                + "openh264enc complexity=low gop-size=15 ! h264parse ! mp4mux fragment-duration=500 ! "
                + "filesink location=\(path) buffer-mode=unbuffered")
        let messages = pipeline.bus.messages()
        try await pipeline.play()
        try await awaiting("the end of the recording") {
            for await message in messages {
                switch message.content {
                case .endOfStream: return
                case .error(let error): throw error
                default: continue
                }
            }
        }
        try await pipeline.stop()
        let bytes = try Data(contentsOf: URL(filePath: path))
        try bytes.dropLast(400).write(to: URL(filePath: path))
    }
}
