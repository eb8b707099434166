// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipKit
import ClipList
import Glibc
import StillKit
import SystemBase
import VideoKit

/// The clips of a camera on the disk: it accounts for them, keeps their limits, removes them on request, and repairs them
/// after a crash. It reads no folder.
///
/// One process at a time records into a list; a lock excludes others. The actor runs on a thread that may block.
/// ``page(before:limit:)`` and ``clip(_:)`` do not wait for it.
package actor ClipFolder {
    /// A change that no request has caused, or a notice.
    package enum Report: Sendable {
        /// A crash left the clip unfinished, and its state is known now: `repaired` or `gone`.
        case recovered(StoredClip)
        /// A limit or a request removed the clip.
        case removed(StoredClip)
        case notice(Notice)
    }

    /// Finds the clips that an outbox has sent; `nil` if none sends them. Blocks.
    package typealias FindSent = @Sendable () throws(CaptureError) -> (any SentPictures)?

    private let executor = BlockingExecutor("gst-capture.clips")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let files: ClipFiles
    private nonisolated let accountPath: String
    private let policy: StoragePolicy
    private let limits: ClipLimits
    private let clock: @Sendable () -> AgeClock
    private let findSent: FindSent
    private let report: @Sendable (Report) -> Void
    private var mountGuard: MountGuard
    /// The clips that an outbox has sent; `nil` without an outbox.
    private var sent: (any SentPictures)?
    /// The last fault of the outbox, which is reported once.
    private var sentFault: CaptureError?
    private var account: ClipAccount?
    private var lock: FileLock?
    /// The file of the list that is open.
    private var identity: ClipFiles.Identity?
    private var isClosed = false
    /// The clips of this process that are being recorded, by their paths.
    private var running: [String: StoredClip] = [:]
    private var isClockDoubted = false
    /// The clips that could not be removed, each of which is reported once.
    private var refused: Set<Int> = []

    /// The most clips that one call removes, because the next clip must not wait for all.
    private static let mostRemoved = 64

    /// Prepares a folder; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - names: The absolute names of the files.
    ///   - clock: Returns the clock for the age of clips; tests replace it.
    ///   - sent: Finds the clips that an outbox has sent, when the list is opened.
    ///   - report: Receives changes and notices, on the thread of the actor. It must not wait.
    package init(
        _ names: FileNameTemplate, _ policy: StoragePolicy,
        clock: @escaping @Sendable () -> AgeClock = { .current() }, sent: @escaping FindSent = { nil },
        report: @escaping @Sendable (Report) -> Void
    ) {
        files = ClipFiles(names.baseFolder)
        accountPath = Self.accountPath(for: names)
        (self.policy, self.clock, findSent, self.report) = (policy, clock, sent, report)
        limits = ClipLimits(policy.limits)
        mountGuard = MountGuard(folder: names.baseFolder, mount: policy.mount)
    }

    /// Returns the path of the list of clips with these names: in a hidden folder beside them.
    package static func accountPath(for names: FileNameTemplate) -> String {
        let ledger = Ledger.standardPath(for: names)
        return (ledger.hasSuffix(".ledger") ? String(ledger.dropLast(7)) : ledger) + ClipReader.suffix
    }

    /// Repairs the clips that a crash left unfinished. Call it once, before the first recording. A folder without a list
    /// is left alone.
    ///
    /// - Throws: `CaptureError` if the mount is not there, another process records into the list, or the list cannot be
    ///   used. The next clip tries again.
    package func open() throws(CaptureError) {
        try mountGuard.checkMount()
        guard DeviceFiles.exists(accountPath) else { return }
        _ = try opened()
    }

    /// Closes the list, and lets other processes record into it. Later changes are refused.
    package func close() {
        isClosed = true
        letGo()
    }

    /// Returns the list of this process. Opens or creates it if it is not open, and repairs its clips.
    private func opened() throws(CaptureError) -> ClipAccount {
        guard !isClosed else {
            throw CaptureError(
                .temporary, "the list of clips is closed", subject: accountPath, advice: "request it again")
        }
        do throws(CaptureError) {
            try mountGuard.check()
        } catch {
            release()
            throw error
        }
        if let account {
            if identity == ClipFiles.Identity(of: accountPath) { return account }
            // The user moved the list away: changes of it would be lost.
            release()
        }
        if sent == nil { sent = try findSent() }
        let folder = StillFolder.path(of: accountPath)
        try StillFolder.make(folder)
        guard let lock = try FileLock(accountPath + "-lock") else { throw .clipsInUse(accountPath) }
        let account = try ClipAccount(accountPath, base: files.folder, .create)
        try StillFolder.sync(folder)
        mountGuard.begin()
        (self.account, identity) = (account, ClipFiles.Identity(of: accountPath))
        self.lock = consume lock
        try performing { account throws(CaptureError) in try recover(account) }
        return account
    }

    /// Performs a change of the list. After an error of its disk the list is closed: an open file keeps the user from
    /// unmounting the disk and mounting it again.
    private func performing<Result>(
        _ change: (ClipAccount) throws(CaptureError) -> Result
    ) throws(CaptureError) -> Result {
        let account = try opened()
        do throws(CaptureError) {
            return try change(account)
        } catch {
            if error.isOfStorage, !error.isFullDisk { release() }
            throw error
        }
    }

    private func release() {
        account?.abandon()
        letGo()
    }

    private func letGo() {
        account = nil
        lock = nil
    }
}

