// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit
import PipelineKit

/// Requests of the user by keys and touches, and the state for programs.
extension SessionController {
    // MARK: At any time

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
    public func bring() { request(.bring()) }

    /// Brings in this picture, in place of capturing one.
    ///
    /// - Parameter adjustment: How the picture is moved under the outline, if the stage crops it to that.
    public func bring(_ path: String, adjustment: CropAdjustment = CropAdjustment()) {
        request(.bring(Taking.LibraryFile(path: path, adjustment: adjustment)))
    }

    /// Retakes the picture that is shown: the one just captured, or in the review the one that is shown alone, selected
    /// or the only one.
    ///
    /// - Parameter wholeStage: `true` to retake all pictures of its stage.
    public func retakeShown(wholeStage: Bool = false) {
        let tiles = composer.tiles(machine.progress)
        let shown: (stage: Int, picture: Int?)? =
            switch machine.phase {
            case .stageDone(let stage, _): (stage, machine.progress.stages[stage].newest?.number)
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

    /// How long a prompt waits for the key that confirms it.
    private static let promptTime = Duration.seconds(5)

    // MARK: Confirmation

    /// Ends the session as ``cancel()`` does. If the session has pictures, the first call asks for confirmation, and a
    /// second one within five seconds cancels.
    public func cancelAfterConfirmation() {
        guard !machine.progress.pictures.isEmpty, !machine.isOver else { return cancel() }
        confirm(.cancel, session.keepsAborted ? "press q again to end the session" : "press q again: \(deletion)")
    }

    /// Discards the pictures as ``discard()`` does, at the second call within five seconds.
    public func discardAfterConfirmation() {
        guard machine.phase == .review else { return discard() }
        confirm(.discard, "press d again: \(deletion)")
    }

    /// Continues as ``trigger()`` does. In the review of all pictures, the second touch within five seconds accepts
    /// them.
    public func touch() {
        guard machine.phase == .review, display.closeUp == nil else { return trigger() }
        confirm(.accept, "touch again to accept")
    }

    private var deletion: String {
        let count = machine.progress.pictures.count
        return count == 1 ? "the picture is deleted" : "all \(count) pictures are deleted"
    }

    private func confirm(_ key: SessionKey, _ words: String) {
        guard display.confirmation != key else {
            withdrawPrompt()
            switch key {
            case .cancel: handle(.cancel)
            case .discard: handle(.discard)
            default: handle(.accept)
            }
            return
        }
        display.confirmation = key
        display.setNotice(words)
        emit(.confirmation(words))
        setPrompt(for: Self.promptTime) { [self] in await expirePrompt() }
        show()
    }

    private func expirePrompt() {
        guard !Task.isCancelled, display.confirmation != nil else { return }
        withdrawPrompt()
        show()
    }

    /// Withdraws the prompt. Each request withdraws it, except for the one that confirms it.
    func withdrawPrompt() {
        cancelPrompt()
        guard display.confirmation != nil else { return }
        display.confirmation = nil
        display.setNotice("")
    }

    // MARK: The review

    /// Moves the selection of the review by this many tiles, and wraps around at the ends. If a tile is shown alone,
    /// the newly selected one replaces it. Has no effect outside of the review.
    public func moveSelection(by step: Int) {
        let count = composer.tiles(machine.progress).count
        guard machine.phase == .review, count > 0 else { return }
        withdrawPrompt()
        let start = display.selection ?? (step > 0 ? -1 : count)
        let index = ((start + step % count) % count + count) % count
        display.selection = index
        if display.closeUp != nil { display.closeUp = index }
        show()
    }

    /// Moves the selection to the first tile of the next page of the review, or of the previous page.
    public func turnReviewPage(forward isForward: Bool) {
        let size = SessionComposer.mostTiles
        let count = composer.tiles(machine.progress).count
        guard machine.phase == .review, count > size else { return }
        withdrawPrompt()
        let pages = (count + size - 1) / size
        let page = ((display.selection ?? 0) / size + (isForward ? 1 : pages - 1)) % pages
        display.selection = page * size
        if display.closeUp != nil { display.closeUp = page * size }
        show()
    }

    /// Shows a tile of the current page alone, by its place on the page from 0.
    public func lookCloser(atShown place: Int) {
        lookCloser(at: (display.selection ?? 0) / SessionComposer.mostTiles * SessionComposer.mostTiles + place)
    }

    // MARK: Help

    /// Shows all keys on the preview, or hides them. Has no effect during a countdown, while a picture is pending, and
    /// after the end.
    public func toggleHelp() {
        switch machine.phase {
        case .counting, .capturing, .bringing, .accepted, .cancelled: return
        default: display.showsHelp.toggle()
        }
        // The keys hide the prompt.
        withdrawPrompt()
        show()
    }

    /// Hides the keys.
    ///
    /// - Returns: `false` if they were not shown.
    public func dismissHelp() -> Bool {
        guard display.showsHelp else { return false }
        display.showsHelp = false
        show()
        return true
    }

    // MARK: For programs

    /// The state of the session now.
    public func snapshot() async -> SessionSnapshot {
        let path = await storage.path
        let current = cameras.current
        return SessionSnapshot(
            lastEvent: broadcast.lastNumber, phase: SessionPhase(of: machine.phase), progress: machine.progress,
            pictures: pictures.records(of: machine.progress.pictures), folder: path, camera: current?.camera.id,
            role: current?.role,
            isCameraReady: current?.isReady ?? false)
    }

    /// Returns the events with their numbers; the stream ends after ``SessionEvent/finished(_:)``. Any number of tasks
    /// may listen, each to a separate stream.
    ///
    /// - Parameters:
    ///   - number: The last event that the listener knows: those after it follow, as far as the last 10,000 contain
    ///     them. `nil` for the events from now on.
    ///   - capacity: The number of events buffered for a slow listener. Beyond that its oldest are dropped, which leaves
    ///     gaps in the numbers.
    public nonisolated func listen(
        after number: Int? = nil, buffering capacity: Int = 10_000
    ) -> AsyncStream<NumberedSessionEvent> {
        broadcast.listen(after: number, buffering: capacity)
    }
}
