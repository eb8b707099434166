// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import Glibc

/// Durable state: the folder, the record, and the events that wait for them.
extension SessionController {
    /// Prepares the folder, and reads the progress of an earlier run.
    func prepareFolder() async throws(CaptureError) {
        switch configuration.output {
        case .folder(let parent): folder = makeFolder(in: parent)
        case .caller:
            let shelter = try await BlockingWork.run { () throws(CaptureError) in try Self.makeShelter() }
            self.shelter = shelter
            folder = makeFolder(in: shelter)
        case .resumed(let path): try await resume(path)
        }
        try await folder.prepare()
    }

    private func makeFolder(in parent: String) -> SessionFolder {
        SessionFolder(
            in: parent, session: session.name, definition: configuration.definition?.text,
            begun: configuration.wallClock(), disk: configuration.disk)
    }

    private func resume(_ path: String) async throws(CaptureError) {
        let disk = configuration.disk
        let (folder, record) = try await BlockingWork.run { () throws(CaptureError) in
            (try SessionFolder.open(path, disk: disk), try SessionRecord(path: path + "/" + SessionRecord.fileName))
        }
        if let ending = record.progress.ending { throw .isOver(path, ending) }
        // The folder of another session stays unchanged, even if the call fails.
        try record.progress.check(against: session)
        await folder.restrict(of: session.stages.map(\.name))
        let missing = try await folder.missing(of: record.stills.values.flatMap(\.files))
        (self.folder, self.record, stills) = (folder, record, record.stills)
        machine = try SessionMachine(session, machine.plan, from: forget(missing, in: record.progress))
        try await folder.removeStrays(
            of: session.stages.map(\.name), but: Set(record.stills.values.flatMap(\.files).map(\.name)))
        library.restore(machine.progress.pictures.compactMap { stills[$0.number] })
        library.follow(machine.progress)
        emitOtherCameras()
        for (number, still) in stills {
            display.files[number] = path + "/" + still.best.name
            display.wholes[number] = path + "/" + still.file.name
        }
    }

    /// Drops the records of files that are missing.
    private func forget(_ missing: Set<String>, in progress: SessionProgress) -> SessionProgress {
        for name in missing.sorted() {
            emit(.notice(Notice(.pictureMissing, about: name, "\(name) is gone from the session's folder")))
        }
        let lost = stills.filter { missing.contains($0.value.file.name) }.keys
        for number in lost { stills[number] = nil }
        for (number, still) in stills {
            if let crop = still.crop, missing.contains(crop.file.name) { stills[number]?.crop = nil }
        }
        var progress = progress
        progress.lose(Set(lost))
        return progress
    }

    private func emitOtherCameras() {
        let others = Set(stills.values.compactMap(\.camera)).subtracting(cameras.values.map(\.id))
        guard !others.isEmpty else { return }
        let names = others.sorted().joined(separator: ", ")
        emit(.notice(Notice(.cameraChanged, about: names, "earlier pictures are from \(names)")))
    }

    /// Makes a temporary folder for pictures that only the caller gets: in memory, if the system has a folder for that.
    private static func makeShelter() throws(CaptureError) -> String {
        let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array("\(runtime)/gst-capture-XXXXXX".utf8CString)
        guard let path = mkdtemp(&name) else { throw .file(errno, runtime, "cannot be written") }
        return String(cString: path)
    }

    /// Queues a save of the session's progress, after all pending writes.
    func save() {
        let record = record.with(machine.progress, stills)
        storing.add { [self] in await write(record) }
    }

    private func write(_ record: SessionRecord) async {
        do throws(CaptureError) {
            try await folder.save(record)
            saveFailure = nil
            if await folder.isExposed { emitExposure(await folder.path) }
            for event in owed { emit(event) }
            owed = []
        } catch {
            if saveFailure == nil { emit(.notice(Notice(.sessionNotSaved, error))) }
            saveFailure = error
        }
    }

