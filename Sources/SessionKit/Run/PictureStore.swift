// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipKit
import CropKit
import GateKit
import OverlayCompositor
import StillKit
import VideoKit

/// Crops, stores and records the pictures of a session, and resumes those of an earlier run.
///
/// The controller owns the store; all calls run on its actor. Calls that return at once queue their work.
final class PictureStore {
    private let session: SessionDescription
    private let configuration: SessionConfiguration
    private let broadcast: EventBroadcast<SessionEvent>
    private let storage: SessionStorage
    private let cropper: SessionCropper?
    private let judge: SessionJudge
    private let rasterizer: (any Rasterizer)?
    private var pictures: SessionPictures
    private var record: SessionRecord

    /// - Parameter rasterizer: Draws the shapes of crops; `nil` to crop nothing.
    init(
        _ session: SessionDescription, _ configuration: SessionConfiguration, _ storage: SessionStorage,
        _ broadcast: EventBroadcast<SessionEvent>, _ rasterizer: (any Rasterizer)?
    ) {
        (self.session, self.configuration, self.storage, self.broadcast) = (session, configuration, storage, broadcast)
        self.rasterizer = rasterizer
        cropper = rasterizer.map { SessionCropper(StillCropper($0), quality: configuration.cropQuality) }
        judge = SessionJudge(rasterizer)
        pictures = SessionPictures(library: configuration.library)
        record = SessionRecord(session, begun: configuration.wallClock())
        record.definition = configuration.definition?.path
    }

    // MARK: The beginning

    /// Prepares the folder, or resumes the session that it contains.
    ///
    /// - Parameter cameras: The ids of this run's cameras; earlier pictures from others cause a notice.
    /// - Returns: The progress of the earlier run, without pictures whose files are missing; `nil` for a new session.
    /// - Throws: ``CaptureError`` if the folder cannot be created, written or resumed.
    func prepare(for cameras: Set<String>) async throws(CaptureError) -> SessionProgress? {
        guard let (record, missing) = try await storage.prepare() else { return nil }
        self.record = record
        for name in missing.sorted() {
            emit(Notice(.pictureMissing, about: name, "\(name) is gone from the session's folder"))
        }
        var progress = record.progress
        progress.lose(pictures.restore(record.stills, missing: missing))
        try progress.check(against: session)
        try await storage.removeStrays(but: Array(record.stills.values))
        pictures.restoreLibrary(progress)
        let names = pictures.cameras.subtracting(cameras).sorted().joined(separator: ", ")
        if !names.isEmpty {
            emit(Notice(.cameraChanged, about: names, "earlier pictures are from another camera: \(names)"))
        }
        if let path = await storage.path { pictures.showAll(in: path) }
        return progress
    }

    /// Sets the time at which the session began to now. The controller calls it at the first trigger, because a kiosk
    /// may wait for hours. A resumed session without pictures begins again.
    func begin() {
        let now = configuration.wallClock()
        record.begun = now.iso8601
        storage.begin(at: now)
    }

    // MARK: The pictures

    /// Returns the records of pictures, in the same order. A picture without a record is left out.
    func records(of pictures: [SessionPicture]) -> [SessionStill] { self.pictures.records(of: pictures) }

    /// Adds the paths of the pictures to a scene, and whether the library has another picture.
    func addFiles(to scene: inout SessionScene) {
        (scene.files, scene.wholes, scene.durations) = (pictures.files, pictures.wholes, pictures.durations)
        scene.hasLibrary = !pictures.library.isEmpty
    }

    /// Queues a save of the progress, and updates the queue of the library.
    func save(_ progress: SessionProgress) {
        storage.save(record(of: progress))
        pictures.library.follow(progress)
    }

    private func record(of progress: SessionProgress) -> SessionRecord {
        record.with(progress, pictures.records, at: configuration.wallClock())
    }

    /// Emits a picture once the record that lists it is durable; does nothing if the progress does not have it.
    func acknowledge(_ number: Int, _ progress: SessionProgress) {
        guard progress.pictures.contains(where: { $0.number == number }), let still = pictures.records[number] else {
            return
        }
        storage.emitWhenDurable(still)
    }

    /// Removes pictures that no longer belong to the session, once the saved record omits them.
    func release(_ numbers: [Int]) { storage.remove(pictures.drop(numbers)) }

    // MARK: The library

