// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Glibc
import LedgerKit
import ScheduleKit
import StillKit
import Synchronization
import SystemBase

/// Stores the pictures that clients request from a camera, and records them in a separate ledger, beside those of
/// series. It runs on a thread that may block.
actor CameraPictures {
    private let executor = BlockingExecutor("gst-capture.requested-pictures")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The camera's pictures as a series, whose ID is that of the camera.
    nonisolated let series: ServiceSeries
    private let camera: String
    private let template: FileNameTemplate
    private let ledgerPath: String
    private let policy: StoragePolicy
    private let store = StillStore(overwrites: false, latest: nil)
    private let outbox: SentPicturesSource?
    private let report: @Sendable (Notice) -> Void
    /// The pictures that the outbox has sent; `nil` without one, and before the first picture.
    private var sentPictures: (any SentPictures)?
    private var ledger: Ledger?
    private nonisolated let storageFault = Mutex(RecentFault())
    /// The folder with its limits; `nil` until the first picture, and after a removal, which changes what they count.
    private var folder: LimitedFolder?
    private var names = FreeNames()
    /// The number of the next picture; `nil` until the ledger was read.
    private var sequence: Int?

    /// How many names are tried for a picture whose free names other programs take.
    private static let mostNames = 100
    /// Only the newest lines are searched for a picture that was just stored.
    private static let mostLines = 256

    /// - Parameters:
    ///   - outbox: Finds the pictures that the outbox has sent; `nil` without an outbox.
    ///   - report: Receives the notices about pictures beyond the limits.
    /// - Throws: `CaptureError` `.usage` if the camera has no output.
    init(
        _ camera: ServiceCamera, outbox: SentPicturesSource? = nil,
        report: @escaping @Sendable (Notice) -> Void = { _ in }
    ) throws(CaptureError) {
        guard let series = camera.requested, let output = series.settings.output, let path = series.ledger else {
            throw CaptureError(
                .usage, "stores no pictures", subject: camera.id,
                advice: "give the camera an output, such as /srv/\(camera.id)/%Y-%m-%d/%H%M%S.jpg")
        }
        (self.series, self.camera, ledgerPath) = (series, camera.id, path)
        (self.outbox, self.report) = (outbox, report)
        template = try FileNameTemplate(parsing: output)
        policy = try StoragePolicy(series.settings)
    }

    /// The error of the last picture that could not be stored; `nil` after a success, and after five minutes. Any thread
    /// may read it.
    nonisolated var fault: CaptureError? { storageFault.withLock { $0.error } }

    /// Stores a picture, with its side file if it has one. They and the line in the ledger are durable on return. If the
    /// line cannot be written, the files are removed: no picture stays of a request that fails.
    ///
    /// - Parameters:
    ///   - movie: Joins the picture once its file is durable; `nil` for none.
    ///   - plan: Records the picture durably, with `true` if it replaces the last plan because its name was taken. Called
    ///     before the file is created, and again before a movie joins it.
    /// - Returns: The ID of the picture.
    /// - Throws: `CaptureError` also while the mount is not there, and if a limit of the camera is reached.
    func store(
        _ still: Still, _ bytes: [UInt8], with movie: RequestedMovie? = nil,
        plan: @Sendable (PlannedPicture, _ isAgain: Bool) async -> Void
    ) async throws(CaptureError) -> StillID {
        do throws(CaptureError) {
            let id = try await place(still, bytes, with: movie, plan: plan)
            storageFault.withLock { $0.error = nil }
            return id
        } catch {
            storageFault.withLock { $0.error = error }
            throw error
        }
    }

    private func place(
        _ still: Still, _ bytes: [UInt8], with movie: RequestedMovie?,
        plan: @Sendable (PlannedPicture, _ isAgain: Bool) async -> Void
    ) async throws(CaptureError) -> StillID {
        try begin()
        // A file without a line would be lost: nothing is stored unless the ledger can be opened.
        let ledger = try await openLedger()
        try begin()
        folder?.plan = { still in ledger.plan(LedgerRemoval(still)) }
        try folder?.admit(bytes.count)
        try await recordRemovals()
        let number = try nextSequence()
        // Other pictures may be stored while this one waits for its plan.
        sequence = number + 1
        let (name, hash) = (StillName(template, still.slot.dueTime, sequence: number), SHA256.digits(of: bytes))
        var isPlanned = false
        for _ in 0..<Self.mostNames {
            let attempt = names.attempt(for: name) { StillName.isTaken($0, withSideFile: still.sideFile != nil) }
            let planned = PlannedPicture(
                camera: camera, path: name.path(attempt), sha256: hash, byteCount: bytes.count, width: still.width,
                height: still.height, captured: still.captured, due: still.slot.dueTime,
                offset: still.offset.nanoseconds, isLate: still.isLate, burstIndex: still.burstIndex,
                sequence: number + name.step(attempt))
            await plan(planned, isPlanned)
            isPlanned = true
            do throws(CaptureError) {
                try write(bytes, describedBy: still.sideFile, at: planned.path)
            } catch {
                // Another program created a file of this name meanwhile.
                guard error.systemError == EEXIST else { throw error }
                continue
            }
            sequence = max(sequence ?? 0, planned.sequence + 1)
            do throws(CaptureError) {
                var stored = planned
                if let movie { stored = await joined(planned, still, bytes, by: movie, plan: plan) }
                return try await account(for: stored, in: ledger)
            } catch {
                // The line may be in the ledger, or is written later.
                if !error.leavesWritesOpen { undo(planned.path, hasSideFile: still.sideFile != nil) }
                throw error
            }
        }
        throw CaptureError(
            .cannotCreate, "all names of a picture are taken", subject: camera,
            advice: "put %n into the output of the camera")
    }

    /// Joins a movie to a picture whose file is durable. Both forms of the file are planned, because a crash can leave
    /// either.
    ///
    /// - Returns: The picture as it is now.
    private func joined(
        _ picture: PlannedPicture, _ still: Still, _ bytes: [UInt8], by movie: RequestedMovie,
        plan: @Sendable (PlannedPicture, _ isAgain: Bool) async -> Void
    ) async -> PlannedPicture {
        var stored = picture
        _ = await movie.join(still, bytes) { photo throws(CaptureError) in
            let whole = picture.with(photo)
            await plan(whole, false)
            try replace(picture, by: photo)
            stored = whole
        }
        return stored
    }

    /// - Throws: `CaptureError` if there is no room, or the file is not the picture any more.
    private func replace(_ picture: PlannedPicture, by photo: [UInt8]) throws(CaptureError) {
        try begin()
        try checkDisk()
        try folder?.keepFloor()
        guard holds(picture) else {
            throw CaptureError(.inputOutput, "was changed by another program", subject: picture.path)
        }
        try store.replace(picture.path, with: photo)
    }

    /// Removes the files of a picture whose line could not be written. If that fails, too, a repeated request with its
    /// name finds them.
    private func undo(_ path: String, hasSideFile: Bool) {
        do throws(CaptureError) {
            try store.remove(path)
            if hasSideFile { try store.remove(StillName.sidePath(of: path)) }
            try store.makeDurable(path)
        } catch {
            storageFault.withLock { $0.error = error }
        }
    }

    private func account(for picture: PlannedPicture, in ledger: Ledger) async throws(CaptureError) -> StillID {
        let id = try await record(picture, in: ledger)
        folder?.record(picture.path, picture.byteCount, captured: picture.captured.seconds, line: id.line)
        folder?.keepLimits()
        try await recordRemovals()
        return id
    }

    private func write(
        _ bytes: [UInt8], describedBy description: [UInt8]?, at path: String
    ) throws(CaptureError) {
        // A removal may have dropped the folder while the picture waited for its plan.
        try begin()
        try checkDisk()
        try folder?.write(bytes, describedBy: description, at: path)
        do throws(CaptureError) {
            try store.makeDurable(path)
        } catch {
            unlink(path)
            if description != nil { unlink(StillName.sidePath(of: path)) }
            throw error
        }
    }

    /// Creates the folder before the first picture, and counts the pictures of earlier processes.
    private func begin() throws(CaptureError) {
        guard folder == nil else { return }
        try policy.checkMount(of: template.baseFolder)
        var inventory = SeriesInventory(keepsStills: policy.limits.removes)
        if policy.limits.countPictures, DeviceFiles.exists(ledgerPath) {
            try LedgerReader(ledgerPath).eachStoredStill { inventory.append($0) }
        }
        if sentPictures == nil { sentPictures = try series.sentPictures(outbox) }
        var next = LimitedFolder(template.baseFolder, policy, store, inventory: inventory, sent: sentPictures)
        try next.begin()
        folder = next
    }

    /// Checks that the disk of the pictures is there, so that nothing is written below its mount point.
    private func checkDisk() throws(CaptureError) {
        if folder == nil { try policy.checkMount(of: template.baseFolder) } else { try folder?.checkDisk() }
    }

    /// Adds the removals of pictures beyond the limits to the ledger, and reports the notices about them. A picture that
    /// cannot be removed still counts: the limits refuse the next picture if it leaves no room.
    private func recordRemovals() async throws(CaptureError) {
        let reports = folder?.drainReports() ?? []
        for item in reports {
            switch item {
            case .removed(let stills): try await openLedger().record(stills.map { LedgerRemoval($0) })
            case .notice(let notice): report(notice)
            }
        }
    }

    /// Completes a picture of an earlier process: adds its line to the ledger if the file is complete.
    ///
    /// - Returns: The ID of the picture; `nil` if it was not stored.
    /// - Throws: `CaptureError` `.temporary` if the disk of the pictures or the ledger is missing: nothing shows whether
    ///   the picture is on the missing disk.
    func recover(_ picture: PlannedPicture) async throws(CaptureError) -> StillID? {
        guard (try? checkDisk()) != nil, DeviceFiles.exists(template.baseFolder),
            picture.sequence <= 1 || DeviceFiles.exists(ledgerPath)
        else {
            throw CaptureError(
                .temporary, "the disk of the pictures is missing, which may have the picture of this request",
                subject: camera, advice: "connect or mount it, and repeat the request")
        }
        guard holds(picture) else { return nil }
        if let id = try find(picture.path) { return id }
        return try await record(picture, in: openLedger())
    }

    /// Returns `true` if the file of a picture is complete, and in the folder of the camera.
    private func holds(_ picture: PlannedPicture) -> Bool {
        guard let file = try? PictureFolder(of: series)?.open(picture.path),
            let digest = try? FileDigest(file, picture.path, most: picture.byteCount)
        else { return false }
        return digest.byteCount == picture.byteCount && digest.sha256 == picture.sha256
    }

    /// Removes a picture: its file, and then its line in the ledger gets the removal. Both are durable on return. The
    /// removal is planned durably before, so that the next process completes it; ``completeRemovals(of:)``.
    func remove(_ still: StillRecord) async throws(CaptureError) {
        guard let path = still.path else { throw .unknown("picture", still.id.description) }
        try checkDisk()
        folder = nil
        let ledger = try await openLedger()
        let removal = LedgerRemoval(file: path, time: .now(), reason: LedgerRemoval.request)
        ledger.plan(removal, isDurable: true)
        do throws(CaptureError) {
            try still.folder.remove(still)
        } catch {
            if DeviceFiles.exists(path) { ledger.cancel(removal) }
            throw error
        }
        try await ledger.append(removal)
    }

    /// Records the removals that a killed process has left: targets that have the pictures wait for them.
    static func completeRemovals(of camera: ServiceCamera) async {
        guard let path = camera.requested?.ledger else { return }
        await BlockingWork.run { _ = try? Ledger.recover(path) }
    }

    /// Closes the ledger.
    func close() async {
        await ledger?.close(.stopped)
        ledger = nil
    }

    private func record(_ picture: PlannedPicture, in ledger: Ledger) async throws(CaptureError) -> StillID {
        guard let line = try await ledger.add([LedgerEntry(picture)]).first else {
            throw CaptureError(.software, "the picture has no line in the ledger", subject: camera)
        }
        return StillID(series: series.id, line: line)
    }

    private func openLedger() async throws(CaptureError) -> Ledger {
        if let ledger { return ledger }
        let place = LedgerPlace(ledgerPath)
        let ledger = Ledger(
            ledgerPath,
            series: SeriesDescription(
                template: place.relative(template.description), interval: nil, schedule: "on request"),
            position: nil, on: executor, report: { _ in })
        try await ledger.open()
        self.ledger = ledger
        return ledger
    }

    /// Returns the number after that of the newest picture in the ledger.
    private func nextSequence() throws(CaptureError) -> Int {
        if let sequence { return sequence }
        guard DeviceFiles.exists(ledgerPath) else { return 1 }
        var (filter, last) = (LedgerFilter(), 0)
        (filter.outcomes, filter.limit) = ([.captured], Self.mostLines)
        try LedgerReader(ledgerPath).eachSoundLine(filter) { line throws(CaptureError) in
            last = max(last, line.still?.sequence ?? 0)
        }
        return last + 1
    }

    private func find(_ path: String) throws(CaptureError) -> StillID? {
        guard DeviceFiles.exists(ledgerPath) else { return nil }
        var (filter, found) = (LedgerFilter(), StillID?.none)
        (filter.outcomes, filter.limit) = ([.captured], Self.mostLines)
        let place = LedgerPlace(ledgerPath)
        let relative = place.relative(path)
        try LedgerReader(ledgerPath).eachSoundLine(filter) { line throws(CaptureError) in
            guard let file = line.still?.file, place.relative(file) == relative else { return }
            found = StillID(series: series.id, line: line.id)
        }
        return found
    }
}

extension LedgerEntry {
    fileprivate init(_ picture: PlannedPicture) {
        let slot = max(0, picture.sequence - 1)
        self.init(
            slots: slot...slot, cause: .trigger, due: picture.due, lastDue: picture.due,
            outcome: .captured(
                LedgerStill(
                    captured: picture.captured, errorMilliseconds: Double(picture.offset) / 1e6,
                    isLate: picture.isLate, file: picture.path, byteCount: picture.byteCount, width: picture.width,
                    height: picture.height, sha256: picture.sha256, burstIndex: picture.burstIndex,
                    sequence: picture.sequence)))
    }
}
