// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// Puts pictures on a disk that may be full, read-only or gone: holds in memory what cannot be stored now, and keeps the
/// limits of a series.
///
/// What happens is gathered in ``takeEvents()``, in order. Every call blocks.
struct StillStorage: Sendable {
    /// Pictures that are stored at once when the disk is back: those that are taken meanwhile must not wait for all.
    private static let mostAtOnce = 16

    let store: any StillStoring
    let folder: String
    var inventory: SeriesInventory
    var retention: Retention
    /// The last picture that was stored, until ``tidy()``.
    var newest: StoredStill?
    /// The last mistake in the link, which is told once.
    var linkError: CaptureError?
    var lastReport: StorageReport?
    private(set) var forecast: DiskForecast
    private var events: [CaptureEvent] = []
    private var mountGuard: MountGuard
    private var held: HeldStills
    /// False for a single picture, for which nobody waits.
    private let isSeries: Bool
    private let overwrites: Bool
    /// Finds other names for pictures of a series whose names are of their times alone, which may come twice.
    private var names: FreeName?

    init(_ configuration: CaptureConfiguration, _ template: FileNameTemplate, _ store: any StillStoring) {
        self.store = store
        folder = template.baseFolder
        isSeries = !configuration.schedule.isOnePicture
        overwrites = configuration.overwrites
        names = isSeries && !overwrites && !template.usesSequence ? FreeName() : nil
        held = HeldStills(limit: isSeries ? configuration.heldBytes : 0)
        mountGuard = MountGuard(folder: folder, mount: configuration.mount)
        retention = Retention(configuration.limits)
        forecast = DiskForecast(interval: configuration.schedule.interval)
        inventory = SeriesInventory(configuration, after: configuration.inventory)
        for still in configuration.earlierStills { inventory.append(still) }
    }

    /// Looks whether the disk is the one of the start.
    mutating func checkDisk() throws(CaptureError) { try mountGuard.check() }

    /// Looks whether pictures may be stored at all, before any folder is made.
    func checkMount() throws(CaptureError) { try mountGuard.checkMount() }

    /// Remembers which disk it is; the folder was made.
    ///
    /// - Throws: ``CaptureError`` where a limit is reached before the first picture.
    mutating func begin() throws(CaptureError) {
        try StillFolder.make(folder)
        mountGuard.begin()
        if let error = reachedLimit(next: 0) { throw error }
        if isSeries { report() }
    }

    /// What happened since it was asked for last, in order.
    mutating func takeEvents() -> [CaptureEvent] {
        defer { events = [] }
        return events
    }

    mutating func tell(_ event: CaptureEvent) { events.append(event) }

    // MARK: Storing

    /// Looks whether a picture would find a place, before it is encoded.
    ///
    /// - Throws: ``CaptureError``, why pictures cannot be stored, where memory for them is used up.
    mutating func makeRoom() throws(CaptureError) {
        guard let first = held.first, !held.hasRoom(for: first.byteCount) else { return }
        storeHeld()
        guard let reason = held.reason, !held.hasRoom(for: first.byteCount), !held.isEmpty else { return }
        throw .memoryUsedUp(reason)
    }

    /// Stores a picture, after those that wait.
    ///
    /// - Returns: The picture; `nil` where it waits in memory, and is told as an event later.
    /// - Throws: ``CaptureError`` where it is given up.
    mutating func store(_ still: EncodedStill) throws(CaptureError) -> Still? {
        storeHeld()
        if let reason = held.reason, !held.isEmpty { return try hold(still, because: reason) }
        do throws(CaptureError) {
            return try put(still)
        } catch {
            guard error.isOfStorage else { throw error }
            return try hold(still, because: error)
        }
    }

    /// How long it is until ``storeHeld()`` should be called; `nil` where nothing waits.
    var retryDelay: Duration? { held.isEmpty ? nil : held.delay }

