// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Glibc
import LedgerKit
import ScheduleKit
import StillKit
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
    private let store = StillStore(overwrites: false, latest: nil)
    private var ledger: Ledger?
    /// The number of the next picture; `nil` until the ledger was read.
    private var sequence: Int?

    /// How many names are tried for a picture before it fails.
    private static let mostNames = 1000
    /// Only the newest lines are searched for a picture that was just stored.
    private static let mostLines = 256

    /// - Throws: `CaptureError` `.usage` if the camera has no output.
    init(_ camera: ServiceCamera) throws(CaptureError) {
        guard let series = camera.requested, let output = series.settings.output, let path = series.ledger else {
            throw CaptureError(
                .usage, "stores no pictures", subject: camera.id,
                advice: "give the camera an output, such as /srv/\(camera.id)/%Y-%m-%d/%H%M%S.jpg")
        }
        (self.series, self.camera, ledgerPath) = (series, camera.id, path)
        template = try FileNameTemplate(parsing: output)
    }

    /// Stores a picture. It and its line in the ledger are durable on return.
    ///
    /// - Parameter plan: Records the picture durably, with `true` if it replaces the last plan because its name was
    ///   taken. Called before the file is created.
    /// - Returns: The ID of the picture.
    func store(
        _ still: Still, _ bytes: [UInt8],
        plan: @Sendable (PlannedPicture, _ isAgain: Bool) async throws(CaptureError) -> Void
    ) async throws(CaptureError) -> StillID {
        let number = try nextSequence()
        // Other pictures may be stored while this one waits for its plan.
        sequence = number + 1
        let hash = SHA256.digits(of: bytes)
        var isPlanned = false
        for attempt in 0..<Self.mostNames {
            let path = name(still.captured, number, attempt)
            if DeviceFiles.exists(path) { continue }
            let planned = PlannedPicture(
                camera: camera, path: path, sha256: hash, byteCount: bytes.count, width: still.width,
                height: still.height, captured: still.captured, due: still.slot.dueTime,
                offset: still.offset.nanoseconds, isLate: still.isLate, burstIndex: still.burstIndex, sequence: number)
            try await plan(planned, isPlanned)
            isPlanned = true
            do throws(CaptureError) {
                try store.write(bytes, to: path)
            } catch {
                // Another program created a file of this name meanwhile.
                guard error.systemError == EEXIST else { throw error }
                continue
            }
            return try await record(planned)
        }
        throw CaptureError(
            .cannotCreate, "all names of a picture are taken", subject: camera,
            advice: "put %n into the output of the camera")
    }

    /// Completes a picture of an earlier process: adds its line to the ledger if the file is complete.
    ///
    /// - Returns: The ID of the picture; `nil` if it was not stored.
    func recover(_ picture: PlannedPicture) async throws(CaptureError) -> StillID? {
        guard holds(picture) else { return nil }
        if let id = try find(picture.path) { return id }
        return try await record(picture)
    }

    /// Returns `true` if the file of a picture is complete, and in the folder of the camera.
    private func holds(_ picture: PlannedPicture) -> Bool {
        guard let file = try? PictureFolder(of: series)?.open(picture.path),
            let digest = try? FileDigest(file, picture.path, most: picture.byteCount)
        else { return false }
        return digest.byteCount == picture.byteCount && digest.sha256 == picture.sha256
    }

    /// Removes a picture: its file, and then its line in the ledger gets the removal. A file that is already gone is no
    /// error, so that an interrupted removal can be repeated. Both are durable on return.
    func remove(_ still: StillRecord) async throws(CaptureError) {
        guard let path = still.path else { throw .unknown("picture", still.id.description) }
        try still.folder.remove(still)
        try await openLedger().append(LedgerRemoval(file: path, time: .now(), reason: "request"))
    }

    /// Closes the ledger.
    func close() async {
        await ledger?.close(.stopped)
        ledger = nil
    }

    private func record(_ picture: PlannedPicture) async throws(CaptureError) -> StillID {
        try await openLedger().append([LedgerEntry(picture)])
        guard let id = try find(picture.path) else {
            throw CaptureError(.software, "the picture has no line in the ledger", subject: camera)
        }
        return id
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

    /// Returns a name: that of the template, and after that one with a suffix, or with another number.
    private func name(_ time: WallTime, _ number: Int, _ attempt: Int) -> String {
        let path = template.render(time, sequence: number + (template.usesSequence ? attempt : 0))
        guard attempt > 0, !template.usesSequence else { return path }
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "\(path)-\(attempt + 1)" }
        return "\(path[..<dot])-\(attempt + 1)\(path[dot...])"
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
