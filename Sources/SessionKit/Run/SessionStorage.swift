// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Glibc
import Synchronization

/// The storage of a session: its folder, the saves of its record, and the events that wait for them.
///
/// Saves, removals and events are queued, and take effect one after the other: an event is emitted once all saves that
/// were queued before it are durable. After a save that failed, events and removals wait until one succeeds. Pictures
/// are not queued. File calls do not block the actor: they run on the executor of the folder, or on other threads.
actor SessionStorage {
    /// A step that follows a save.
    private enum Step: Sendable {
        case emission(SessionEvent)
        case removal([SessionStill])
    }

    private let configuration: SessionConfiguration
    private let session: SessionDescription
    private let broadcast: EventBroadcast<SessionEvent>
    private nonisolated let queue = Mutex(TaskChain())
    private var folder: SessionFolder
    /// The temporary folder around ``folder`` if pictures go to the caller; else `nil`. Both exist only while the
    /// session runs.
    private var shelter: String?
    /// The error of the last save; `nil` if it succeeded.
    private var failure: CaptureError?
    /// The steps that wait for a save that succeeds.
    private var waiting: [Step] = []
    /// Pictures that could not be removed; ``finish(_:)`` tries again.
    private var unremoved: [SessionStill] = []
    private var isExposureReported = false
    /// The path of ``folder`` once it has a record or a picture; `nil` before.
    private var made: String?

    init(
        _ session: SessionDescription, _ configuration: SessionConfiguration, _ broadcast: EventBroadcast<SessionEvent>
    ) {
        (self.session, self.configuration, self.broadcast) = (session, configuration, broadcast)
        folder = SessionFolder(in: ".", session: session.name, definition: configuration.definition?.text)
    }

    /// The path of the folder; `nil` before it is created, and if pictures go to the caller.
    var path: String? { shelter == nil ? made : nil }

    private var stages: SessionFileName.Stages { SessionFileName.Stages(session.stages) }

    // MARK: The beginning

    /// Prepares the folder, or opens that of an earlier run.
    ///
    /// - Returns: The record of the earlier run, and the names of its files that do not exist; `nil` for a new folder.
    /// - Throws: ``CaptureError`` if the folder cannot be created, written or resumed. No picture has changed then.
    func prepare() async throws(CaptureError) -> (record: SessionRecord, missing: Set<String>)? {
        switch configuration.output {
        case .folder(let parent): folder = makeFolder(in: parent)
        case .caller:
            let shelter = try await BlockingWork.run { () throws(CaptureError) in try Self.makeShelter() }
            (self.shelter, folder) = (shelter, makeFolder(in: shelter))
        case .resumed(let path): return try await resume(path)
        }
        try await folder.prepare()
        return nil
    }

    private func makeFolder(in parent: String) -> SessionFolder {
        SessionFolder(
            in: parent, session: session.name, definition: configuration.definition?.text,
            begun: configuration.wallClock(), policy: configuration.storage)
    }

    private func resume(_ path: String) async throws(CaptureError) -> (record: SessionRecord, missing: Set<String>) {
        let policy = configuration.storage
        let (folder, record) = try await BlockingWork.run { () throws(CaptureError) in
            (try SessionFolder.open(path, policy: policy), try SessionRecord(path: path + "/" + SessionRecord.fileName))
        }
        if let ending = record.progress.ending { throw .isOver(path, ending) }
        // `self.folder` is set last: if this call fails, `close` must not clear the folder.
        try record.progress.check(against: session)
        try await folder.prepare()
        await folder.restrict(of: stages)
        let missing = try await folder.missing(of: record.stills.values.flatMap(\.files))
        (self.folder, made) = (folder, path)
        return (record, missing)
    }

    /// Creates a temporary folder for pictures that go to the caller: in `XDG_RUNTIME_DIR`, which is usually in memory,
    /// or else in `/tmp`. It blocks.
    private static func makeShelter() throws(CaptureError) -> String {
        let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
        for parent in shelterParents(runtime: runtime) {
            var name = Array("\(parent)/gst-capture-XXXXXX".utf8CString)
            if let path = mkdtemp(&name) { return String(cString: path) }
        }
        throw .file(errno, "/tmp", "cannot be written")
    }

    /// Returns the folders for a shelter, best first. The XDG Base Directory Specification has programs ignore a path
    /// that is not absolute.
    ///
    /// - Parameter runtime: The value of `XDG_RUNTIME_DIR`; `nil` if it is not set.
    static func shelterParents(runtime: String?) -> [String] {
        [runtime].compactMap { $0 }.filter { $0.hasPrefix("/") } + ["/tmp"]
    }

    /// Removes all pictures of the session's stages from the folder, except for those in `known`.
    func removeStrays(but known: [SessionStill]) async throws(CaptureError) {
        try await folder.removeStrays(of: stages, but: Set(known.flatMap(\.files).map(\.name)))
    }

    // MARK: The queue

    /// Queues work after all pending changes.
    nonisolated func add(_ work: @escaping @Sendable () async -> Void) { queue.withLock { $0.add(work) } }

    /// Returns when all work that was queued so far is done. A save may have failed.
    nonisolated func settle() async { await queue.withLock { $0 }.finish() }

    /// Queues the name of the folder: the time at which the session began. A folder that exists keeps its name.
    nonisolated func begin(at time: WallTime) {
        add { [self] in await folder.begin(at: time) }
    }

    /// Queues a save of the record.
    nonisolated func save(_ record: SessionRecord) {
        add { [self] in await write(record) }
    }

    /// Emits an event when all saves so far are durable.
    nonisolated func emitWhenDurable(_ event: SessionEvent) {
        add { [self] in await follow(.emission(event)) }
    }

    /// Emits ``SessionEvent/captured(_:folder:)`` when all saves so far are durable.
    nonisolated func emitWhenDurable(_ still: SessionStill) {
        add { [self] in await follow(.emission(.captured(still, folder: path))) }
    }

    /// Removes pictures, and emits ``SessionEvent/removed(numbers:files:)``. After a failed save the record on disk
    /// still lists them, so they stay until a save succeeds. If a picture cannot be removed, emits a notice, and tries
    /// again at the end.
    nonisolated func remove(_ stills: [SessionStill]) {
        add { [self] in await follow(.removal(stills)) }
    }

    private func write(_ record: SessionRecord) async {
        do throws(CaptureError) {
            let place = try await folder.save(record)
            (failure, made) = (nil, place.path)
            if place.isExposed { emitExposure(place.path) }
            await performWaitingSteps()
        } catch {
            if failure == nil { broadcast.emit(.notice(Notice(.sessionNotSaved, error))) }
            failure = error
        }
    }

    private func performWaitingSteps() async {
        let steps = waiting
        waiting = []
        for step in steps { await perform(step) }
    }

    /// Performs a step now, or after the next save that succeeds.
    private func follow(_ step: Step) async {
        if failure == nil { await perform(step) } else { waiting.append(step) }
    }

    private func perform(_ step: Step) async {
        switch step {
        case .emission(let event): broadcast.emit(event)
        case .removal(let stills): await removeNow(stills)
        }
    }

    /// Emits one notice that other users can read the pictures.
    private func emitExposure(_ path: String) {
        guard !isExposureReported else { return }
        isExposureReported = true
        broadcast.emit(
            .notice(
                Notice(
                    .folderExposed, "other users can read the pictures: the folder's permissions cannot be set",
                    subject: path, advice: "use another folder")))
    }

    private func removeNow(_ stills: [SessionStill]) async {
        let names = stills.flatMap(\.files).map(\.name)
        guard !names.isEmpty else { return }
        do throws(CaptureError) {
            try await folder.remove(names)
            broadcast.emit(.removed(numbers: stills.map(\.number), files: names))
        } catch {
            unremoved += stills
            broadcast.emit(.notice(Notice(.pictureNotRemoved, error)))
        }
    }

    // MARK: Pictures

    /// Writes a picture of this size in pixels; returns the path of its folder, and its record.
    func add(
        _ bytes: [UInt8], as name: String, width: Int, height: Int
    ) async throws(CaptureError) -> (folder: String, file: SessionFileRecord) {
        let (place, file) = try await folder.add(bytes, as: name, width: width, height: height)
        made = place
        return (place, file)
    }

    /// Creates the folder if it does not exist; returns its path, for the file of a clip.
    func openFolder() async throws(CaptureError) -> String {
        let path = try await folder.open()
        made = path
        return path
    }

    /// Checks that the disk keeps enough space free after a file of this size.
    func checkSpace(for byteCount: Int) async throws(CaptureError) { try await folder.checkSpace(for: byteCount) }

    /// Returns the record of a clip's file, which is durable.
    func adopt(
        _ name: String, byteCount: Int, width: Int, height: Int
    ) async throws(CaptureError) -> (folder: String, file: SessionFileRecord) {
        let (place, file) = try await folder.adopt(name, byteCount: byteCount, width: width, height: height)
        return (place, file)
    }

    /// Removes the file of a clip that is not recorded. If that fails, it is removed when the session is resumed.
    func removeUnfinished(_ name: String) async {
        do throws(CaptureError) {
            try await folder.remove([name])
        } catch {
            broadcast.emit(.notice(Notice(.pictureNotRemoved, error)))
        }
    }

    /// Returns a picture for the outcome, with its bytes if it goes to the caller. The error is `nil` if all its files
    /// were read.
    func picture(_ still: SessionStill) async -> (picture: SessionOutcome.Picture, failure: CaptureError?) {
        guard shelter != nil else { return (SessionOutcome.Picture(still: still, bytes: nil, crop: nil), nil) }
        let (bytes, failure) = await read(still.file)
        let (crop, cropFailure) = await read(still.crop?.file ?? still.poster)
        var picture = SessionOutcome.Picture(still: still, bytes: bytes, crop: still.isClip ? nil : crop)
        if still.isClip { picture.poster = crop }
        var viewFailure: CaptureError?
        for view in still.views {
            let (bytes, failure) = await read(view.file)
            picture.views.append(bytes)
            viewFailure = viewFailure ?? failure
        }
        return (picture, failure ?? cropFailure ?? viewFailure)
    }

    private func read(_ file: SessionFileRecord?) async -> (bytes: [UInt8]?, failure: CaptureError?) {
        guard let file else { return (nil, nil) }
        do throws(CaptureError) {
            return (try await folder.read(file.name), nil)
        } catch {
            return (nil, error)
        }
    }

    // MARK: The end

    /// Waits for all changes. If the last save failed, saves this record. Then tries again to remove pictures that
    /// could not be removed.
    ///
    /// - Returns: The error if the record is not saved. The events and removals that wait for it are dropped.
    func finish(_ record: SessionRecord) async -> CaptureError? {
        await settle()
        if failure != nil { await write(record) }
        let stills = unremoved
        unremoved = []
        await follow(.removal(stills))
        return failure
    }

    /// Closes the folder before the session was prepared. Removes nothing from a folder that was to be resumed.
    ///
    /// - Returns: The path of that folder; `nil` for a new session.
    func abandon() async -> String? {
        guard case .resumed(let path) = configuration.output else {
            return await close(keeping: [], isCancelled: true, isEmpty: true).path
        }
        await folder.close()
        return path
    }

    /// Closes the folder. Before that, a canceled session removes its pictures except for `kept`. A session that keeps
    /// nothing, or whose pictures go to the caller, removes the folder.
    ///
    /// - Parameters:
    ///   - kept: The pictures that belong to the session.
    ///   - isCancelled: `true` to remove all other pictures of the session's stages.
    ///   - isEmpty: `true` to remove them and the folder.
    /// - Returns: The path of the folder; `nil` if it was to be removed, or never had a record or a picture. The error
    ///   if files could not be removed.
    func close(
        keeping kept: [SessionStill], isCancelled: Bool, isEmpty: Bool
    ) async -> (path: String?, failure: CaptureError?) {
        let isCleared = shelter != nil || isEmpty || made == nil
        var failure: CaptureError?
        do throws(CaptureError) {
            if isCleared || isCancelled { try await removeStrays(but: shelter == nil ? kept : []) }
            if isCleared { try await folder.clear() }
        } catch {
            failure = error
        }
        await folder.close()
        if let shelter { await BlockingWork.run { _ = rmdir(shelter) } }
        return (isCleared ? nil : made, failure)
    }
}

extension CaptureError {
    static func isOver(_ path: String, _ ending: SessionProgress.Ending) -> CaptureError {
        CaptureError(
            .usage, "the session is over: it was \(ending.rawValue)", subject: path,
            advice: "begin another with gst-capture session run")
    }
}
