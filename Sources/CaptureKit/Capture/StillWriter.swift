// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import FrameMeasures
import Glibc
import LedgerKit
import OverlayCompositor
import PipelineKit
import ScheduleKit
import StillKit

/// Encodes frames as pictures, stores them, and records them in the ledger. An actor with its own thread, as file calls
/// block. The ledger runs on the same thread: its line follows the picture without a change of thread, and no later
/// file call comes between them.
package actor StillWriter {
    private let executor: BlockingExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let configuration: CaptureConfiguration
    private let encoder: StillEncoder
    private let burnIn: BurnIn?
    /// Stores the files; `nil` if no files are written.
    private var storage: StillStorage?
    private var store: StillStore?
    private let ledger: Ledger?
    /// Measures pictures for the ledger.
    private let meter: LightMeter?
    /// The live photos without their movies, in the order of their slots. They have no lines in the ledger yet.
    private var unjoined: [UnjoinedStill] = []
    private var nextSequence: Int?
    private var names = FreeNames()
    /// The result of the search for the first number, from before the camera was opened.
    private var numbering: Numbering?
    private var camera: (make: String?, model: String?) = (nil, nil)

    /// - Parameter rasterizer: Draws the layers of burn-in.
    package init(_ configuration: CaptureConfiguration, _ rasterizer: (any Rasterizer)? = nil) {
        self.init(configuration, rasterizer, ledger: nil, on: BlockingExecutor("gst-capture.stills"))
    }

    /// - Parameters:
    ///   - rasterizer: Draws the layers of burn-in.
    ///   - ledger: Records the pictures; it runs on the same executor.
    init(
        _ configuration: CaptureConfiguration, _ rasterizer: (any Rasterizer)?, ledger: Ledger?,
        on executor: BlockingExecutor
    ) {
        (self.ledger, self.executor) = (ledger, executor)
        var shared = configuration
        // The storage keeps the inventory. A second copy would keep the pictures that the storage removes.
        shared.inventory = nil
        self.configuration = shared
        burnIn = BurnIn(configuration, rasterizer)
        // Frames with burned-in layers are already upright.
        encoder = StillEncoder(
            format: configuration.still, quality: configuration.quality,
            orientation: burnIn == nil ? configuration.orientation : .upright, hardware: .shared)
        meter = configuration.ledger.map { _ in LightMeter() }
        if case .files(let template) = configuration.output {
            let store = StillStore(
                overwrites: configuration.overwrites, latest: configuration.latest,
                hiddenFolder: template.baseFolder + "/" + LedgerPlace.folderName)
            self.store = store
            storage = StillStorage(configuration, template, store)
            if let ledger {
                let isLive = configuration.motion != nil
                storage?.plan = { still in ledger.plan(LedgerEntry(still), isDurable: isLive) }
                storage?.folder.plan = { still in ledger.plan(LedgerRemoval(still)) }
            }
        }
        if case .camera(let camera) = configuration.source, camera.kind != .scene {
            self.camera = (camera.make, camera.model ?? camera.name)
        }
    }

    /// Checks that pictures can be stored, before the camera is opened. It creates their folder, removes the temporary
    /// files of killed processes, and finds the first number.
    func prepare() throws(CaptureError) {
        guard case .files(let template) = configuration.output else { return }
        let path = try makePlace(for: template)
        store?.removeLeftovers(beside: path)
        // A movie replaces a picture by way of a hidden file.
        if configuration.motion != nil { TemporaryFile.removeLeftovers(in: StillFolder.path(of: path)) }
        try storage?.begin()
        if template.usesSequence { numbering = Numbering(template, .now()) }
        // The names of a series are not known yet.
        guard !template.usesSequence, configuration.schedule.isOnePicture else { return }
        try StillStore.checkReplaceable(path)
        guard configuration.overwrites || !DeviceFiles.exists(path) else { throw .file(EEXIST, path, "") }
    }

    /// Checks that pictures can be stored, and creates their folder. Pictures of an earlier capture may still be
    /// pending, so it removes nothing.
    func check() throws(CaptureError) {
        if case .files(let template) = configuration.output { _ = try makePlace(for: template) }
    }

    /// Creates the folders for a picture captured now. Returns its path.
    private func makePlace(for template: FileNameTemplate) throws(CaptureError) -> String {
        let path = template.render(.now(), sequence: 1)
        try StillStore.checkName(path)
        try storage?.checkMount()
        if let latest = configuration.latest { try prepare(latest, beside: path) }
        let folder = StillFolder.path(of: path)
        try StillFolder.make(folder)
        try StillFolder.checkWritable(folder)
        let longest = configuration.still == .raw ? StillName.sidePath(of: path) : path
        try NameTrial().run(longest, acceptsFullDisk: configuration.limits.policy.removes)
        return path
    }

    private func prepare(_ latest: String, beside path: String) throws(CaptureError) {
        try StillStore.checkLink(latest)
        guard latest != path else {
            throw CaptureError(
                .usage, "is the name of the picture itself", subject: "--latest", advice: "give the link another name")
        }
        let folder = StillFolder.path(of: latest)
        try StillFolder.make(folder)
        try StillFolder.checkWritable(folder)
    }

    /// Builds the encoder for frames of this format, if it is known.
    package func warmUp(for caps: Caps?) async {
        // An error here occurs again with the first frame, and is reported then.
        guard let caps else { return }
        if let burnIn { try? await burnIn.prepare(for: caps) } else { try? await encoder.prepare(for: caps) }
    }

    /// Makes a picture of a frame and its line in the ledger durable, in one trip.
    ///
    /// - Parameter exposure: Returns the exposure of the frame; called when the frame is encoded.
    /// - Returns: The outcome for the picture, and the events of earlier ones. It returns before ``tidy()``, which may
    ///   remove many files: the event of the picture does not wait for that.
    func store(
        _ frame: Frame, slot: Slot, burstIndex: Int, tolerance: Duration, exposure: Exposure
    ) async -> StorageOutcome {
        do throws(CaptureError) {
            let written = try await write(
                frame, slot: slot, burstIndex: burstIndex, tolerance: tolerance, readingBy: exposure)
            let picture = written.still.map { [CaptureEvent.captured($0)] } ?? []
            let events = written.events + picture + written.notices.map(CaptureEvent.notice)
            return StorageOutcome(events: await recorded(events), failure: nil)
        } catch {
            return StorageOutcome(events: await recorded(drainEvents()), failure: error)
        }
    }

    /// Encodes a frame, adds its metadata, and makes it durable; the ledger gets no line.
    ///
    /// If this throws, ``drainEvents()`` returns the events of earlier pictures, and the next call returns the notices.
    package func write(
        _ frame: Frame, slot: Slot, burstIndex: Int, tolerance: Duration, exposure: ExposureReading?
    ) async throws(CaptureError) -> WrittenStill {
        try await write(frame, slot: slot, burstIndex: burstIndex, tolerance: tolerance) { exposure }
    }

    /// Returns the exposure of a frame, which may still be read.
    typealias Exposure = @Sendable () async -> ExposureReading?

    private func write(
        _ frame: Frame, slot: Slot, burstIndex: Int, tolerance: Duration, readingBy read: Exposure
    ) async throws(CaptureError) -> WrittenStill {
        // The first number follows those in the folder: check that the disk is there, and not only its empty mount
        // point.
        if nextSequence == nil { try storage?.checkDisk() }
        try storage?.makeRoom()
        let (start, captured) = (PipelineClock.system.now, frame.captured)
        // Names have the time of the slot, which is regular; the tags have that of the frame.
        let due = slot.dueTime
        let (sequence, offset) = (nextSequence(due), frame.time - slot.due)
        let facts = BurnIn.Facts(
            time: captured, sequence: sequence, camera: configuration.cameraName, offset: offset)
        let sample = try await burnIn?.draw(on: frame.sample, facts) ?? frame.sample
        let encoded = try await encoder.encode(sample)
        let encodedAt = PipelineClock.system.now
        let exposure = await read()
        let picture = configuration.still == .jpeg ? try JPEGPicture(encoded.bytes) : nil
        let size = size(encoded, picture)
        let metadata = metadata(captured, size, encoded.orientation, exposure)
        let bytes = try tagged(encoded.bytes, picture, metadata)
        nextSequence = sequence + 1
        let isCaller = configuration.output == .caller
        let isTurned = encoded.orientation.swapsAxes
        var still = Still(
            slot: slot, burstIndex: burstIndex, path: nil, sequence: sequence,
            byteCount: bytes.count, width: isTurned ? size.height : size.width,
            height: isTurned ? size.width : size.height, captured: captured, offset: offset,
            isLate: burstIndex == 0 && offset > tolerance, encodingTime: encodedAt - start, storingTime: .zero,
            bytes: isCaller ? bytes : nil)
        let description = configuration.still == .raw ? Array(RawDescription(encoded, captured).text.utf8) : nil
        still.inspection = await inspect(frame.sample, bytes, exposure)
        let stored = try put(still, bytes, description, due, at: PipelineClock.system.now)
        return WrittenStill(
            still: stored, events: drainEvents(), notices: encoder.drainNotices() + (burnIn?.drainNotices() ?? []))
    }

    private func inspect(
        _ sample: Sample, _ bytes: [UInt8], _ exposure: ExposureReading?
    ) async -> StillInspection? {
        guard let meter else { return nil }
        let measure = await meter.inspect(sample)
        return StillInspection(
            brightness: measure?.brightness, sharpness: measure?.sharpness, sha256: SHA256.digits(of: bytes),
            controls: ControlRecord(configuration.controlsInForce, exposure).text)
    }

    /// Parses a JPEG once: its size is needed before its tags are built.
    private func tagged(
        _ bytes: [UInt8], _ picture: JPEGPicture?, _ metadata: StillMetadata
    ) throws(CaptureError) -> [UInt8] {
        guard let picture else { return try metadata.embedded(in: bytes, configuration.still) }
        return try picture.replacingExif(with: metadata.exif())
    }

    // MARK: The ledger

    /// Records events in the ledger, in order, and returns them. The lines of pictures are durable then. If a line has
    /// to wait, its picture is emitted all the same, as its file is durable.
    private func recorded(_ events: [CaptureEvent]) async -> [CaptureEvent] {
        if configuration.motion != nil {
            unjoined += events.compactMap { if case .captured(let still) = $0 { UnjoinedStill(still) } else { nil } }
        }
        guard let ledger else { return events }
        var recorded: [CaptureEvent] = []
        for var event in events {
            switch event {
            case .captured(let still): event = .captured(await listed(still, in: ledger))
            case .storagePaused(let error, _) where !error.isFullDisk: await ledger.rest()
            default: ledger.record(event)
            }
            recorded.append(event)
        }
        return recorded
    }

    /// Records a picture, unless its movie is still to join it. Returns it with its line.
    private func listed(_ still: Still, in ledger: Ledger) async -> Still {
        guard !unjoined.contains(where: { $0.path == still.path }) else { return still }
        var still = still
        still.ledgerLine = try? await ledger.append([LedgerEntry(still)]).first
        if let line = still.ledgerLine, let path = still.path { storage?.setLine(line, of: path) }
        return still
    }

    // MARK: Live photos

    /// Waits for the movie of a picture, joins it to the picture, and records both in the ledger.
    ///
    /// - Returns: The events of the picture; none if it was settled meanwhile.
    func join(_ still: UnjoinedStill, by motion: any MotionRecording) async -> [CaptureEvent] {
        do throws(CaptureError) {
            let photo = try await motion.livePhoto(try still.bytes(), at: still.moment)
            return try await settle(still) { storage throws(CaptureError) in try storage?.join(photo, to: still) }
        } catch {
            let notice = Notice(.movieNotJoined, error.subject == nil ? error.about(still.path) : error)
            let events = await settle(still) { _ in nil }
            return events.isEmpty ? [] : events + [.notice(notice)]
        }
    }

    /// Records the live photos whose movies have not joined them. They get none anymore.
    func settleUnjoined() async -> [CaptureEvent] {
        var events: [CaptureEvent] = []
        while let still = unjoined.first { events += await settle(still) { _ in nil } }
        return events
    }

    /// - Parameter join: Joins the movie to the file; `nil` if there is none.
    private func settle<Failure: Error>(
        _ picture: UnjoinedStill, _ join: (inout StillStorage?) throws(Failure) -> Still?
    ) async throws(Failure) -> [CaptureEvent] {
        guard let index = unjoined.firstIndex(where: { $0.path == picture.path }) else { return [] }
        let joined = try join(&storage)
        unjoined.remove(at: index)
        var still = joined ?? picture.still
        storage?.settle(still)
        if let ledger { still = await listed(still, in: ledger) }
        return [.livePhoto(still, hasMovie: joined != nil)]
    }

    // MARK: The disk

    /// Returns the events of pending pictures and of the disk since the last call.
    func drainEvents() -> [CaptureEvent] { storage?.drainEvents() ?? [] }

    /// Does the work that can wait until after a picture was emitted.
    func tidy() async -> TidiedStorage {
        let limit = storage?.tidy()
        let delay = storage?.retryDelay
        return TidiedStorage(events: await recorded(drainEvents()), limit: limit, retryDelay: delay)
    }

    /// The number of the first picture of a capture that continues this one; `nil` if the series has no picture yet.
    var sequenceToResume: Int? {
        // A picture whose number was taken has a greater one.
        nextSequence.map { max($0, storage?.nextSequence ?? 0) } ?? configuration.nextSequence
            ?? configuration.position?.nextSequence
    }

    /// The known pictures of the series; `nil` if no files are written.
    var inventory: SeriesInventory? { storage?.inventory }

    /// Tries to store the pictures that wait. Returns the events, whose lines are in the ledger.
    func storeHeld() async -> [CaptureEvent] {
        storage?.storeHeld()
        return await recorded(drainEvents())
    }

    /// Tries for the last time to store the pictures that wait, and discards those that fail. Returns the events, whose
    /// lines are in the ledger.
    func endStoring() async -> [CaptureEvent] {
        storage?.end()
        return await recorded(drainEvents())
    }

    /// Closes the encoder, the layers and the meter, and removes the folder of temporary files if it is empty.
    package func close() {
        encoder.close()
        burnIn?.close()
        store?.removeHiddenFolder()
        meter?.close()
    }

    private func put(
        _ still: Still, _ bytes: [UInt8], _ description: [UInt8]?, _ due: WallTime, at time: ClockTime
    ) throws(CaptureError) -> Still? {
        var still = still
        switch configuration.output {
        case .files(let template):
            let name = StillName(template, due, sequence: still.sequence)
            return try storage?.store(
                EncodedStill(still: still, bytes: bytes, description: description, name: name, encoded: time))
        case .standardOutput: try StillStore.writeToStandardOutput(bytes)
        case .caller: still.sideFile = description
        }
        still.storingTime = PipelineClock.system.now - time
        return still
    }

    private func metadata(
        _ captured: WallTime, _ size: (width: Int, height: Int), _ orientation: Orientation,
        _ exposure: ExposureReading?
    ) -> StillMetadata {
        var metadata = StillMetadata(captured: captured, width: size.width, height: size.height)
        (metadata.make, metadata.model) = camera
        metadata.orientation = orientation
        metadata.exposureTime = exposure?.time
        metadata.sensitivity = exposure?.sensitivity
        metadata.flash = exposure?.flash
        return metadata
    }

    /// Returns the number of the next picture. The number is used up once the picture is encoded.
    private func nextSequence(_ time: WallTime) -> Int {
        guard case .files(let template) = configuration.output, template.usesSequence else {
            return sequenceToResume ?? 1
        }
        if nextSequence != nil { return freeSequence(template, time, from: sequenceToResume ?? 1) }
        let found = numbering?.next(template, time) ?? template.nextSequence(time)
        return freeSequence(template, time, from: max(sequenceToResume ?? 1, found))
    }

    /// Returns the first number from `sequence` on whose name no file has: another program may use the numbers, too.
    private func freeSequence(_ template: FileNameTemplate, _ time: WallTime, from sequence: Int) -> Int {
        guard !configuration.overwrites else { return sequence }
        let name = StillName(template, time, sequence: sequence)
        let hasSideFile = configuration.still == .raw
        return sequence + name.step(names.attempt(for: name) { StillName.isTaken($0, withSideFile: hasSideFile) })
    }

    private func size(_ encoded: StillEncoder.Encoded, _ picture: JPEGPicture?) -> (width: Int, height: Int) {
        // The size in the JPEG comes first: sources need not state a size.
        if let picture, picture.height > 0 { return (picture.width, picture.height) }
        if let info = encoded.info { return (info.width, info.height) }
        let fields = encoded.caps.structures.first
        return (fields?["width"] ?? 0, fields?["height"] ?? 0)
    }
}