    /// Removes the next picture from the library's queue, and returns it; `nil` if none is left.
    func dequeue(for number: Int) -> Taking.LibraryFile? {
        pictures.library.dequeue(for: number).map {
            Taking.LibraryFile(source: .path($0), adjustment: configuration.adjustment)
        }
    }

    /// Puts a canceled picture of the library back into the queue, as the next one.
    func cancel(_ number: Int) { pictures.library.cancel(number) }

    // MARK: The end

    /// Waits until all changes are durable.
    ///
    /// - Returns: The error if the record is not saved; `nil` also if the session keeps nothing, because its folder is
    ///   removed with the record.
    func finish(_ progress: SessionProgress) async -> CaptureError? {
        let failure = await storage.finish(record(of: progress))
        return progress.isEmpty ? nil : failure
    }

    /// Closes the folder, and returns the result of the session: its pictures unless it was canceled.
    ///
    /// If a picture for the caller cannot be read, an accepted session fails. If files cannot be removed, a canceled
    /// session of which nothing should be left fails.
    func deliver(_ ending: SessionOutcome.Ending, _ progress: SessionProgress) async -> SessionOutcome {
        if ending == .accepted { await addResults(progress) }
        var ending = ending
        var delivered: [SessionOutcome.Picture] = []
        for still in ending == .cancelled ? [] : records(of: progress.pictures) {
            let (picture, failure) = await storage.picture(still)
            delivered.append(picture)
            guard let failure else { continue }
            if ending == .accepted { ending = .failed(failure) } else { emit(Notice(.pictureMissing, failure)) }
        }
        let kept = records(of: progress.setAside + progress.pictures)
        let (path, failure) = await storage.close(
            keeping: kept, isCancelled: ending == .cancelled, isEmpty: progress.isEmpty)
        if let failure {
            let isLeft = ending != .cancelled || !progress.isEmpty
            if isLeft { emit(Notice(.pictureNotRemoved, failure)) } else { ending = .failed(failure) }
        }
        return SessionOutcome(
            ending: ending, folder: path, pictures: delivered,
            skipped: progress.stages.filter { $0.state == .skipped }.map(\.name), results: record.results)
    }

    /// Makes the results of the accepted pictures, and records them. One that cannot be made is reported.
    private func addResults(_ progress: SessionProgress) async {
        guard !session.results.isEmpty, let folder = await storage.path, let rasterizer else { return }
        let pictures = records(of: progress.pictures).compactMap(\.shown).map { file in
            SessionSheet.Picture(path: folder + "/" + file.name, width: file.width, height: file.height)
        }
        guard !pictures.isEmpty else { return }
        for kind in session.results {
            do throws(CaptureError) {
                let sheet = SessionSheet(kind, of: pictures, titled: session.title)
                let bytes = try await sheet.draw(by: rasterizer)
                let (_, file) = try await storage.add(
                    bytes, as: kind.fileName, width: sheet.width, height: sheet.height)
                record.results.append(file)
            } catch {
                emit(Notice(.layerNotDrawn, error))
            }
        }
        storage.save(record(of: progress))
        await storage.settle()
    }

    /// Closes the folder of a session whose preparation failed, and returns the result. The pictures of an earlier run
    /// stay.
    func abandon(_ ending: SessionOutcome.Ending) async -> SessionOutcome {
        SessionOutcome(ending: ending, folder: await storage.abandon(), pictures: [], skipped: [])
    }

    private func emit(_ notice: Notice) { broadcast.emit(.notice(notice)) }
}

extension SessionProgress {
    /// `true` if nothing of the session is kept: its folder is removed at the end.
    fileprivate var isEmpty: Bool { !isBegun && setAside.isEmpty }
}

/// Single pictures. Each call runs in the task of its picture; canceling the task cancels the picture.
extension PictureStore {
    /// Captures a picture and stores it.
    ///
    /// - Parameters:
    ///   - cameras: The camera that is shown, then those of ``Taking/besides``.
    ///   - outline: The outline of the stage; `nil` to crop nothing.
    ///   - signal: Waits for zero, and returns the picture with its scores and its geometry.
    /// - Returns: The input for the machine; `nil` if the picture was canceled, or if the camera is lost: the camera's
    ///   event then cancels the picture.
    func capture(
        _ taking: Taking, with cameras: [SessionCamera], along outline: Outline?,
        _ signal: @escaping @Sendable (Taking) async -> Taking
    ) async -> SessionMachine.Input? {
        do throws(CaptureError) {
            try checkWanted()
            async let signalled = signal(taking)
            let stage = session.stages[taking.stage]
            let needsPixels = stage.crop != .none || session.rejectsPictures(of: stage)
            guard let shot = try await shot(taking, with: cameras, bestOf: stage.bestOf, needsPixels: needsPixels)
            else {
                return nil
            }
            try await add(try await judged(shot, signalled, along: outline), signalled, along: outline)
            return .taken(picture: taking.number)
        } catch {
            return fail(taking, error)
        }
    }

