// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Glibc
import Synchronization

/// The storage of a session: its folder, the saves of its record, and the events that wait for them.
///
/// Saves, removals and events are queued, and take effect one after the other: an event is emitted once all changes that
/// were queued before it are durable. After a save that failed, events wait until one succeeds.
actor SessionStorage {
    private let configuration: SessionConfiguration
    private let session: SessionDescription
    private let broadcast: EventBroadcast<SessionEvent>
    private nonisolated let queue = Mutex(TaskChain())
    private var folder: SessionFolder
    /// The temporary folder around ``folder`` if pictures go to the caller; both exist only while the session runs.
    private var shelter: String?
    /// The error of the last save, and the events that wait for one that succeeds.
    private var failure: CaptureError?
    private var waiting: [SessionEvent] = []
    private var isExposureReported = false

    init(
        _ session: SessionDescription, _ configuration: SessionConfiguration, _ broadcast: EventBroadcast<SessionEvent>
    ) {
        (self.session, self.configuration, self.broadcast) = (session, configuration, broadcast)
        folder = SessionFolder(in: ".", session: session.name, definition: configuration.definition?.text)
    }

    /// The path of the folder; `nil` before it is created, and if pictures go to the caller.
    var path: String? {
        get async { shelter == nil ? await folder.madePath : nil }
    }

    private var stages: [String] { session.stages.map(\.name) }

    // MARK: The begin

    /// Prepares the folder, or opens that of an earlier run.
    ///
    /// - Returns: The record of the earlier run, and the names of its files that do not exist.
    func prepare() async throws(CaptureError) -> (record: SessionRecord, missing: Set<String>)? {
        var earlier: (record: SessionRecord, missing: Set<String>)?
        switch configuration.output {
        case .folder(let parent): folder = makeFolder(in: parent)
        case .caller:
            let shelter = try await BlockingWork.run { () throws(CaptureError) in try Self.makeShelter() }
            (self.shelter, folder) = (shelter, makeFolder(in: shelter))
        case .resumed(let path): earlier = try await resume(path)
        }
        try await folder.prepare()
        return earlier
    }

    private func makeFolder(in parent: String) -> SessionFolder {
        SessionFolder(
            in: parent, session: session.name, definition: configuration.definition?.text,
            begun: configuration.wallClock(), disk: configuration.disk)
    }

    private func resume(_ path: String) async throws(CaptureError) -> (record: SessionRecord, missing: Set<String>) {
        let disk = configuration.disk
        let (folder, record) = try await BlockingWork.run { () throws(CaptureError) in
            (try SessionFolder.open(path, disk: disk), try SessionRecord(path: path + "/" + SessionRecord.fileName))
        }
        if let ending = record.progress.ending { throw .isOver(path, ending) }
        // The folder of another session stays unchanged, even if the call fails.
        try record.progress.check(against: session)
        await folder.restrict(of: stages)
        let missing = try await folder.missing(of: record.stills.values.flatMap(\.files))
        self.folder = folder
        return (record, missing)
    }

    /// Makes a temporary folder for pictures that only the caller gets: in memory, if the system has a folder for that.
    private static func makeShelter() throws(CaptureError) -> String {
        let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array("\(runtime)/gst-capture-XXXXXX".utf8CString)
        guard let path = mkdtemp(&name) else { throw .file(errno, runtime, "cannot be written") }
        return String(cString: path)
    }

    /// Removes pictures of the session that are not in its record.
    func removeStrays(but known: [SessionStill]) async throws(CaptureError) {
        try await folder.removeStrays(of: stages, but: Set(known.flatMap(\.files).map(\.name)))
    }

    // MARK: The queue

    /// Queues work after all pending changes.
    nonisolated func add(_ work: @escaping @Sendable () async -> Void) { queue.withLock { $0.add(work) } }

    /// Returns when all changes that were queued so far are durable, or have failed.
    func settle() async { await queue.withLock { $0 }.finish() }

    /// Names the folder after the time at which the session began.
    nonisolated func begin(at time: WallTime) {
        add { [self] in await folder.begin(at: time) }
    }

    /// Replaces the record.
    nonisolated func save(_ record: SessionRecord) {
        add { [self] in await write(record) }
    }

    /// Emits an event when all changes so far are durable.
    nonisolated func emitWhenDurable(_ event: SessionEvent) {
        add { [self] in await emit(event) }
    }

    /// Emits a picture, with the path of its folder, when all changes so far are durable.
    nonisolated func emitWhenDurable(_ still: SessionStill) {
        add { [self] in await emit(.captured(still, folder: path)) }
    }

    /// Removes pictures, and emits that. After a failed save the record on disk still lists them, so they stay; they are
    /// strays, which are removed later.
    nonisolated func remove(_ stills: [SessionStill]) {
        add { [self] in await removeNow(stills) }
    }

    private func write(_ record: SessionRecord) async {
        do throws(CaptureError) {
            try await folder.save(record)
            failure = nil
            if await folder.isExposed { emitExposure(await folder.path) }
            for event in waiting { broadcast.emit(event) }
            waiting = []
        } catch {
            if failure == nil { broadcast.emit(.notice(Notice(.sessionNotSaved, error))) }
            failure = error
        }
    }

    /// Reports once that pictures cannot be kept private.
    private func emitExposure(_ path: String) {
        guard !isExposureReported else { return }
        isExposureReported = true
        broadcast.emit(
            .notice(
                Notice(
                    .folderExposed, "other users can read the pictures: its permissions cannot be set", subject: path,
                    advice: "use another folder")))
    }

    private func emit(_ event: SessionEvent) {
        if failure == nil { broadcast.emit(event) } else { waiting.append(event) }
    }

    private func removeNow(_ stills: [SessionStill]) async {
        let names = stills.flatMap(\.files).map(\.name)
        guard failure == nil, !names.isEmpty else { return }
        do throws(CaptureError) {
            try await folder.remove(names)
            broadcast.emit(.removed(numbers: stills.map(\.number), files: names))
        } catch {
            broadcast.emit(.notice(Notice(.pictureNotRemoved, error)))
        }
    }

    // MARK: Pictures

    /// Writes a picture, and returns its path.
    func add(_ bytes: [UInt8], as name: String) async throws(CaptureError) -> String {
        try await folder.add(bytes, as: name)
    }

    /// Returns a picture for the outcome, with its bytes if it goes to the caller.
    func picture(_ still: SessionStill) async -> SessionOutcome.Picture {
        guard shelter != nil else { return SessionOutcome.Picture(still: still, bytes: nil, crop: nil) }
        let bytes = try? await folder.read(still.file.name)
        let crop: [UInt8]? = if let crop = still.crop { try? await folder.read(crop.file.name) } else { nil }
        return SessionOutcome.Picture(still: still, bytes: bytes, crop: crop)
    }

    // MARK: The end

    /// Waits for all changes. If the last save failed, saves this record.
    ///
    /// - Returns: The error if the record is not saved.
    func finish(_ record: SessionRecord) async -> CaptureError? {
        await settle()
        if failure != nil { await write(record) }
        return failure
    }

    /// Removes files that do not belong to the session, and closes the folder.
    ///
    /// - Parameters:
    ///   - kept: The pictures that belong to the session.
    ///   - isCancelled: `true` to remove pictures that came after they were canceled.
    ///   - isEmpty: `true` to remove the folder.
    /// - Returns: The path of the folder; `nil` if it was removed.
    func close(keeping kept: [SessionStill], isCancelled: Bool, isEmpty: Bool) async -> String? {
        let isCleared = shelter != nil || isEmpty
        if isCleared || isCancelled { try? await removeStrays(but: shelter == nil ? kept : []) }
        if isCleared { await folder.clear() }
        let path = await folder.path
        await folder.close()
        if let shelter { await BlockingWork.run { _ = rmdir(shelter) } }
        return isCleared ? nil : path
    }
}

extension CaptureError {
    static func isOver(_ path: String, _ ending: SessionProgress.Ending) -> CaptureError {
        CaptureError(
            .usage, "the session is over: it was \(ending.rawValue)", subject: path,
            advice: "begin another with gst-capture session run")
    }
}