/// The result of ``StillWriter/write(_:slot:burstIndex:tolerance:exposure:)``.
package struct WrittenStill: Sendable {
    /// The picture; `nil` if it waits in memory for the disk. A later event reports it.
    package let still: Still?
    /// The events of earlier pictures and of the disk, in order; they come before the picture.
    let events: [CaptureEvent]
    /// Notices about the encoder, and about layers that are drawn into pictures.
    package let notices: [Notice]
}

/// The result of ``StillWriter/store(_:slot:burstIndex:tolerance:exposure:)``.
struct StorageOutcome: Sendable {
    /// The events of earlier pictures and of the disk, and then those of the picture, in order. Their lines are in the
    /// ledger.
    let events: [CaptureEvent]
    /// The error if no picture could be made of the frame, or none could be stored.
    let failure: CaptureError?
}

/// The result of ``StillWriter/tidy()``.
struct TidiedStorage: Sendable {
    /// The events of the disk, in order. Their lines are in the ledger.
    let events: [CaptureEvent]
    /// The limit that is reached; `nil` if the series may continue.
    let limit: CaptureError?
    /// How long to wait until ``StillWriter/storeHeld()`` should be called; `nil` if no picture waits.
    let retryDelay: Duration?
}

/// The first free number of a folder, found at the start: the first picture must not wait until a large folder is read.
private struct Numbering {
    private let folder: String
    private let number: Int

    init(_ template: FileNameTemplate, _ time: WallTime) {
        (folder, number) = (template.folder(time), template.nextSequence(time))
    }

    /// Returns the number; `nil` if the picture belongs in another folder, or the name was taken meanwhile.
    func next(_ template: FileNameTemplate, _ time: WallTime) -> Int? {
        guard template.folder(time) == folder, !DeviceFiles.exists(template.render(time, sequence: number)) else {
            return nil
        }
        return number
    }
}
