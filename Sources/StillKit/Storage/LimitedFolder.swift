// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// A folder of pictures under a ``StoragePolicy``: it stores a picture with its side file only on the right disk and
/// within the limits, and removes pictures of its series to keep the limits.
///
/// It collects its removals, and the notices about pictures that it cannot remove, in order for ``drainReports()``.
/// Every call blocks.
package struct LimitedFolder: Sendable {
    /// A removal of pictures, or a notice for the user.
    package enum Report: Sendable {
        case removed([RemovedStill])
        case notice(Notice)
    }

    /// The most pictures that one call tries to remove, because the next picture must not wait for all. An attempt that
    /// fails takes as long as a removal: the file of a picture from an earlier process is read.
    private static let mostTried = 64

    /// The path of the folder.
    package let path: String
    /// The pictures of the series.
    package private(set) var inventory: SeriesInventory
    private let store: any StillStoring
    private let overwrites: Bool
    private var retention: Retention
    private var mountGuard: MountGuard
    /// Files that could not be removed yet.
    private var removals = PendingRemovals()
    private var reports: [Report] = []
    private var isClockDoubted = false
    /// The last fault of the outbox, which is reported once.
    private var sentFault: CaptureError?
    /// The limit at which the series ends, because room could be made only by pictures that have to stay.
    package private(set) var blockade: CaptureError?
    private let sent: (any SentPictures)?
    private let clock: @Sendable () -> AgeClock
    /// Called with each picture before its file is removed.
    package var plan: (@Sendable (RemovedStill) -> Void)?

    /// - Parameters:
    ///   - overwrites: `true` if pictures replace files, as `store` does.
    ///   - inventory: The earlier pictures of the series.
    ///   - sent: The pictures that an outbox has sent; `nil` without one.
    ///   - clock: Returns the clock for the age of pictures; tests replace it.
    package init(
        _ path: String, _ policy: StoragePolicy, _ store: any StillStoring, overwrites: Bool = false,
        inventory: SeriesInventory, sent: (any SentPictures)? = nil,
        clock: @escaping @Sendable () -> AgeClock = { .current() }
    ) {
        (self.path, self.store, self.overwrites, self.inventory) = (path, store, overwrites, inventory)
        (self.sent, self.clock) = (sent, clock)
        retention = Retention(policy.limits, sent: sent)
        mountGuard = MountGuard(folder: path, mount: policy.mount)
    }

    /// The limits of the pictures.
    package internal(set) var limits: StorageLimits {
        get { retention.limits }
        set { retention = Retention(newValue, sent: sent) }
    }

    /// The space of the disk; `nil` if it cannot be read.
    package var space: DiskSpace? { DiskSpace(at: path) }

    /// Returns the reports since the last call, in order.
    package mutating func drainReports() -> [Report] {
        defer { reports = [] }
        return reports
    }

    // MARK: The disk

    /// Checks that the required mount is there, before any folder is created.
    package func checkMount() throws(CaptureError) { try mountGuard.checkMount() }

    /// Creates the folder and remembers its file system.
    ///
    /// - Throws: ``CaptureError`` if the mount is not there, a limit is reached before the first picture, or the folder
    ///   cannot be created.
    package mutating func begin() throws(CaptureError) {
        try checkMount()
        try StillFolder.make(path)
        mountGuard.begin()
        if let error = reached(next: 0) { throw error }
    }

    /// Checks that the folder is still on the file system on which the series began.
    package mutating func checkDisk() throws(CaptureError) { try mountGuard.check() }

    /// Checks that a picture may be stored now, and makes room for it if the policy removes pictures.
    ///
    /// - Throws: ``CaptureError`` if the disk is gone, a limit is reached or the free space is too small.
    package mutating func admit(_ byteCount: Int) throws(CaptureError) {
        try checkDisk()
        keepFloorByTrash(byteCount)
        try keepFloor()
        if let error = reached(next: byteCount) { throw error }
    }

    // MARK: Pictures

    /// Writes a picture. Its side file, which describes the pixels, becomes durable before it. The picture's name is
    /// durable after ``StillStoring/makeDurable(_:)``.
    ///
    /// - Parameters:
    ///   - description: The content of the side file; `nil` for none.
    ///   - hasSideFile: `true` if an earlier attempt left the side file.
    /// - Throws: ``CaptureError`` with `EEXIST` if one of the names is taken. A side file that this call wrote is
    ///   removed then.
    package mutating func write(
        _ bytes: [UInt8], describedBy description: [UInt8]?, at path: String, hasSideFile: Bool = false
    ) throws(CaptureError) {
        guard let description else { return try store.place(bytes, at: path) }
        guard overwrites || !DeviceFiles.exists(path) else { throw .file(EEXIST, path, "") }
        let side = StillName.sidePath(of: path)
        do throws(CaptureError) {
            if !hasSideFile {
                try removals.makeWay(for: side, in: store)
                try store.place(description, at: side)
            }
            try store.makeDurable(side)
            try store.place(bytes, at: path)
        } catch {
            // A side file without a picture would block another picture's name. A side file of another picture stays.
            let isNeeded = error.systemError == EEXIST ? error.subject == side : DeviceFiles.exists(path)
            if !isNeeded { dropSideFile(side) }
            throw error
        }
    }

    /// Adds a stored picture to the series.
    ///
    /// - Parameter line: The picture's line in the ledger; `nil` if ``setLine(_:of:)`` follows.
    @discardableResult
    package mutating func record(
        _ path: String, _ byteCount: Int, captured: Int64, line: Int? = nil
    ) -> StoredStill {
        mountGuard.record(path, byteCount)
        var stored = StoredStill(
            ordinal: inventory.nextOrdinal, path: path, byteCount: byteCount, captured: captured)
        stored.ledgerLine = line
        stored.identity = limits.removes ? StoredStill.Identity(of: path) : nil
        inventory.append(stored)
        return stored
    }

    /// Sets the line of a stored picture, which must be greater than those of all other pictures.
    package mutating func setLine(_ line: Int, of ordinal: Int) { inventory.setLine(line, of: ordinal) }

    /// Removes a side file that no picture needs. If that fails, the removal is pending.
    package mutating func dropSideFile(_ path: String) { removals.drop(path, from: store) }

    /// Retries the removal of pending side files.
    package mutating func dropUnwanted() { removals.dropUnwanted(in: store) }
}