// MARK: - Reading

extension ClipFolder {
    /// Returns the clips whose files should exist, the newest first; none without a list. Does not wait for the actor.
    ///
    /// - Parameters:
    ///   - id: The ID that all clips of the page are below; `nil` for the first page.
    ///   - limit: The maximum number of clips.
    /// - Throws: `CaptureError` if the list cannot be read.
    package nonisolated func page(before id: Int?, limit: Int) async throws(CaptureError) -> [StoredClip] {
        try await reading { account throws(CaptureError) in try account.page(before: id, limit: limit) } ?? []
    }

    /// Returns a clip, also one that was removed; `nil` if there is none. Does not wait for the actor.
    ///
    /// - Throws: `CaptureError` if the list cannot be read.
    package nonisolated func clip(_ id: Int) async throws(CaptureError) -> StoredClip? {
        try await reading { account throws(CaptureError) in try account.clip(id) } ?? nil
    }

    /// Returns the present size of a file in bytes; `nil` if there is none. Does not wait for the actor.
    package nonisolated func byteCount(of path: String) async -> Int? {
        await BlockingWork.run { [files] in files.byteCount(path) }
    }

    private nonisolated func reading<Result: Sendable>(
        _ body: @escaping @Sendable (ClipAccount) throws(CaptureError) -> Result
    ) async throws(CaptureError) -> Result? {
        try await BlockingWork.run { [accountPath, files] () throws(CaptureError) in
            // A process that was killed before it wrote the tables leaves an empty file.
            guard files.byteCount(accountPath) ?? 0 > 0 else { return nil }
            return try body(try ClipAccount(accountPath, base: files.folder, .read))
        }
    }
}

// MARK: - Recordings

extension ClipFolder {
    /// Plans a clip, as ``ClipKit/ClipAccounting/plan(_:start:format:)`` does.
    ///
    /// - Returns: Its ID.
    func begin(_ path: String, start: WallTime, format: ClipFormat) throws(CaptureError) -> Int {
        try performing { account throws(CaptureError) in
            guard try !isTaken(path, account) else { throw .file(EEXIST, path, "") }
            try makeRoom(in: account)
            let id = try account.add(path, start: start, width: format.width, height: format.height)
            running[path] = StoredClip(id: id, path: path, start: start, width: format.width, height: format.height)
            return id
        }
    }

    /// Accounts for a clip of this process that is complete, and removes clips beyond the limits.
    func complete(_ clip: Clip) throws(CaptureError) {
        guard var row = running.removeValue(forKey: clip.path) else { throw .unlisted(clip.path) }
        (row.state, row.duration, row.frameCount) = (.complete, clip.duration, clip.frameCount)
        (row.droppedCount, row.soundDuration) = (clip.droppedCount, clip.soundDuration)
        (row.byteCount, row.reason, row.error) = (clip.byteCount, clip.ending.word, clip.ending.error?.description)
        try performing { account throws(CaptureError) in
            guard try account.end(row) else { throw .unlisted(clip.path) }
            guard limits.removes else { return }
            // The clip is complete in any case. A disk that refuses removals refuses the next clip.
            try? keepLimits(in: account, sparing: running.isEmpty ? row.id : nil)
        }
    }

    /// Accounts for a clip of this process that was not created or not completed. It never fails.
    func fail(_ path: String, because error: CaptureError) {
        guard var row = running.removeValue(forKey: path) else { return }
        _ = try? performing { account throws(CaptureError) in
            // The next start repairs a file that is there.
            if DeviceFiles.exists(path) { return try account.note(error.description, about: row.id) }
            (row.state, row.error) = (.gone, error.description)
            try account.end(row)
        }
    }

