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
    /// What happens, as it happens; ends after ``SessionEvent/finished(_:)``. One task may iterate it. Of a listener that
    /// is more than 4096 events behind, the oldest are dropped.
    public nonisolated let events: AsyncStream<SessionEvent>

    /// A picture of a library that somebody named, and how it is moved under the outline.
    typealias Wanted = (path: String, adjustment: CropAdjustment)

    nonisolated let session: SessionDescription
    nonisolated let configuration: SessionConfiguration
    nonisolated let announce: AsyncStream<SessionEvent>.Continuation
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
    var storing = TaskChain()
    var taking = TaskChain()
    var bringing = TaskChain()
    var switching = TaskChain()
    /// What gates found and where the preview lay when the countdown said zero.
    var moment: (scores: [GateScore], geometry: StillGeometry?)?
    var watching: Task<Void, Never>?
    var watches: [Task<Void, Never>] = []
    /// The camera that is shown, and the role that it plays.
    var current: (camera: SessionCamera, role: CameraRole, isReady: Bool)?
    /// The picture that is named by whoever asks for what is being done.
    var wanted: Wanted?
    /// The pictures of the library that are still to be brought in.
    var library: [String]
    /// Which cameras are lost for good, and why. One can play both roles.
    var gone: [ObjectIdentifier: CaptureError] = [:]
    var display = SessionDisplay()
    /// Why the standing could not be written down, and what is not told because of it.
    var saveFailure: CaptureError?
    var owed: [SessionEvent] = []
    var ending: SessionOutcome.Ending?
    var waiting: CheckedContinuation<Void, Never>?

    /// Prepares a session; nothing is opened yet.
    ///
    /// - Parameter rasteriser: What draws outlines, words and pages, and the shape of crops; without one there are none.
    public init(
        _ session: SessionDescription, _ configuration: SessionConfiguration, rasteriser: (any Rasteriser)? = nil
    ) {
        (self.session, self.configuration) = (session, configuration)
        library = configuration.library
        (events, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
        overlay = rasteriser.map(Overlay.init)
        gates = GateWatch(accelerometer: configuration.accelerometer)
        screen = PreviewScreen(configuration.preview, overlay, rasteriser, observer: gates)
        chime = Chime(configuration.sound) { [announce] in announce.yield(.notice("\($0)")) }
        cropper = rasteriser.map(StillCropper.init)
        planner = rasteriser.map { OverlayPlanner($0) }
        cameras = configuration.cameras.mapValues { [screen] camera in
            SessionCamera(camera, preview: screen, configuration.preview)
        }
        machine = SessionMachine(session)
        record = SessionRecord(session)
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
        announce.yield(.finished(outcome))
        announce.finish()
        return outcome
    }

    // MARK: What somebody asks for, at any time

    /// Goes on: begins, turns the page of the tutorial, counts down, does not wait any longer to see the picture, or shows
    /// all pictures of the review again.
    public func trigger() { if display.closeUp == nil { handle(.trigger) } else { lookCloser(at: nil) } }

    /// Leaves out the tutorial, or the stage.
    public func skip() { handle(.skip) }

    /// Aborts the run, as the session says.
    public func abort() { handle(.abort) }

    /// Ends all at once; pictures are gone unless the session keeps those of aborted runs.
    public func cancel() { handle(.cancel) }

    /// Shows the camera on the other side.
    public func switchCamera() { handle(.switchCamera) }

    /// Takes a stage once more, counted from 0; its pictures are kept until there are others.
    public func retake(stage: Int) { handle(.retake(stage: stage)) }

    /// The pictures are as they should be.
    public func accept() { handle(.accept) }

    /// The pictures are not wanted.
    public func discard() { handle(.discard) }

    /// Brings the next picture of the library in, in place of taking one.
    public func bring() { handle(.bring) }

    /// Brings this picture in, in place of taking one.
    ///
    /// - Parameter adjustment: How it is moved under the outline, where it is cropped to that.
    public func bring(_ path: String, adjustment: CropAdjustment = CropAdjustment()) {
        handle(.bring, (path, adjustment))
    }

    /// Takes the stage of the picture that is shown once more: the one just taken, or that of the review that is shown
    /// alone, or the only one.
    public func retakeShown() {
        let tiles = composer.tiles(machine.standing)
        let stage: Int? =
            switch machine.phase {
            case .stageDone(let stage, _): stage
            case .review: display.closeUp.map { tiles[$0].stage } ?? (tiles.count == 1 ? 0 : nil)
            default: stageInHand ?? 0
            }
        if let stage { return handle(.retake(stage: stage)) }
        display.note("press the number of a picture first")
        tell(.refused(reason: "no-picture-shown", explanation: display.notice))
        show()
    }

    /// Shows one tile of the review alone, counted from 0, as those are: one for each picture and for each stage without
    /// any. Once more, or with `nil`, all are shown. Elsewhere nothing happens.
    public func lookCloser(at tile: Int?) {
        guard machine.phase == .review, tile.map({ composer.tiles(machine.standing).indices.contains($0) }) ?? true
        else { return }
        display.closeUp = tile == display.closeUp ? nil : tile
        show()
    }

    /// Shows the preview as a mirror does, or not.
    public nonisolated func mirrorPreview(_ isOn: Bool) { screen.mirror(isOn) }

    /// Leaves the session as it is; where it has a folder, it can be gone on with.
    public func leave() { conclude(.left) }
}
