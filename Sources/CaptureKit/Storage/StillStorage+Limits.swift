// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import LedgerKit
import StillKit

extension StillStorage {
    /// The most pictures that one call tries to remove, because the next picture must not wait for all. An attempt that
    /// fails takes as long as a removal: the file of a picture from an earlier process is read.
    private static let mostTried = 64

    /// Finishes the work after pictures were stored: points the link to the newest one, removes pending side files,
    /// enforces the limits, and emits the report. It does nothing if no picture was stored since the last call.
    ///
    /// - Returns: The error of the limit that ends the series; `nil` if the series continues.
    mutating func tidy() -> CaptureError? {
        // If the disk is gone, the file system in its place stays untouched.
        guard let newest, (try? checkDisk()) != nil else { return nil }
        self.newest = nil
        pointLatest(at: newest.path)
        removals.dropUnwanted(in: store)
        keepLimits()
        report()
        return reachedLimit(next: newest.byteCount)
    }

    /// Returns the error that forbids another picture of this size; `nil` if it is allowed.
    func reachedLimit(next bytes: Int) -> CaptureError? {
        retention.reached(by: inventory, DiskSpace(at: folder), next: bytes, at: WallTime.now().seconds)
    }

    /// Removes the pictures beyond the limits, if the policy removes pictures and some space must stay free.
    ///
    /// - Throws: ``CaptureError`` if the space is still too small after the removals of one call.
    mutating func keepFloor() throws(CaptureError) {
        guard retention.limits.keepFree != nil, retention.limits.policy.removes else { return }
        keepLimits()
        guard let space = DiskSpace(at: folder), space.free < retention.limits.floor(space) else { return }
        throw .floor(space, retention.limits)
    }

    /// Removes the pictures beyond the limits.
    private mutating func keepLimits() {
        guard retention.limits.policy.removes, !retention.limits.isEmpty else { return }
        let now = WallTime.now().seconds
        remove(.max) { storage in
            storage.retention.next(in: storage.inventory, DiskSpace(at: storage.folder), at: now)
        }
    }

    /// Makes room for a picture on a full disk; `false` if nothing could be removed.
    mutating func removeOldest(for bytes: Int) -> Bool {
        remove(bytes) { storage in storage.retention.next(in: storage.inventory, because: .space) } > 0
    }

    /// Removes pictures until this many bytes are freed, in up to `mostTried` attempts, and emits an event.
    ///
    /// - Parameter next: Chooses the next picture.
    /// - Returns: The number of bytes removed.
    @discardableResult
    private mutating func remove(_ bytes: Int, _ next: (inout StillStorage) -> Retention.Removal?) -> Int {
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
        if !removed.isEmpty { emit(.removed(removed)) }
        return freed
    }

    /// Retries failed removals, until one fails again.
    ///
    /// - Returns: `false` if the disk refuses all removals.
    private mutating func retryRemovals(_ removed: inout [RemovedStill], _ attemptsLeft: inout Int) -> Bool {
        while attemptsLeft > 0, let removal = removals.next() {
            guard removal.reason == .age || retention.isExceeded(by: inventory, DiskSpace(at: folder)) else {
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
                emit(.notice(Notice(.pictureNotRemoved, about: error.subject, message)))
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
        var isRemoved = still.isUnchanged
        if isRemoved {
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
        removals.drop(EncodedStill.sidePath(of: still.path), from: store)
        StillFolder.removeEmpty(StillFolder.path(of: still.path), within: folder)
        return .success(RemovedStill(path: still.path, byteCount: still.byteCount, reason: removal.reason))
    }

    private mutating func pointLatest(at path: String) {
        do throws(CaptureError) {
            try store.pointLatest(at: path)
        } catch {
            if error != linkError { emit(.notice(Notice(.linkNotUpdated, error))) }
            linkError = error
        }
    }

    // MARK: Forecast

    /// Emits a report of the disk if it differs enough from the last one.
    mutating func report() {
        guard let space = DiskSpace(at: folder) else { return }
        let report = StorageReport(
            folder: folder, freeBytes: space.free, usedBytes: inventory.byteCount, timeLeft: timeLeft(space))
        guard report.isNews(after: lastReport) else { return }
        lastReport = report
        emit(.storage(report))
    }

    private func timeLeft(_ space: DiskSpace) -> Duration? {
        let limits = retention.limits
        let room = max(0, space.free - limits.floor(space))
        let growth = limits.growth(of: inventory, forecast)
        // Older pictures make room before the disk is full.
        if limits.policy.removes, limits.keepFree != nil || growth.map({ $0 <= room }) ?? false { return nil }
        return forecast.time(for: min(room, growth ?? .max))
    }
}

extension StorageLimits {
    /// The bytes by which a series can still grow; `nil` if only the disk limits it.
    fileprivate func growth(of inventory: SeriesInventory, _ forecast: DiskForecast) -> Int? {
        let bySize = maxSize.map { $0 - inventory.byteCount }
        let byCount = maxCount.map {
            Double($0 - inventory.count) * Double(inventory.byteCount) / Double(max(1, inventory.count))
        }
        let byAge = maxAge.flatMap { age in
            forecast.bytesPerSecond.map { $0 * Double(age.components.seconds) - Double(inventory.byteCount) }
        }
        return ([bySize] + [byCount, byAge].map { $0.map { Int(min($0, 1e18)) } }).compactMap { $0 }.min().map {
            max(0, $0)
        }
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
    var isUnchanged: Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == byteCount else {
            return false
        }
        if let identity { return identity == Identity(status) }
        guard let hash else { return false }
        return (try? FileDigest(path, most: byteCount)).map { FileHash($0.sha256) == hash } ?? false
    }
}