// MARK: - Limits

extension LimitedFolder {
    /// Returns the error that forbids another picture of this size; `nil` if it is allowed.
    package func reached(next byteCount: Int) -> CaptureError? {
        retention.reached(by: inventory, space, next: byteCount, by: clock())
    }

    /// Removes the pictures beyond the limits, if the policy removes pictures and some space must stay free.
    ///
    /// - Throws: ``CaptureError`` if the space is still too small after the removals of one call.
    package mutating func keepFloor() throws(CaptureError) {
        guard limits.keepFree != nil, limits.policy.removes else { return }
        keepLimits()
        guard let space, space.free < limits.floor(space) else { return }
        noteBlockade(.unsent("keep-free", ByteSize.text(limits.floor(space))))
        throw .floor(space, limits)
    }

    /// Keeps the error at which the series ends, if pictures that are not sent are the reason.
    private mutating func noteBlockade(_ error: CaptureError) {
        if retention.isBlocked(in: inventory) { blockade = error }
    }

    /// Removes the pictures beyond the limits.
    package mutating func keepLimits() {
        guard limits.removes, !limits.isEmpty else { return }
        if limits.policy.removes { keepFloorByTrash() }
        let clock = clock()
        reportDoubt(of: clock)
        remove(.max) { folder in folder.retention.next(in: folder.inventory, folder.space, by: clock) }
        reportSentFault()
    }

    /// Reports once that no picture counts as sent.
    private mutating func reportSentFault() {
        let fault = retention.sentFault
        if let fault, fault != sentFault { reports.append(.notice(Notice(.outboxUnreadable, fault))) }
        sentFault = fault
    }

    /// Reports once that pictures stay because their age is in doubt.
    private mutating func reportDoubt(of clock: AgeClock) {
        guard limits.maxAge != nil || limits.maxAgeSent != nil, clock.isTrusted == isClockDoubted else { return }
        isClockDoubted = !clock.isTrusted
        guard isClockDoubted else { return }
        reports.append(
            .notice(
                Notice(
                    .clockInDoubt, "is not known to be set: earlier pictures are not removed because of their age",
                    subject: "the clock", advice: "synchronize it, or start gst-capture again if it is right")))
    }

    /// Empties the trash if a picture of this size does not leave the space that must stay free.
    private func keepFloorByTrash(_ byteCount: Int = 0) {
        guard limits.keepFree != nil else { return }
        TrashFolder.makeRoom(around: path) { $0.free - byteCount >= limits.floor($0) }
    }

    /// Makes room for a picture on a full disk; `false` if nothing could be removed.
    package mutating func removeOldest(for byteCount: Int) -> Bool {
        if TrashFolder.makeRoom(around: path, until: { $0.free > byteCount }) > 0 { return true }
        if remove(byteCount, { folder in folder.retention.next(in: folder.inventory, because: .space) }) > 0 {
            return true
        }
        noteBlockade(.fullOfUnsent(path))
        return false
    }