    /// Adds a movie that is complete already: the film of a day. A movie that the list has is not added again.
    ///
    /// - Parameters:
    ///   - path: The absolute path of its file, in the folder of the clips.
    ///   - start: The moment by which it is listed.
    ///   - lackCount: The number of pictures that it lacks; `nil` if that is unknown.
    /// - Returns: The clip, and `true` if the list did not have it.
    /// - Throws: `CaptureError` `.inputOutput` if the file is no movie that can be played, and the errors of the list.
    package func adopt(
        _ path: String, start: WallTime, lackCount: Int?
    ) throws(CaptureError) -> (film: StoredClip, isNew: Bool) {
        let facts = try files.facts(path)
        return try performing { account throws(CaptureError) in
            if let known = try account.newest(ofFile: path), known.isPlayable { return (known, false) }
            if limits.removes { try keepLimits(in: account, adding: 1) }
            let id = try account.add(path, start: start, width: facts.width, height: facts.height)
            var clip = StoredClip(id: id, path: path, start: start, width: facts.width, height: facts.height)
            guard try files.repair(&clip) else { throw .clipInUse(id) }
            if clip.isPlayable { clip.state = .complete }
            clip.droppedCount = lackCount
            try account.end(clip)
            return (clip, true)
        }
    }

    private func isTaken(_ path: String, _ account: ClipAccount) throws(CaptureError) -> Bool {
        if DeviceFiles.exists(path) { return true }
        return try account.unfinished().contains { $0.clip.path == path }
    }
}

// MARK: - Limits and removals

extension ClipFolder {
    /// Makes room for another clip, as the policy says.
    ///
    /// - Throws: `CaptureError` of the limit that refuses it.
    private func makeRoom(in account: ClipAccount) throws(CaptureError) {
        guard !policy.limits.isEmpty else { return }
        TrashFolder.makeRoom(around: files.folder) { limits.floor(under: $0) == nil }
        if limits.removes { try keepLimits(in: account, adding: 1) }
        if limits.prunes {
            if let error = try blockade(in: account) { throw error }
            if let error = limits.floor(under: DiskSpace(at: files.folder)) { throw error }
        } else {
            if let error = limits.exceeded(by: try usage(account), adding: 1) { throw error }
            if let error = try agedOldest(in: account) { throw error }
        }
    }

    /// Returns the error of a limit that only clips which have to stay could keep; `nil` if there is none.
    private func blockade(in account: ClipAccount) throws(CaptureError) -> CaptureError? {
        guard limits.keepsUnsent, let error = limits.exceeded(by: try usage(account), adding: 1),
            try account.oldest(after: 0) != nil, try oldestSent(after: 0, in: account) == nil
        else { return nil }
        return .unsentClips(error)
    }

    /// Removes the oldest complete clips while a limit is exceeded, and those that are too old: sent ones first.
    ///
    /// - Parameters:
    ///   - more: The number of clips that are about to begin.
    ///   - newest: The ID of a clip that stays in any case; `nil` for none.
    private func keepLimits(
        in account: ClipAccount, adding more: Int = 0, sparing newest: Int? = nil
    ) throws(CaptureError) {
        let clock = clock()
        reportDoubt(of: clock)
        refreshSent()
        var attemptsLeft = Self.mostRemoved
        for pass in limits.passes {
            var last = 0
            while attemptsLeft > 0, let clip = try oldest(pass, after: last, in: account), clip.id != newest {
                let isExceeded =
                    try pass.keepsTotals ? limits.exceeded(by: usage(account), adding: more) != nil : false
                if isExceeded || pass.maxAge.map({ ClipLimits.isOlder(clip, than: $0, by: clock) }) ?? false {
                    try removeOrReport(clip, account)
                } else if pass.maxAge == nil || !clock.isTrusted || clock.age(of: clip.start.seconds) != nil {
                    break
                }
                // A clip of unknown age, or one that cannot be removed, must not keep older ones.
                (last, attemptsLeft) = (clip.id, attemptsLeft - 1)
            }
        }
    }

    private func oldest(
        _ pass: ClipLimits.Pass, after id: Int, in account: ClipAccount
    ) throws(CaptureError) -> StoredClip? {
        try pass.isOfSent ? oldestSent(after: id, in: account) : account.oldest(after: id)
    }

    /// Returns the oldest clip after an ID that is sent; `nil` if there is none.
    private func oldestSent(after id: Int, in account: ClipAccount) throws(CaptureError) -> StoredClip? {
        try sent?.first(from: id + 1) { line throws(CaptureError) in
            try account.oldest(after: line - 1).map { ($0, $0.id) }
        }.picture
    }

    /// Reads the outbox if it has changed, and reports once that no clip counts as sent.
    private func refreshSent() {
        _ = sent?.refresh()
        let fault = sent?.fault
        if let fault, fault != sentFault { report(.notice(Notice(.outboxUnreadable, fault))) }
        sentFault = fault
    }

    private func agedOldest(in account: ClipAccount) throws(CaptureError) -> CaptureError? {
        try account.oldest(after: 0).flatMap { limits.aged($0, by: clock()) }
    }

