// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import OverlayCompositor
import StillKit

/// Leads a user through a session: shows each stage, counts down, captures the pictures, and stores them together.
///
/// ``SessionMachine``, which is pure, decides the next step; the controller carries it out. A controller runs once.
///
///     let controller = SessionController(session, configuration, rasterizer: rasterizer)
///     Task { for await event in controller.events { print(event) } }
///     let outcome = await controller.run()
///
/// Write order of each picture: (1) `session.json` reserving the picture's number, (2) the picture, (3) `session.json`
/// listing it, (4) the event. A crash at any point leaves a folder that can be resumed.
public actor SessionController {
    /// All events from the first on; ends after ``SessionEvent/finished(_:)``. One task may iterate the sequence;
    /// ``listen(buffering:)`` serves others. A task that is more than 4096 events behind loses the oldest.
    public nonisolated let events: AsyncMapSequence<AsyncStream<NumberedSessionEvent>, SessionEvent>

    /// A library picture that a request names, and how it is moved under the outline.
    typealias Wanted = (path: String, adjustment: CropAdjustment)

    nonisolated let session: SessionDescription
    nonisolated let configuration: SessionConfiguration
    nonisolated let broadcast = EventBroadcast<SessionEvent>()
    nonisolated let overlay: Overlay?
    nonisolated let screen: PreviewScreen
    nonisolated let gates: GateWatch
    nonisolated let chime: Chime
    nonisolated let cropper: StillCropper?
    nonisolated let planner: OverlayPlanner?
    let cameras: [CameraRole: SessionCamera]
    var folder: SessionFolder
    /// The temporary folder around ``folder`` if pictures go to the caller; both exist only while the session runs.
    var shelter: String?

    var machine: SessionMachine
    var record: SessionRecord
    /// The records of the pictures, by number.
    var stills: [Int: SessionStill] = [:]
    var pilot: SessionAutopilot?
    /// Inputs that are not handled yet: handling one can append others. Requests made before the session is prepared
    /// wait here.
    var inputs: [(input: SessionMachine.Input, picture: Wanted?)] = [(.begin, nil)]
    var isHandling = true
    var alarm = Alarm()
    var flash = Alarm()
    var prompt = Alarm()
    /// How the session ended, while its last screen is shown.
    var farewell: SessionOutcome.Ending?
    var storing = TaskChain()
    var taking = TaskChain()
    var bringing = TaskChain()
    var switching = TaskChain()
    /// The gates' scores and the preview's geometry when the countdown reached zero.
    var moment: (scores: [GateScore], geometry: StillGeometry?)?
    /// The gates that are judged now.
    var watched: [GateRequest] = []
    var watching: Task<Void, Never>?
    var watches: [Task<Void, Never>] = []
    /// The camera that is shown, and the role that it plays.
    var current: (camera: SessionCamera, role: CameraRole, isReady: Bool)?
    /// The library picture that the current request names.
    var wanted: Wanted?
    /// The library pictures that can be brought in.
    var library: LibraryQueue
    /// The errors of cameras that are lost for good. One camera can play both roles.
    var gone: [ObjectIdentifier: CaptureError] = [:]
    var display = SessionDisplay()
    /// The error of the last save, and the events that wait for a save to succeed.
    var saveFailure: CaptureError?
    var owed: [SessionEvent] = []
    var isExposureReported = false
    /// The number of pictures in a row whose edges were not found, by stage.
    var unrectified: [Int: Int] = [:]
    var ending: SessionOutcome.Ending?
    var waiting: CheckedContinuation<Void, Never>?

    /// Prepares a session; it opens nothing yet.
    ///
    /// - Parameter hub: Owns the cameras, which other jobs may use at the same time.
    /// - Parameter rasterizer: Draws outlines, text, pages, and the shapes of crops; `nil` for none of them.
    public init(
        _ session: SessionDescription, _ configuration: SessionConfiguration, hub: CameraHub = CameraHub(),
        rasterizer: (any Rasterizer)? = nil
    ) {
        (self.session, self.configuration) = (session, configuration)
        library = LibraryQueue(configuration.library)
        events = broadcast.listen(buffering: 4096).map(\.event)
        overlay = rasterizer.map(Overlay.init)
        gates = GateWatch(accelerometer: configuration.accelerometer)
        let usual = CameraRole.allCases.lazy.compactMap { configuration.cameras[$0] }.first
        screen = PreviewScreen(
            configuration.preview, overlay, rasterizer, observer: gates, orientation: usual?.orientation ?? .upright)
        chime = Chime(configuration.sound) { [broadcast] in broadcast.emit(.notice(Notice(.soundFailed, $0))) }
        cropper = rasterizer.map(StillCropper.init)
        planner = rasterizer.map { OverlayPlanner($0) }
        cameras = configuration.cameras.mapValues { [screen] camera in
            SessionCamera(camera, preview: screen, configuration.preview, hub: hub, rasterizer)
        }
        machine = SessionMachine(session)
        record = SessionRecord(session, begun: configuration.wallClock())
        record.definition = configuration.definition?.path
        folder = SessionFolder(in: ".", session: session.name, definition: configuration.definition?.text)
    }

    /// Runs the session; returns when it is over or left, and everything is closed.
    ///
    /// Call it once. It does not throw: ``SessionOutcome/ending`` holds the error.
    public func run() async -> SessionOutcome {
        do throws(CaptureError) {
            try await prepare()
            handleAll()
        } catch {
            conclude(.failed(error))
        }
        if ending == nil { await withCheckedContinuation { waiting = $0 } }
        let outcome = await close()
        broadcast.emit(.finished(outcome))
        broadcast.finish()
        return outcome
    }

    // MARK: Requests, at any time

    /// Continues: begins, turns the page of the tutorial, starts the countdown, or stops showing the picture. In the
    /// review, shows the selected picture alone, or all pictures again.
    public func trigger() {
        if machine.phase == .review, let tile = display.closeUp ?? display.selection { return lookCloser(at: tile) }
        request(.trigger)
    }

    /// Skips the tutorial or the stage.
    public func skip() { request(.skip) }

    /// Aborts the run; ``SessionDescription/abort`` decides the effect.
    public func abort() { request(.abort) }

    /// Ends the session at once; its pictures are deleted unless the session keeps those of aborted runs.
    public func cancel() { request(.cancel) }

    /// Switches to the camera on the other side.
    public func switchCamera() { request(.switchCamera) }

    /// Retakes a stage, counted from 0, or its picture of one number. Former pictures are kept until they are replaced.
    public func retake(stage: Int, picture: Int? = nil) { request(.retake(stage: stage, picture: picture)) }

    /// Accepts the pictures.
    public func accept() { request(.accept) }

    /// Discards the pictures.
    public func discard() { request(.discard) }

    /// Brings in the next picture of the library, in place of capturing one.
    public func bring() { request(.bring) }

    /// Brings in this picture, in place of capturing one.
    ///
    /// - Parameter adjustment: How the picture is moved under the outline, if the stage crops it to that.
    public func bring(_ path: String, adjustment: CropAdjustment = CropAdjustment()) {
        request(.bring, (path, adjustment))
    }

    /// Retakes the picture that is shown: the one just captured, or in the review the one that is shown alone, selected
    /// or the only one.
    ///
    /// - Parameter wholeStage: `true` to retake all pictures of its stage.
    public func retakeShown(wholeStage: Bool = false) {
        let tiles = composer.tiles(machine.progress)
        let shown: (stage: Int, picture: Int?)? =
            switch machine.phase {
            case .stageDone(let stage, _): (stage, machine.progress.stages[stage].pictures.last?.number)
            case .review:
                (display.closeUp ?? display.selection ?? (tiles.count == 1 ? 0 : nil)).map { tile in
                    (tiles[tile].stage, tiles[tile].picture?.number)
                }
            default: (stageInHand ?? 0, nil)
            }
        if let shown {
            request(.retake(stage: shown.stage, picture: wholeStage ? nil : shown.picture))
            return
        }
        display.setNotice("press the number of a picture first")
        emit(.refused(reason: "no-picture-shown", explanation: display.notice))
        show()
    }

    /// Shows one tile of the review alone, counted from 0. There is a tile for each picture, and one for each stage
    /// without pictures. A second call for the same tile, or `nil`, shows all tiles. Has no effect outside of the
    /// review.
    public func lookCloser(at tile: Int?) {
        guard machine.phase == .review, tile.map({ composer.tiles(machine.progress).indices.contains($0) }) ?? true
        else { return }
        withdrawPrompt()
        display.closeUp = tile == display.closeUp ? nil : tile
        display.selection = tile ?? display.selection
        show()
    }

    /// Turns mirroring of the preview on or off.
    public nonisolated func mirrorPreview(_ isOn: Bool) { screen.mirror(isOn) }

    /// Leaves the session as it is; a session with a folder can be resumed.
    public func leave() { conclude(.left) }
}
