// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import CropKit
import FrameMeasures
import OverlayCompositor
import PipelineKit

/// The screen of a session, and its state besides the phase and the progress: notice, countdown, selection, prompt and
/// help.
///
/// A change of this state appears with the next ``show(_:camera:)``. The controller owns the screen; all calls run on
/// its actor. The owner must await ``close()``.
final class SessionScreen {
    private let session: SessionDescription
    private let configuration: SessionConfiguration
    private let preview: PreviewScreen
    /// `nil` if nothing is drawn.
    private let overlay: Overlay?
    /// The outlines of the stages, by the names that the stages use.
    private var outlines: [String: Outline] = [:]
    /// The size of the preview's frames, in pixels; before the first frame, a guess.
    private(set) var size = PreviewSize(width: 1280, height: 720)
    /// The remaining seconds; `nil` if there is no countdown.
    private var countdown: Int?
    /// The remaining time of the clip that is being recorded; `nil` if there is none.
    private var remaining: Duration?
    private var selection = ReviewSelection()
    /// The key whose second press the prompt waits for; `nil` if there is no prompt.
    private var confirmation: SessionKey?
    /// Withdraws the prompt.
    private var promptEnd = Alarm()
    /// `true` while all keys are shown in place of the preview.
    private var showsHelp = false
    /// The latest notice; empty if there is none.
    private var notice = ""
    /// `true` if the notice stays until the next countdown. `false` if the next phase removes it, except for
    /// `capturing`.
    private var isNoticeLasting = false
    /// The layers that could not be drawn.
    private var failedLayers: Set<String> = []
    /// The view on the screen, and its scene.
    private var shown: SessionView?
    private var scene: SessionScene?

    /// - Parameter overlay: Draws the layers; `nil` to draw nothing.
    init(
        _ session: SessionDescription, _ configuration: SessionConfiguration, _ preview: PreviewScreen,
        _ overlay: Overlay?
    ) {
        (self.session, self.configuration, self.preview, self.overlay) = (session, configuration, preview, overlay)
    }

    /// Finds the outlines of the stages, and draws those of crops, so that a mistake in them is reported early.
    ///
    /// - Parameter planner: Draws the outlines; `nil` to draw none.
    /// - Throws: ``CaptureError`` if an outline cannot be found, opened or drawn.
    func prepareOutlines(_ planner: OverlayPlanner?) async throws(CaptureError) {
        let shapes = try await SessionShapes(session, in: configuration.outlines)
        if let planner { try await shapes.check(by: planner) }
        outlines = shapes.outlines
    }

    /// The outline of a stage; `nil` if it has none.
    func outline(of stage: Int?) -> Outline? { stage.flatMap { session.stages[$0].outline }.flatMap { outlines[$0] } }

    /// Closes the window, and stops drawing. Returns when both have ended.
    func close() async {
        await promptEnd.finish()
        await preview.close()
        await overlay?.close()
    }

    // MARK: The view

    /// Updates the view if it has changed. Does nothing without an overlay.
    ///
    /// - Parameters:
    ///   - scene: The scene, to which the screen adds its own state.
    ///   - camera: The name of the camera that is shown; empty if there is none.
    func show(_ scene: SessionScene, camera: String) {
        guard let overlay else { return }
        var scene = scene
        (scene.countdown, scene.notice) = (countdown.map(String.init) ?? "", notice)
        scene.remaining = remaining
        (scene.closeUp, scene.selection, scene.showsHelp) = (selection.closeUp, selection.selected, showsHelp)
        (scene.hasKeys, scene.hasButtons) = (configuration.hasKeys, configuration.hasButtons)
        self.scene = scene
        let view = composer.view(scene).adding(values(scene, camera))
        guard view != shown else { return }
        let before = shown
        shown = view
        switch view {
        case .live(let layers, let values):
            overlay.show(configuration.overlay + layers, appearance: configuration.appearance, values)
            if case .page = before { preview.resume() }
        case .page(let layers, let ground):
            // The first frame after the page must not show the lines and digits of the previous stage.
            overlay.show([], appearance: configuration.appearance, [:])
            preview.present(layers, over: ground, appearance: configuration.appearance)
        }
    }

    private var composer: SessionComposer { SessionComposer(session, outlines: outlines, on: size) }

    /// The values of placeholders in the user's layers; empty if there are no such layers.
    private func values(_ scene: SessionScene, _ camera: String) -> [String: String] {
        guard !configuration.overlay.isEmpty else { return [:] }
        let number = String(scene.progress.nextPicture)
        return ["n": number, "camera": camera, "countdown": scene.countdown, "offset": ""]
    }

    /// The part of the screen at a place.
    enum Target: Sendable {
        case button(SessionKey)
        /// A tile of the review's page, counted from 0.
        case tile(Int)
        case nothing
    }

    /// Returns the target of a press.
    ///
    /// - Parameter place: The place on the preview, in pixels.
    func target(at place: PixelPoint) -> Target {
        guard let scene else { return .nothing }
        let point = UnitPoint(place.x / Double(max(1, size.width)), place.y / Double(max(1, size.height)))
        if let button = composer.button(at: point, scene) { return .button(button.key) }
        return composer.tile(at: point, scene).map(Target.tile) ?? .nothing
    }

    /// Handles the size of the following frames.
    ///
    /// - Returns: `true` if it has changed.
    func resize(to size: PreviewSize) -> Bool {
        defer { self.size = size }
        return self.size != size
    }

    /// Handles a layer that could not be drawn.
    ///
    /// - Returns: `true` if it has not failed before.
    func fail(layer: String) -> Bool { failedLayers.insert(layer).inserted }

    // MARK: The session

