// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import PipelineKit

/// Leads somebody through a session: shows each stage, counts down, takes the pictures, and keeps them together.
///
/// What to do next is decided by ``SessionMachine``, which is pure; the controller carries it out. It runs once.
///
///     let controller = SessionController(session, configuration, rasteriser: rasteriser)
///     Task { for await event in controller.events { print(event) } }
///     let outcome = await controller.run()
///
/// What is durable comes in this order: where the session stands, before a picture of that number is stored; the picture;
/// then the standing that has it. Only then it is told. A crash at any point leaves a folder that can be gone on with.
public actor SessionController {
    /// All events from the first on; ends after ``SessionEvent/finished(_:)``. One task may iterate it; ``listen(buffering:)``
    /// serves others. A task that is more than 4096 events behind loses the oldest.
    public nonisolated let events: AsyncMapSequence<AsyncStream<NumberedSessionEvent>, SessionEvent>

    /// A picture of a library that somebody named, and how it is moved under the outline.
    typealias Wanted = (path: String, adjustment: CropAdjustment)

    nonisolated let session: SessionDescription
    nonisolated let configuration: SessionConfiguration
    nonisolated let broadcast = SessionBroadcast()
    nonisolated let overlay: Overlay?
    nonisolated let screen: PreviewScreen
    nonisolated let gates: GateWatch
    nonisolated let chime: Chime
    nonisolated let cropper: StillCropper?
    nonisolated let planner: OverlayPlanner?
    let cameras: [CameraRole: SessionCamera]
    var folder: SessionFolder
    /// The folder that ``folder`` is in, where both are for as long as the session runs.
    var shelter: String?

    var machine: SessionMachine
    var record: SessionRecord
    /// What is known of the pictures, by number.
    var stills: [Int: SessionStill] = [:]
    var pilot: SessionAutopilot?
    /// What happened and was not taken in yet: one thing can lead to the next. What somebody asks for before all is
    /// prepared waits until it has begun.
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
    /// What gates found and where the preview lay when the countdown said zero.
    var moment: (scores: [GateScore], geometry: StillGeometry?)?
    /// The gates that are judged now.
    var watched: [GateRequest] = []
    var watching: Task<Void, Never>?
    var watches: [Task<Void, Never>] = []
    /// The camera that is shown, and the role that it plays.
    var current: (camera: SessionCamera, role: CameraRole, isReady: Bool)?
    /// The picture that is named by whoever asks for what is being done.
    var wanted: Wanted?
    /// The pictures of the library that are still to be brought in.
    var library: LibraryQueue
    /// Which cameras are lost for good, and why. One can play both roles.
    var gone: [ObjectIdentifier: CaptureError] = [:]
    var display = SessionDisplay()
    /// Why the standing could not be written down, and what is not told because of it.
    var saveFailure: CaptureError?
    var owed: [SessionEvent] = []
    var isExposureTold = false
    /// How many pictures in a row had no edges that were found, by stage.
    var unrectified: [Int: Int] = [:]
    var ending: SessionOutcome.Ending?
    var waiting: CheckedContinuation<Void, Never>?

    /// Prepares a session; nothing is opened yet.
    ///
    /// - Parameter rasteriser: What draws outlines, words and pages, and the shape of crops; without one there are none.
    public init(
        _ session: SessionDescription, _ configuration: SessionConfiguration, rasteriser: (any Rasteriser)? = nil
    ) {
        (self.session, self.configuration) = (session, configuration)
        library = LibraryQueue(configuration.library)
        events = broadcast.listen(buffering: 4096).map(\.event)
        overlay = rasteriser.map(Overlay.init)
        gates = GateWatch(accelerometer: configuration.accelerometer)
        let usual = CameraRole.allCases.lazy.compactMap { configuration.cameras[$0] }.first
        screen = PreviewScreen(
            configuration.preview, overlay, rasteriser, observer: gates, orientation: usual?.orientation ?? .upright)
        chime = Chime(configuration.sound) { [broadcast] in broadcast.yield(.notice("\($0)")) }
        cropper = rasteriser.map(StillCropper.init)
        planner = rasteriser.map { OverlayPlanner($0) }
        cameras = configuration.cameras.mapValues { [screen] camera in
            SessionCamera(camera, preview: screen, configuration.preview, rasteriser)
        }
        machine = SessionMachine(session)
        record = SessionRecord(session, begun: configuration.wallClock())
        record.definition = configuration.definition?.path
        folder = SessionFolder(in: ".", session: session.name, definition: configuration.definition?.text)
    }

    /// Does all of it, and returns when the session is over or left and everything is closed.
    ///
    /// It does not throw: ``SessionOutcome/ending`` tells. To be called once.
    public func run() async -> SessionOutcome {
        do throws(CaptureError) {
            try await prepare()
            handleAll()
        } catch {
            conclude(.failed(error))
        }
        if ending == nil { await withCheckedContinuation { waiting = $0 } }
        let outcome = await close()
        broadcast.yield(.finished(outcome))
        broadcast.finish()
        return outcome
    }

    // MARK: What somebody asks for, at any time

    /// Goes on: begins, turns the page of the tutorial, counts down, does not wait any longer to see the picture, or shows
    /// all pictures of the review again.
    public func trigger() {
        if machine.phase == .review, let tile = display.closeUp ?? display.selection { return lookCloser(at: tile) }
        request(.trigger)
    }

    /// Leaves out the tutorial, or the stage.
    public func skip() { request(.skip) }

    /// Aborts the run, as the session says.
    public func abort() { request(.abort) }

    /// Ends all at once; pictures are gone unless the session keeps those of aborted runs.
    public func cancel() { request(.cancel) }

    /// Shows the camera on the other side.
    public func switchCamera() { request(.switchCamera) }

    /// Takes a stage once more, counted from 0, or its picture of one number; what is retaken is kept until it is replaced.
    public func retake(stage: Int, picture: Int? = nil) { request(.retake(stage: stage, picture: picture)) }

    /// The pictures are as they should be.
    public func accept() { request(.accept) }

    /// The pictures are not wanted.
    public func discard() { request(.discard) }

    /// Brings the next picture of the library in, in place of taking one.
    public func bring() { request(.bring) }

    /// Brings this picture in, in place of taking one.
    ///
    /// - Parameter adjustment: How it is moved under the outline, where it is cropped to that.
    public func bring(_ path: String, adjustment: CropAdjustment = CropAdjustment()) {
        request(.bring, (path, adjustment))
    }

    /// Takes the picture that is shown once more: the one just taken, or that of the review that is shown alone or selected,
    /// or the only one.
    ///
    /// - Parameter wholeStage: `true` to take all pictures of its stage once more.
    public func retakeShown(wholeStage: Bool = false) {
        let tiles = composer.tiles(machine.standing)
        let shown: (stage: Int, picture: Int?)? =
            switch machine.phase {
            case .stageDone(let stage, _): (stage, machine.standing.stages[stage].pictures.last?.number)
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
        display.note("press the number of a picture first")
        tell(.refused(reason: "no-picture-shown", explanation: display.notice))
        show()
    }

    /// Shows one tile of the review alone, counted from 0, as those are: one for each picture and for each stage without
    /// any. Once more, or with `nil`, all are shown. Elsewhere nothing happens.
    public func lookCloser(at tile: Int?) {
        guard machine.phase == .review, tile.map({ composer.tiles(machine.standing).indices.contains($0) }) ?? true
        else { return }
        withdrawPrompt()
        display.closeUp = tile == display.closeUp ? nil : tile
        display.selection = tile ?? display.selection
        show()
    }

    /// Shows the preview as a mirror does, or not.
    public nonisolated func mirrorPreview(_ isOn: Bool) { screen.mirror(isOn) }

    /// Leaves the session as it is; where it has a folder, it can be gone on with.
    public func leave() { conclude(.left) }
}