    /// Records a clip and stores it.
    ///
    /// - Parameters:
    ///   - signal: Waits for zero, and returns the clip with its scores and its geometry.
    ///   - begin: Called when the first picture is being recorded.
    /// - Returns: The input for the machine; `nil` if the clip was canceled, or if the camera is lost: the camera's
    ///   event then cancels the clip.
    func record(
        _ taking: Taking, by recorder: SessionRecorder, _ signal: @escaping @Sendable (Taking) async -> Taking,
        _ begin: @escaping @Sendable () async -> Void
    ) async -> SessionMachine.Input? {
        let stage = session.stages[taking.stage]
        let name = SessionFileName(clip: taking.number, of: stage.name).text
        do throws(CaptureError) {
            try checkWanted()
            async let signalled = signal(taking)
            // The number of the clip must be on disk before the clip.
            await storage.settle()
            let path = try await storage.openFolder() + "/" + name
            let clip = try await recorder.record(to: path, from: taking.zero, storage) { [broadcast] event in
                switch event {
                case .begun: await begin()
                case .changed(let recording): broadcast.emit(.recorder(recording, taking.role ?? .front))
                case .notice(let notice): broadcast.emit(.notice(notice))
                }
            }
            guard let clip else {
                await storage.removeUnfinished(name)
                return nil
            }
            try await add(clip, name, await signalled, of: stage, from: recorder.cameraID)
            return .taken(picture: taking.number)
        } catch {
            await storage.removeUnfinished(name)
            return fail(taking, error)
        }
    }

    /// Records a clip whose file is durable, with its first picture.
    private func add(
        _ clip: Clip, _ name: String, _ taking: Taking, of stage: SessionStage, from camera: String
    ) async throws(CaptureError) {
        let (folder, file) = try await storage.adopt(
            name, byteCount: clip.byteCount, width: clip.width, height: clip.height)
        var still = SessionStill(number: taking.number, stage: stage.name, file: file)
        (still.duration, still.role, still.gates) = (clip.duration, taking.role, taking.scores)
        still.outline = stage.outline.flatMap { name in taking.geometry.map { SessionOutline(name, on: $0) } }
        (still.camera, still.taken) = (camera, clip.start.iso8601)
        let zero = WallTime.of(taking.zero).millisecondsSince1970
        still.offset = .milliseconds(clip.start.millisecondsSince1970 - zero)
        still.poster = await poster(of: folder + "/" + name, for: still)
        pictures.add(still, in: folder)
    }

    /// Stores the first picture of a clip. If that fails, emits a notice and returns `nil`.
    private func poster(of path: String, for still: SessionStill) async -> SessionFileRecord? {
        do throws(CaptureError) {
            let bytes = try await ClipPoster.jpeg(of: path, width: Self.posterWidth)
            let picture = try LibraryPicture(bytes: bytes)
            let name = SessionFileName(still.stage, still.number, .jpeg)
            return try await add(bytes, as: name, picture.width, picture.height).file
        } catch {
            if !Task.isCancelled { emit(Notice(.posterFailed, error)) }
            return nil
        }
    }

    /// The maximum width of the first picture of a clip.
    private static let posterWidth = 1920

    /// Brings in a picture of the library and stores it.
    ///
    /// - Returns: The input for the machine; `nil` if the picture was canceled.
    func bring(
        _ file: Taking.LibraryFile, _ taking: Taking, along outline: Outline?
    ) async -> SessionMachine.Input? {
        var taking = taking
        taking.file = file
        do throws(CaptureError) {
            let picture = try await BlockingWork.run { () throws(CaptureError) in
                switch file.source {
                case .path(let path): try LibraryPicture(path: path)
                case .bytes(let bytes): try LibraryPicture(bytes: bytes)
                }
            }
            var shot = SessionShot(picture: picture)
            // Each picture is decoded completely before it counts.
            if session.stages[taking.stage].crop == .none {
                try await StillCoding.check(picture.bytes, picture.format)
            } else {
                shot.pixels = try await StillCoding.pixels(of: picture.bytes, picture.format)
            }
            try await add(shot, taking, along: outline)
            return .taken(picture: taking.number)
        } catch {
            return fail(taking, error)
        }
    }