    /// Removes pictures until this many bytes are freed, in up to `mostTried` attempts, and reports them.
    ///
    /// - Parameter next: Chooses the next picture.
    /// - Returns: The number of bytes removed.
    @discardableResult
    private mutating func remove(_ bytes: Int, _ next: (inout LimitedFolder) -> Retention.Removal?) -> Int {
        var (removed, attemptsLeft) = ([RemovedStill](), Self.mostTried)
        var freed: Int { removed.reduce(0) { $0 + $1.byteCount } }
        var isRefused = !retryRemovals(&removed, &attemptsLeft)
        while !isRefused, freed < bytes, attemptsLeft > 0 {
            let before = retention
            guard let removal = next(&self) else { break }
            attemptsLeft -= 1
            isRefused = !attempt(removal, &removed)
            // The next attempt chooses the same picture again.
            if isRefused { retention = before }
        }
        report(removed)
        return freed
    }

    private mutating func report(_ removed: [RemovedStill]) {
        if !removed.isEmpty { reports.append(.removed(removed)) }
        let unsent = removed.filter(\.isUnsent)
        guard let first = unsent.first else { return }
        let rest = unsent.count > 1 ? ", and \(unsent.count - 1) more" : ""
        reports.append(
            .notice(
                Notice(
                    .unsentRemoved, "was removed before it was sent" + rest, subject: first.path,
                    advice: "gst-capture outbox list says why; --keep-unsent keeps such pictures")))
    }

    /// Retries failed removals, until one fails again.
    ///
    /// - Returns: `false` if the disk refuses all removals.
    private mutating func retryRemovals(_ removed: inout [RemovedStill], _ attemptsLeft: inout Int) -> Bool {
        while attemptsLeft > 0, let removal = removals.next() {
            guard [.age, .sent].contains(removal.reason) || retention.isExceeded(by: inventory, space) else {
                removals.add(removal)
                return true
            }
            attemptsLeft -= 1
            switch remove(removal) {
            case .success(let still): if let still { removed.append(still) }
            case .failure(let error):
                removals.add(removal)
                return !error.isOfStorage
            }
        }
        return true
    }

    /// Removes a picture, or sets it aside for a retry.
    ///
    /// - Returns: `false` if the disk refuses all removals.
    private mutating func attempt(_ removal: Retention.Removal, _ removed: inout [RemovedStill]) -> Bool {
        switch remove(removal) {
        case .success(let still): if let still { removed.append(still) }
        case .failure(let error):
            if removals.isNews(error) {
                let message = "\(error.summary); it counts until it is removed"
                reports.append(.notice(Notice(.pictureNotRemoved, about: error.subject, message)))
            }
            guard !error.isOfStorage else { return false }
            inventory.setAside(removal.still.ordinal)
            removals.add(removal)
        }
        return true
    }

    /// Removes a picture.
    ///
    /// - Returns: The picture; `nil` if its file is gone, or was changed and is left alone. After a failure the file
    ///   and its entry in the inventory stay.
    private mutating func remove(_ removal: Retention.Removal) -> Result<RemovedStill?, CaptureError> {
        let still = removal.still
        if let failure = still.lookupFailure { return .failure(failure) }
        let removed = RemovedStill(
            path: still.path, byteCount: still.byteCount, reason: removal.reason, isUnsent: retention.isUnsent(still))
        var isRemoved = still.isUnchanged
        if isRemoved {
            plan?(removed)
            do throws(CaptureError) {
                try store.remove(still.path)
            } catch {
                guard error.systemError == ENOENT else { return .failure(error) }
                isRemoved = false
            }
        }
        inventory.remove(still.ordinal)
        guard isRemoved else { return .success(nil) }
        _ = removals.isNews(nil)
        dropSideFile(StillName.sidePath(of: still.path))
        dropSideFile(StillName.sidecarPath(of: still.path))
        StillFolder.removeEmpty(StillFolder.path(of: still.path), within: path)
        return .success(removed)
    }
}

extension StoredStill {
    /// The error of looking up the file; `nil` if the file exists or is missing.
    fileprivate var lookupFailure: CaptureError? {
        var status = stat()
        guard lstat(path, &status) != 0, errno != ENOENT, errno != ENOTDIR else { return nil }
        return .file(errno, path, "cannot be looked up")
    }

    /// `true` if the file is the picture as it was stored: same size, inode and modification time (`lstat(2)`). For a
    /// picture that an earlier process stored, the hash of the bytes is compared instead of inode and time; without a
    /// hash, nothing proves that the file is that picture.
    package var isUnchanged: Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == byteCount else {
            return false
        }
        if let identity { return identity == Identity(status) }
        guard let hash else { return false }
        return (try? FileDigest(path, most: byteCount)).map { FileHash($0.sha256) == hash } ?? false
    }
}