    /// Tries to store what waits.
    mutating func storeHeld() {
        for _ in 0..<Self.mostAtOnce {
            guard let still = held.first else { return }
            do throws(CaptureError) {
                tell(.captured(try put(still)))
                resume(held.removeFirst(isStored: true))
            } catch {
                if error.isOfStorage { return held.postpone(because: error) }
                tell(.failed(still.still.slot, error))
                resume(held.removeFirst(isStored: false))
            }
        }
    }

    /// Tries for the last time, and gives up what cannot be stored.
    mutating func end() {
        while let first = held.first {
            let count = held.count
            storeHeld()
            guard held.count == count, let reason = held.reason else { continue }
            // The others would fail in the same way, each after its time.
            return giveUp(because: reason, isOfPicture: reason.subject == first.path)
        }
    }

    private mutating func giveUp(because reason: CaptureError, isOfPicture: Bool) {
        while let still = held.first {
            tell(.failed(still.still.slot, isOfPicture ? reason.about(still.path) : reason))
            _ = held.removeFirst(isStored: false)
        }
    }

    private mutating func hold(_ still: EncodedStill, because reason: CaptureError) throws(CaptureError) -> Still? {
        guard held.hasRoom(for: still.byteCount) else { throw .memoryUsedUp(reason) }
        let begins = held.isEmpty
        held.append(still, because: reason)
        if begins { tell(.storagePaused(reason, held: held.count)) }
        return nil
    }

    private mutating func resume(_ stored: Int?) {
        guard let stored else { return }
        StillFolder.removeDiscarded()
        tell(.storageResumed(stored: stored))
    }

    // MARK: One picture

    private mutating func put(_ picture: EncodedStill) throws(CaptureError) -> Still {
        try mountGuard.check()
        try keepFloor()
        let picture = names?.rename(picture) ?? picture
        do throws(CaptureError) {
            try writeMakingRoom(picture)
        } catch {
            // Where the disk went away meanwhile, that is why.
            try mountGuard.check()
            throw error
        }
        mountGuard.note(picture.path, picture.bytes.count)
        note(picture)
        var still = picture.still
        still.storingTime = PipelineClock.system.now - picture.encoded
        return still
    }

    private mutating func writeMakingRoom(_ picture: EncodedStill) throws(CaptureError) {
        do throws(CaptureError) {
            try write(picture)
        } catch {
            guard error.isFullDisk, removeOldest(for: picture.byteCount) else { throw error }
            try write(picture)
        }
    }

    private func write(_ picture: EncodedStill) throws(CaptureError) {
        guard let description = picture.description else { return try store.write(picture.bytes, to: picture.path) }
        guard overwrites || !DeviceFiles.exists(picture.path) else { throw .file(EEXIST, picture.path, "") }
        // What describes the pixels is durable before they are.
        let side = EncodedStill.sidePath(of: picture.path)
        try store.write(description, to: side)
        do throws(CaptureError) {
            try store.write(picture.bytes, to: picture.path)
        } catch {
            // A description of nothing would be in the way of the next attempt.
            if !DeviceFiles.exists(picture.path) { StillFolder.discard(side) }
            throw error
        }
    }

    private mutating func note(_ picture: EncodedStill) {
        var stored = StoredStill(
            ordinal: inventory.nextOrdinal, path: picture.path, byteCount: picture.bytes.count,
            captured: picture.still.captured)
        stored.identity = retention.limits.policy.removes ? StoredStill.Identity(of: picture.path) : nil
        inventory.append(stored)
        newest = stored
        forecast.add(picture.byteCount, for: picture.still.slot)
    }
}

extension CaptureError {
    /// No more pictures can wait for the disk; why they have to is known.
    fileprivate static func memoryUsedUp(_ reason: CaptureError) -> CaptureError {
        CaptureError(
            reason.code, "\(reason.message), and no more pictures can wait in memory", advice: reason.advice)
    }
}
