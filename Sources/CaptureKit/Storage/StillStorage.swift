// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import PipelineKit
import ScheduleKit
import StillKit

/// Stores pictures on a disk that may be full, read-only or gone. Holds pictures in memory that cannot be stored now,
/// and enforces the limits of a series.
///
/// Events are collected in order for ``drainEvents()``. Every call blocks.
struct StillStorage: Sendable {
    /// The most held pictures stored in one call, because new pictures must not wait for all.
    private static let mostAtOnce = 16

    let store: any StillStoring
    /// Called with each picture before its file gets its name, and again before a movie joins it.
    var plan: (@Sendable (Still) -> Void)?
    var folder: LimitedFolder
    /// The last stored picture, until ``tidy()``.
    var newest: StoredStill?
    /// The last error of the link, which is reported once.
    var linkError: CaptureError?
    var lastReport: StorageReport?
    /// The last error that may keep a picture in place from being durable, which is reported once.
    private var durabilityError: CaptureError?
    private(set) var forecast: DiskForecast
    private var events: [CaptureEvent] = []
    /// Stored pictures whose lines in the ledger are not known yet.
    private var unlisted: [StoredStill] = []
    private var held: HeldStills
    /// `false` for a single picture, which is not held in memory.
    private let isSeries: Bool
    /// `true` if pictures are accounted for when their movies have joined them: no limit removes them before.
    private let isLive: Bool
    /// `true` if the lines of pictures in the ledger are needed.
    private let listsLines: Bool
    /// Finds other names for pictures whose names are taken; `nil` if files are replaced, and for a single picture
    /// without a number.
    private var names: FreeNames?
    /// The number after the highest one of a stored picture.
    private(set) var nextSequence = 0

    init(_ configuration: CaptureConfiguration, _ template: FileNameTemplate, _ store: any StillStoring) {
        self.store = store
        isSeries = !configuration.schedule.isOnePicture
        isLive = configuration.motion != nil
        listsLines = configuration.sentPictures != nil && configuration.ledger != nil
        names = !configuration.overwrites && (isSeries || template.usesSequence) ? FreeNames() : nil
        held = HeldStills(limit: isSeries ? configuration.heldBytes : 0)
        forecast = DiskForecast(interval: configuration.schedule.interval)
        var inventory = SeriesInventory(configuration, after: configuration.inventory)
        for still in configuration.earlierStills { inventory.append(still) }
        folder = LimitedFolder(
            template.baseFolder, configuration.storage, store, overwrites: configuration.overwrites,
            inventory: inventory, sent: configuration.sentPictures)
    }

    /// The known pictures of the series.
    var inventory: SeriesInventory { folder.inventory }

    /// Checks that the folder is still on the file system on which the series began.
    mutating func checkDisk() throws(CaptureError) { try folder.checkDisk() }

    /// Checks that the required mount is there, before any folder is created.
    func checkMount() throws(CaptureError) { try folder.checkMount() }

    /// Creates the folder and remembers its file system.
    ///
    /// - Throws: ``CaptureError`` if a limit is reached before the first picture, or the folder cannot be created.
    mutating func begin() throws(CaptureError) {
        try folder.begin()
        if isSeries { report() }
    }

    /// Returns the events since the last call, in order.
    mutating func drainEvents() -> [CaptureEvent] {
        collectReports()
        defer { events = [] }
        return events
    }

    mutating func emit(_ event: CaptureEvent) {
        collectReports()
        events.append(event)
    }

    /// Emits what the folder removed before the next event.
    private mutating func collectReports() {
        events += folder.drainReports().map { report in
            switch report {
            case .removed(let stills): .removed(stills)
            case .notice(let notice): .notice(notice)
            }
        }
    }

    // MARK: Storing

    /// Checks that there is room for a picture before it is encoded.
    ///
    /// - Throws: ``CaptureError`` with the reason why pictures cannot be stored, if the memory for them is used up.
    mutating func makeRoom() throws(CaptureError) {
        guard let first = held.first, !held.hasRoom(for: first.byteCount) else { return }
        storeHeld()
        guard let reason = held.reason, !held.hasRoom(for: first.byteCount), !held.isEmpty else { return }
        throw .memoryUsedUp(reason)
    }