    /// Updates the screen for a new phase.
    func enter(_ phase: SessionMachine.Phase, _ progress: SessionProgress) {
        (confirmation, showsHelp) = (nil, false)
        selection.enter(phase)
        if case .recording = phase {} else { remaining = nil }
        switch phase {
        case .counting: notice = ""
        case .capturing: break
        default:
            countdown = nil
            if !isNoticeLasting { notice = "" }
        }
        if phase == .review { selection.limit(to: tiles(progress).count) }
    }

    /// Updates the screen for a notice of the machine.
    func apply(_ event: SessionMachine.Notice) {
        switch event {
        case .aborted(_, let reason, .cancel): setNotice(reason.explanation, isLasting: true)
        case .aborted(_, let reason, _): setNotice("Once more: \(reason.explanation)", isLasting: true)
        case .failed(_, let error):
            setNotice([error.message, error.advice].compactMap { $0 }.joined(separator: "; "), isLasting: true)
        case .refused(let refusal): setNotice(refusal.explanation)
        case .cameraBack: setNotice("")
        default: break
        }
    }

    /// Holds the last frame, and shows the loss of the camera.
    func lose(_ error: CaptureError) {
        preview.hold(because: error.summary)
        setNotice(error.summary, isLasting: true)
    }

    /// Shows a notice, or removes it if `text` is empty.
    ///
    /// - Parameter isLasting: `true` to show it until the next countdown.
    func setNotice(_ text: String, isLasting: Bool = false) { (notice, isNoticeLasting) = (text, isLasting) }

    /// Shows the remaining time of a countdown, in whole seconds.
    func count(_ left: Duration) { countdown = Int((left.nanoseconds + 500_000_000) / 1_000_000_000) }

    /// Flashes at the zero of a picture, and hides the countdown.
    ///
    /// - Returns: The geometry of the picture on the preview; `nil` before the first frame.
    func flash() -> StillGeometry? {
        defer { preview.flash() }
        return endCountdown()
    }

    /// Hides the countdown at the zero of a clip.
    ///
    /// - Returns: The geometry of the picture on the preview; `nil` before the first frame.
    func endCountdown() -> StillGeometry? {
        countdown = nil
        return preview.geometry
    }

    /// Shows the remaining time of a clip, until the next phase.
    func showRemaining(_ left: Duration) { remaining = left }

    // MARK: Prompts and help

    /// How long a prompt waits for the key that confirms it.
    private static let promptTime = Duration.seconds(5)

    /// Shows a prompt to press a key again, unless the prompt for this key is shown already.
    ///
    /// - Parameter expire: Called after five seconds. If the prompt is withdrawn or replaced before, called then, in a
    ///   canceled task.
    /// - Returns: `false` if the prompt is shown already: the key is confirmed.
    func prompt(_ words: String, for key: SessionKey, _ expire: @escaping @Sendable () async -> Void) -> Bool {
        guard confirmation != key else { return false }
        confirmation = key
        setNotice(words)
        promptEnd.set(PipelineClock.system.now + Self.promptTime, expire)
        return true
    }

    /// Removes the prompt and its text.
    ///
    /// - Returns: `false` if there is no prompt.
    @discardableResult
    func withdrawPrompt() -> Bool {
        promptEnd.cancel()
        guard confirmation != nil else { return false }
        confirmation = nil
        setNotice("")
        return true
    }

    /// `true` while all keys are shown.
    var isHelpShown: Bool { showsHelp }

    /// Shows all keys, or hides them, and withdraws the prompt.
    func toggleHelp() {
        showsHelp.toggle()
        withdrawPrompt()
    }

    /// Hides the keys; returns `false` if they were not shown.
    @discardableResult
    func hideHelp() -> Bool {
        defer { showsHelp = false }
        return showsHelp
    }
}

/// The review. Each change returns `false` if there is no tile or page for it.
extension SessionScreen {
    private func tiles(_ progress: SessionProgress) -> [SessionComposer.Tile] { composer.tiles(progress) }

    /// Returns the stage and the number of the picture that is shown alone, selected or the only one; `nil` if there is
    /// no such tile. The number is `nil` for a stage without pictures.
    func shownPicture(_ progress: SessionProgress) -> (stage: Int, picture: Int?)? {
        let tiles = tiles(progress)
        return selection.target(of: tiles.count).map { (tiles[$0].stage, tiles[$0].picture?.number) }
    }

    /// Moves the selection by this many tiles, and wraps around at the ends.
    func moveSelection(by step: Int, _ progress: SessionProgress) -> Bool {
        let count = tiles(progress).count
        if count > 0 { selection.move(by: step, of: count) }
        return count > 0
    }

    /// Moves the selection to the first tile of the next page, or of the previous page.
    func turnPage(forward isForward: Bool, _ progress: SessionProgress) -> Bool {
        let count = tiles(progress).count
        guard count > SessionComposer.mostTiles else { return false }
        selection.turnPage(forward: isForward, of: count)
        return true
    }

    /// Shows a tile alone; shows all tiles if it is shown alone already, or if `tile` is `nil`.
    func lookCloser(at tile: Int?, _ progress: SessionProgress) -> Bool {
        guard tile.map({ tiles(progress).indices.contains($0) }) ?? true else { return false }
        selection.lookCloser(at: tile)
        return true
    }

    /// Shows a tile of the current page alone, by its place on the page from 0.
    func lookCloser(atShown place: Int, _ progress: SessionProgress) -> Bool {
        lookCloser(at: selection.pageStart + place, progress)
    }

    /// Shows the selected tile alone, or all tiles again.
    func lookCloserAtSelection(_ progress: SessionProgress) -> Bool {
        guard let tile = selection.closeUp ?? selection.selected else { return false }
        return lookCloser(at: tile, progress)
    }

    /// `true` if a tile is shown alone.
    var hasCloseUp: Bool { selection.closeUp != nil }
}