    /// Reports once that pictures cannot be kept private.
    private func emitExposure(_ path: String) {
        guard !isExposureReported else { return }
        isExposureReported = true
        emit(
            .notice(
                Notice(
                    .folderExposed, "other users can read the pictures: its permissions cannot be set", subject: path,
                    advice: "use another folder")))
    }

    /// Emits an event when all changes so far are durable.
    func emitWhenDurable(_ event: SessionEvent) {
        storing.add { [self] in await acknowledge(event) }
    }

    func acknowledge(_ event: SessionEvent) {
        if saveFailure == nil { emit(event) } else { owed.append(event) }
    }

    /// Removes pictures that no longer belong to the session, once the saved record omits them.
    func release(_ pictures: [SessionPicture]) {
        let numbers = pictures.map(\.number)
        let known = numbers.filter { stills[$0] != nil }
        let names = known.compactMap { stills[$0] }.flatMap(\.files).map(\.name)
        for number in numbers { (stills[number], display.files[number], display.wholes[number]) = (nil, nil, nil) }
        storing.add { [self] in await remove(names, of: known) }
    }

    /// Removes files. After a failed save the record on disk still lists them, so they stay; they are strays, removed
    /// later.
    private func remove(_ names: [String], of numbers: [Int]) async {
        guard saveFailure == nil, !names.isEmpty else { return }
        do throws(CaptureError) {
            try await folder.remove(names)
            emit(.removed(numbers: numbers, files: names))
        } catch {
            emit(.notice(Notice(.pictureNotRemoved, error)))
        }
    }

    // MARK: The end

    /// Waits for all pending work, then closes everything: nothing may happen after the end, and nothing may stay open.
    func close() async -> SessionOutcome {
        callOff()
        watching?.cancel()
        gates.watch([])
        await taking.finish()
        await bringing.finish()
        await storing.finish()
        if saveFailure != nil { await write(record.with(machine.progress, stills)) }
        if let saveFailure, ending == .accepted || ending == .cancelled { ending = .failed(saveFailure) }
        for watch in watches { watch.cancel() }
        await switching.finish()
        for camera in cameras.values { await camera.close() }
        await screen.close()
        await chime.close()
        return await deliver()
    }

    private func deliver() async -> SessionOutcome {
        let ending = ending ?? .left
        let pictures = ending == .cancelled ? [] : await deliveredPictures()
        let isEmpty = !machine.progress.isBegun && machine.progress.setAside.isEmpty
        let isCleared = shelter != nil || isEmpty
        let kept = shelter == nil ? machine.progress.setAside + machine.progress.pictures : []
        let names = kept.compactMap { stills[$0.number] }.flatMap(\.files).map(\.name)
        // Pictures that came after they were canceled are removed, too.
        if isCleared || ending == .cancelled {
            try? await folder.removeStrays(of: session.stages.map(\.name), but: Set(names))
        }
        if isCleared { await folder.clear() }
        let path = await folder.path
        await folder.close()
        if let shelter { await BlockingWork.run { _ = rmdir(shelter) } }
        return SessionOutcome(
            ending: ending, folder: isCleared ? nil : path, pictures: pictures,
            skipped: machine.progress.stages.filter { $0.state == .skipped }.map(\.name))
    }

    private func deliveredPictures() async -> [SessionOutcome.Picture] {
        var pictures: [SessionOutcome.Picture] = []
        for still in machine.progress.pictures.compactMap({ stills[$0.number] }) {
            let bytes = shelter == nil ? nil : try? await folder.read(still.file.name)
            let crop = shelter == nil ? nil : still.crop?.file.name
            let cropBytes: [UInt8]? = if let crop { try? await folder.read(crop) } else { nil }
            pictures.append(SessionOutcome.Picture(still: still, bytes: bytes, crop: cropBytes))
        }
        return pictures
    }
}

extension CaptureError {
    static func isOver(_ path: String, _ ending: SessionProgress.Ending) -> CaptureError {
        CaptureError(
            .usage, "the session is over: it was \(ending.rawValue)", subject: path,
            advice: "begin another with gst-capture session run")
    }
}