    /// Captures the same moment with each camera.
    ///
    /// - Returns: The picture of the first camera, with the views of the others; `nil` if a camera is lost.
    private func shot(
        _ taking: Taking, with cameras: [SessionCamera], bestOf count: Int, needsPixels: Bool
    ) async throws(CaptureError) -> SessionShot? {
        let shots = await withTaskGroup(of: (Int, Result<SessionShot?, CaptureError>).self) { group in
            for (index, camera) in cameras.enumerated() {
                group.addTask {
                    do throws(CaptureError) {
                        let needsPixels = needsPixels && index == 0
                        let shot = try await camera.capture(taking, bestOf: count, needsPixels: needsPixels)
                        return (index, .success(shot))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        guard var shot = try shots[0]?.get() else { return nil }
        for (index, role) in taking.besides.enumerated() {
            guard let view = try shots[index + 1]?.get() else { return nil }
            shot.views.append((role, view))
        }
        return shot
    }

    /// Judges a picture by the gates of its stage that reject pictures. After two rejected pictures in a row, the third
    /// is kept, and a notice gives the reason.
    ///
    /// - Returns: The picture, with its pixels if they were needed.
    /// - Throws: ``CaptureError`` `.temporary` with the reason if the picture is rejected.
    private func judged(
        _ shot: SessionShot, _ taking: Taking, along outline: Outline?
    ) async throws(CaptureError) -> SessionShot {
        let stage = session.stages[taking.stage]
        guard session.rejectsPictures(of: stage) else { return shot }
        var shot = shot
        let pixels: StillPixels
        if let raw = shot.pixels {
            pixels = raw
        } else {
            pixels = try await StillCoding.pixels(
                of: shot.picture.bytes, shot.picture.format, isStrict: false)
            shot.pixels = pixels
        }
        let geometry = taking.geometry ?? SessionJudge.geometry(width: shot.picture.width, height: shot.picture.height)
        let finding = try await judge.rejection(of: pixels, on: geometry, by: session.gates(of: stage), along: outline)
        guard let finding else { return shot }
        try checkWanted()
        let error = CaptureError.rejected(by: finding, subject: stage.name)
        if pictures.rejects(in: taking.stage) { throw error }
        let message = "kept a picture that the gate \"\(finding.kind.rawValue)\" rejects, after two others"
        emit(Notice(.pictureDoubtful, message, subject: stage.name, advice: finding.hint?.rawValue))
        return shot
    }

    private func fail(_ taking: Taking, _ error: CaptureError) -> SessionMachine.Input? {
        // The machine has canceled the picture, and does not wait for its failure.
        guard !Task.isCancelled else { return nil }
        pictures.library.fail(taking.number)
        return .failed(picture: taking.number, error)
    }

    /// Stores a picture, and the crop that its stage requires. If only the crop fails, the whole picture is kept,
    /// unless ``SessionStage/unrectified`` requires a retake.
    private func add(_ shot: SessionShot, _ taking: Taking, along outline: Outline?) async throws(CaptureError) {
        let (stage, picture) = (session.stages[taking.stage], shot.picture)
        let (crop, failure) = await crop(shot, taking, of: stage, along: outline)
        try checkWanted()
        if let failure { try accept(failure, taking, of: stage, isCropped: crop != nil) }
        pictures.keepsPicture(of: taking.stage)
        // The number of the picture must be on disk before the picture.
        await storage.settle()
        let name = SessionFileName(stage.name, taking.number, picture.format)
        let (folder, file) = try await add(picture.bytes, as: name, picture.width, picture.height)
        var still = SessionStill(taking, shot, of: stage, file: file)
        if let crop { still.crop = await add(crop, of: still) }
        for view in shot.views { still.views.append(try await add(view.shot, as: view.role, of: still)) }
        pictures.add(still, in: folder)
    }

    private func crop(
        _ shot: SessionShot, _ taking: Taking, of stage: SessionStage, along outline: Outline?
    ) async -> (crop: CroppedStill?, failure: CaptureError?) {
        guard stage.crop != .none, let outline, let cropper else { return (nil, nil) }
        return await cropper.crop(shot, taking, of: stage, along: outline)
    }

    /// Emits a notice that a picture was not cropped as its stage requires. If ``SessionStage/unrectified`` is
    /// `retake`, throws for two pictures in a row instead, so that they are retaken. A picture of the library, which
    /// has no place on the preview, is always kept: it would fail again.
    ///
    /// - Parameter isCropped: `true` if the picture was cropped along the outline instead.
    private func accept(
        _ failure: CaptureError, _ taking: Taking, of stage: SessionStage, isCropped: Bool
    ) throws(CaptureError) {
        if stage.crop == .rectify, stage.unrectified == .retake, taking.geometry != nil,
            pictures.rejects(in: taking.stage)
        {
            throw CaptureError(
                .temporary, failure.message, subject: stage.name,
                advice: failure.advice
                    ?? "put the card on a plain background of another brightness, and retake the picture")
        }
        let message = failure.message + (isCropped ? "; cropped along the outline" : "")
        emit(Notice(.cropFailed, message, subject: stage.name))
    }

    /// Checks that the picture was not canceled.
    private func checkWanted() throws(CaptureError) { if Task.isCancelled { throw .calledOff } }

    /// Stores a file, unless the picture was canceled meanwhile.
    private func add(
        _ bytes: [UInt8], as name: SessionFileName, _ width: Int, _ height: Int
    ) async throws(CaptureError) -> (folder: String, file: SessionFileRecord) {
        try checkWanted()
        return try await storage.add(bytes, as: name.text, width: width, height: height)
    }

    /// Stores a picture as a further camera saw it.
    private func add(
        _ shot: SessionShot, as role: CameraRole, of still: SessionStill
    ) async throws(CaptureError) -> SessionStill.View {
        let picture = shot.picture
        let name = SessionFileName(still.stage, still.number, picture.format, .view(role))
        let file = try await add(picture.bytes, as: name, picture.width, picture.height).file
        return SessionStill.View(
            role: role, camera: shot.camera ?? "", file: file, taken: shot.captured?.iso8601 ?? "",
            offset: shot.offset ?? .zero)
    }

    /// Stores the crop of a picture. If that fails, emits a notice and returns `nil`.
    private func add(_ crop: CroppedStill, of still: SessionStill) async -> SessionCrop? {
        do throws(CaptureError) {
            let name = SessionFileName(still.stage, still.number, crop.format, .crop)
            let file = try await add(crop.bytes, as: name, crop.width, crop.height).file
            return SessionCrop(file: file, corners: crop.corners, confidence: crop.confidence)
        } catch {
            // The machine releases a canceled picture, which needs no crop.
            if error != .calledOff { emit(Notice(.cropFailed, error)) }
            return nil
        }
    }
}

extension CaptureError {
    static let noCameraNow = CaptureError(.noCamera, "no camera is available now", subject: "session")

    /// The reason for rejecting a captured picture.
    fileprivate static func rejected(by finding: GateFinding, subject: String) -> CaptureError {
        CaptureError(
            .temporary, "the gate \"\(finding.kind.rawValue)\" rejects the picture", subject: subject,
            advice: finding.hint?.rawValue)
    }

    static let emptyLibrary = CaptureError(
        .noInput, "no picture is left to bring in", subject: "library", advice: "give more with --library")
}

/// The tasks of a session's pictures, in two chains: each capture waits for the capture before it, and each library
/// picture for the library picture before it.
///
/// The owner must await ``finish()``.
struct PictureTasks {
    private var capturing = TaskChain()
    private var bringing = TaskChain()

    /// Captures a picture when all earlier captures are done.
    mutating func capture(_ work: @escaping @Sendable () async -> Void) { capturing.add(work) }

    /// Brings in a picture of the library when all earlier ones are done.
    mutating func bring(_ work: @escaping @Sendable () async -> Void) { bringing.add(work) }

    /// Cancels the newest task of each chain: at most one of the two is pending.
    func callOff() {
        capturing.cancelLast()
        bringing.cancelLast()
    }

    /// Returns when all tasks added so far are done.
    func finish() async {
        await capturing.finish()
        await bringing.finish()
    }
}