    private func usage(_ account: ClipAccount) throws(CaptureError) -> ClipLimits.Usage {
        let running = try account.unfinished().filter(\.isRecording)
        return ClipLimits.Usage(
            count: account.totals.count + running.count,
            byteCount: running.reduce(account.totals.byteCount) { $0 + (files.byteCount($1.clip.path) ?? 0) },
            space: DiskSpace(at: files.folder))
    }

    /// Reports once that clips stay because their age is in doubt.
    private func reportDoubt(of clock: AgeClock) {
        guard limits.limitsAge, clock.isTrusted == isClockDoubted else { return }
        isClockDoubted = !clock.isTrusted
        guard isClockDoubted else { return }
        report(
            .notice(
                Notice(
                    .clockInDoubt, "is not known to be set: earlier clips are not removed because of their age",
                    subject: "the clock", advice: "synchronize it, or start gst-capture again if it is right")))
    }

    /// Removes a clip, or reports that this fails.
    ///
    /// - Throws: `CaptureError` if the disk refuses all removals.
    private func removeOrReport(_ clip: StoredClip, _ account: ClipAccount) throws(CaptureError) {
        // An attempt changes the list twice: of the clips that were refused, only the oldest is tried again.
        guard !refused.contains(clip.id) || clip.id == refused.min() else { return }
        do throws(CaptureError) {
            try remove(clip, account)
            reportIfUnsent(clip)
            if refused.contains(clip.id) { refused = [] }
        } catch {
            guard !error.isOfStorage else { throw error }
            if refused.insert(clip.id).inserted { report(.notice(Notice(.clipNotRemoved, error))) }
        }
    }

    private func reportIfUnsent(_ clip: StoredClip) {
        guard let sent, !sent.contains(clip.id) else { return }
        report(
            .notice(
                Notice(
                    .unsentRemoved, "was removed before it was sent", subject: clip.path,
                    advice: "gst-capture outbox list says why; keep-unsent: yes keeps such clips")))
    }

    /// Removes a clip on request. The removal is durable on return.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such clip, `.temporary` if it is being recorded, and the errors
    ///   of files.
    package func remove(_ id: Int) throws(CaptureError) {
        try mountGuard.checkMount()
        guard DeviceFiles.exists(accountPath) else { throw .unknownClip(id) }
        try performing { account throws(CaptureError) in
            guard let clip = try account.clip(id), clip.state != .removed, clip.state != .gone else {
                throw .unknownClip(id)
            }
            guard clip.state != .recording else { throw .clipInUse(id) }
            try remove(clip, isDeletion: true, account)
        }
    }

    /// Removes a clip: the list says so, then the file goes, then the list says that it is gone.
    private func remove(
        _ clip: StoredClip, isDeletion: Bool = false, _ account: ClipAccount
    ) throws(CaptureError) {
        do throws(CaptureError) {
            try account.beginRemoval(of: clip, isDeletion: isDeletion)
        } catch {
            // A full disk has no room for the list's journal, and the file makes it. A crash before the next step leaves
            // a clip without a file, which the limits remove.
            guard error.isFullDisk, try files.remove(clip) else { throw error }
            try account.beginRemoval(of: clip, isDeletion: isDeletion)
        }
        do throws(CaptureError) {
            try end(removalOf: clip, account)
        } catch {
            if DeviceFiles.exists(clip.path) { try account.cancelRemoval(of: clip) }
            throw error
        }
    }

    private func end(removalOf clip: StoredClip, _ account: ClipAccount) throws(CaptureError) {
        var removed = clip
        removed.state = try files.remove(clip) ? .removed : .gone
        try account.endRemoval(of: clip.id, as: removed.state)
        report(.removed(removed))
    }
}

// MARK: - Repair

extension ClipFolder {
    /// Ends the removals and repairs the recordings that a crash left unfinished. A clip whose disk fails stays as it is.
    private func recover(_ account: ClipAccount) throws(CaptureError) {
        for item in try account.unfinished() where running[item.clip.path] == nil {
            do throws(CaptureError) {
                switch item {
                case .removing(let clip): try end(removalOf: clip, account)
                case .recording(let clip): try recover(clip, account)
                }
            } catch {
                guard !error.isOfStorage || error.isFullDisk else { throw error }
                report(.notice(Notice(.clipNotFinished, error)))
            }
        }
    }

    private func recover(_ clip: StoredClip, _ account: ClipAccount) throws(CaptureError) {
        var repaired = clip
        do throws(CaptureError) {
            guard try files.repair(&repaired) else { return }
        } catch {
            // Other errors can end, and the next start tries again.
            guard error.code == .inputOutput, error.systemError == nil else { throw error }
            (repaired.state, repaired.error) = (.gone, error.description)
            report(.notice(Notice(.clipNotFinished, error)))
        }
        try account.end(repaired)
        report(.recovered(repaired))
    }
}