    /// Stores a picture, after the held ones.
    ///
    /// - Returns: The picture; `nil` if it is held in memory, and an event follows when it is stored.
    /// - Throws: ``CaptureError`` if the picture is discarded.
    mutating func store(_ still: EncodedStill) throws(CaptureError) -> Still? {
        storeHeld()
        if let reason = held.reason, !held.isEmpty { return try hold(still, because: reason) }
        var still = still
        do throws(CaptureError) {
            return try put(&still)
        } catch {
            return error.isOfStorage ? try hold(still, because: error) : try settle(still, after: error)
        }
    }

    /// The delay until ``storeHeld()`` should be called; `nil` if no picture is held.
    var retryDelay: Duration? { held.isEmpty ? nil : held.delay }

    /// Tries to store the held pictures, a limited number of them in one call.
    mutating func storeHeld() {
        for _ in 0..<Self.mostAtOnce {
            guard var still = held.first else { return }
            do throws(CaptureError) {
                emit(.captured(try put(&still)))
                resume(held.removeFirst(isStored: true))
            } catch {
                if error.isOfStorage { return held.postpone(still, because: error) }
                resume(held.removeFirst(isStored: finish(still, after: error)))
            }
        }
    }

    /// Tries to store the held pictures for the last time, and discards the rest.
    mutating func end() {
        while let first = held.first {
            let count = held.count
            storeHeld()
            guard held.count == count, let reason = held.reason else { continue }
            // The others would fail in the same way, each after its own timeout.
            return giveUp(because: reason, isOfPicture: reason.subject == first.path)
        }
    }

    private mutating func giveUp(because reason: CaptureError, isOfPicture: Bool) {
        while let still = held.first {
            let isStored = finish(still, after: isOfPicture ? reason.about(still.path) : reason)
            _ = held.removeFirst(isStored: isStored)
        }
    }

    /// Emits the result of a picture that is not retried; returns `true` if it is stored.
    private mutating func finish(_ still: EncodedStill, after error: CaptureError) -> Bool {
        do throws(CaptureError) {
            emit(.captured(try settle(still, after: error)))
            return true
        } catch {
            emit(.failed(still.still.slot, error))
            return false
        }
    }

    private mutating func hold(_ still: EncodedStill, because reason: CaptureError) throws(CaptureError) -> Still? {
        guard held.hasRoom(for: still.byteCount) else { return try settle(still, after: .memoryUsedUp(reason)) }
        let begins = held.isEmpty
        held.append(still, because: reason)
        if begins { emit(.storagePaused(reason, held: held.count)) }
        return nil
    }

    private mutating func resume(_ stored: Int?) {
        guard let stored else { return }
        StillFolder.removeDiscarded()
        folder.dropUnwanted()
        emit(.storageResumed(stored: stored))
    }

    // MARK: One picture

    /// Stores a picture; on an error, `picture` has the path at which it may be in place.
    private mutating func put(_ picture: inout EncodedStill) throws(CaptureError) -> Still {
        try folder.checkDisk()
        try folder.keepFloor()
        do throws(CaptureError) {
            try bringIntoPlace(&picture)
            try store.makeDurable(picture.path)
        } catch {
            // A name that is taken at the first attempt belongs to another file.
            if picture.placement == .notTried, error.systemError != EEXIST { picture.placement = .unknown }
            // If the disk disappeared meanwhile, that is the error to report.
            try folder.checkDisk()
            throw error
        }
        return account(for: picture)
    }

    /// Writes the file, unless an earlier attempt did: each picture has one file, even if only the reply was lost.
    private mutating func bringIntoPlace(_ picture: inout EncodedStill) throws(CaptureError) {
        if picture.placement != .notTried {
            if try store.holds(picture.bytes, at: picture.path) { return }
            picture.placement = .unknown
        }
        var attemptsLeft = Self.mostNames
        while true {
            let hasSideFile = try reserveName(for: &picture)
            plan?(picture.still)
            do throws(CaptureError) {
                try write(picture, hasSideFile: hasSideFile)
                break
            } catch {
                // Another program may have taken the name since it was free, or the first of two writes took effect
                // although its reply was lost.
                attemptsLeft -= 1
                guard names != nil, error.systemError == EEXIST, attemptsLeft > 0 else { throw error }
                if try store.holds(picture.bytes, at: picture.path) { break }
            }
        }
        picture.placement = .inPlace
    }

    /// How many names are tried for a picture whose free names other programs take.
    private static let mostNames = 8

    /// Chooses a free name if names may be taken; returns `true` if an earlier attempt left the side file for it.
    private mutating func reserveName(for picture: inout EncodedStill) throws(CaptureError) -> Bool {
        let side = StillName.sidePath(of: picture.path)
        var hasSideFile = false
        if picture.placement != .notTried, let description = picture.description {
            hasSideFile = try store.holds(description, at: side)
        }
        guard names != nil, !hasSideFile || DeviceFiles.exists(picture.path) else { return hasSideFile }
        if hasSideFile { folder.dropSideFile(side) }
        if var free = names {
            picture.rename(with: &free)
            names = free
        }
        return false
    }

    /// Writes a picture; on a full disk, once more after the oldest pictures were removed if the policy allows it.
    private mutating func write(_ picture: EncodedStill, hasSideFile: Bool) throws(CaptureError) {
        func write(_ hasSideFile: Bool) throws(CaptureError) {
            try folder.write(
                picture.bytes, describedBy: picture.description, at: picture.path, hasSideFile: hasSideFile)
        }
        do throws(CaptureError) {
            try write(hasSideFile)
        } catch {
            guard error.isFullDisk, folder.removeOldest(for: picture.byteCount) else { throw error }
            try write(false)
        }
    }

    /// Ends the attempts to store a picture, which counts as stored if its file is in place.
    private mutating func settle(_ picture: EncodedStill, after error: CaptureError) throws(CaptureError) -> Still {
        guard isInPlace(picture) else {
            dropSideFile(of: picture)
            throw error
        }
        if error != durabilityError {
            let consequence = "\(picture.path) is in place, but may be lost if the power fails"
            emit(.notice(Notice(.pictureNotDurable, about: picture.path, consequence, because: error)))
        }
        durabilityError = error
        return account(for: picture)
    }

    private func isInPlace(_ picture: EncodedStill) -> Bool {
        guard picture.placement != .notTried else { return false }
        // If the disk cannot be read now, the last known placement counts.
        return (try? store.holds(picture.bytes, at: picture.path)) ?? (picture.placement == .inPlace)
    }

    private mutating func dropSideFile(of picture: EncodedStill) {
        let side = StillName.sidePath(of: picture.path)
        guard picture.placement != .notTried, let description = picture.description, !DeviceFiles.exists(picture.path),
            (try? store.holds(description, at: side)) != false
        else { return }
        folder.dropSideFile(side)
    }

    /// Sets the line of a stored picture. The lines of pictures follow in the order in which they were stored; a picture
    /// that is passed over gets none.
    mutating func setLine(_ line: Int, of path: String) {
        guard let index = unlisted.firstIndex(where: { $0.path == path }) else { return }
        folder.setLine(line, of: unlisted[index].ordinal)
        unlisted.removeFirst(index + 1)
    }

    private mutating func account(for picture: EncodedStill) -> Still {
        var still = picture.still
        nextSequence = max(nextSequence, still.sequence + 1)
        still.storingTime = PipelineClock.system.now - picture.encoded
        if !isLive { record(still, picture.byteCount) }
        return still
    }

    private mutating func record(_ still: Still, _ byteCount: Int) {
        guard let path = still.path else { return }
        let stored = folder.record(path, still.byteCount, captured: still.captured.seconds)
        newest = stored
        if listsLines { unlisted.append(stored) }
        forecast.add(byteCount, for: still.slot)
    }

    // MARK: Live photos

    /// Replaces the file of a picture by one with a movie.
    ///
    /// - Returns: The picture with its new size and hash.
    /// - Throws: ``CaptureError`` if there is no room, or the file cannot be replaced: it is the picture then.
    mutating func join(_ photo: [UInt8], to unjoined: UnjoinedStill) throws(CaptureError) -> Still {
        var still = unjoined.still
        still.byteCount = photo.count
        still.inspection?.sha256 = SHA256.digits(of: photo)
        try folder.checkDisk()
        try folder.keepFloor()
        // A program, or a person, may have removed the picture meanwhile.
        _ = try unjoined.bytes()
        plan?(still)
        try store.replace(unjoined.path, with: photo)
        return still
    }

    /// Accounts for a live photo, with or without its movie.
    mutating func settle(_ still: Still) { record(still, still.byteCount) }
}

extension CaptureError {
    /// The error if no more pictures can be held in memory; `reason` is why they must be held.
    fileprivate static func memoryUsedUp(_ reason: CaptureError) -> CaptureError {
        CaptureError(
            reason.code, "\(reason.message), and no more pictures can wait in memory", advice: reason.advice)
    }
}
