// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CropKit

/// Requests of the user by keys and touches.
///
/// A request does not wait for the camera or the disk. If the phase does not allow it, the session emits
/// ``SessionEvent/refused(reason:explanation:)``. A request waits until ``run()`` has prepared the session, except for
/// ``leave()``. After the end, requests have no effect.
extension SessionController {
    // MARK: At any time

    /// Continues: begins, turns the page of the tutorial, starts the countdown, ends the clip, or stops showing the
    /// picture. In the review, shows the selected picture alone, or all pictures again.
    public func trigger() {
        if !changeReview({ $0.lookCloserAtSelection(progress) }) { request(.trigger) }
    }

    /// Skips the tutorial or the stage. During a retake, restores the former pictures.
    public func skip() { request(.skip) }

    /// Aborts the run; ``SessionDescription/abort`` decides the effect.
    public func abort() { request(.abort) }

    /// Cancels the session without confirmation. Deletes its pictures unless ``SessionDescription/keepsAborted`` is
    /// `true`.
    public func cancel() { request(.cancel) }

    /// Switches to the camera on the other side, unless the stage names its camera.
    public func switchCamera() { request(.switchCamera) }

    /// Retakes a stage, counted from 0, or only its picture of this number. The former pictures are kept until the new
    /// ones replace them.
    public func retake(stage: Int, picture: Int? = nil) { request(.retake(stage: stage, picture: picture)) }

    /// Accepts the pictures, and ends the session. Only the review allows it.
    public func accept() { request(.accept) }

    /// Deletes the pictures, and ends the session as canceled. Only the review allows it.
    public func discard() { request(.discard) }

    /// Brings in the next picture of the library, in place of capturing one.
    public func bring() { request(.bring()) }

    /// Brings in a picture, in place of capturing one. If its file cannot be read, the session emits
    /// ``SessionEvent/failed(stage:_:)``.
    ///
    /// - Parameters:
    ///   - path: The path of a JPEG or PNG file.
    ///   - adjustment: How the picture is moved under the outline before it is cropped, if its stage crops.
    public func bring(_ path: String, adjustment: CropAdjustment = CropAdjustment()) {
        request(.bring(Taking.LibraryFile(source: .path(path), adjustment: adjustment)))
    }

    /// Brings in a picture from memory, in place of capturing one. If it cannot be decoded, the session emits
    /// ``SessionEvent/failed(stage:_:)``.
    ///
    /// - Parameters:
    ///   - bytes: A JPEG or PNG file.
    ///   - adjustment: How the picture is moved under the outline before it is cropped, if its stage crops.
    public func bring(_ bytes: [UInt8], adjustment: CropAdjustment = CropAdjustment()) {
        request(.bring(Taking.LibraryFile(source: .bytes(bytes), adjustment: adjustment)))
    }

    /// Fills in fields of the session, by their names. Fields that are missing keep their values.
    ///
    /// - Throws: `CaptureError` `.usage` if a field is unknown, or a value is not allowed.
    public func fill(_ values: [String: String]) throws(CaptureError) {
        request(.fill(try session.checkedForm(values, isComplete: false)))
    }

    /// Retakes the picture that is shown: the one just captured, or in the review the one that is shown alone, selected
    /// or the only one.
    ///
    /// - Parameter wholeStage: `true` to retake all pictures of its stage.
    public func retakeShown(wholeStage: Bool = false) {
        let shown: (stage: Int, picture: Int?)? =
            switch phase {
            case .stageDone(let stage, _): (stage, progress.stages[stage].newest?.number)
            case .review: changeScreen { $0.shownPicture(progress) }
            default: (phase.stage ?? 0, nil)
            }
        guard let shown else {
            let explanation = "press the number of a picture first"
            changeScreen { $0.setNotice(explanation) }
            return emit(.refused(reason: "no-picture-shown", explanation: explanation))
        }
        request(.retake(stage: shown.stage, picture: wholeStage ? nil : shown.picture))
    }

    /// Shows one tile of the review alone, counted from 0. There is a tile for each picture, and one for each stage
    /// without pictures. A second call for the same tile, or `nil`, shows all tiles. Has no effect outside of the
    /// review.
    public func lookCloser(at tile: Int?) { changeReview { $0.lookCloser(at: tile, progress) } }

    /// Leaves the session as it is, in any phase; a session with a folder can be resumed.
    public func leave() { conclude(.left) }

    // MARK: Confirmation

    /// Cancels the session as ``cancel()`` does. If the session has pictures, the first call shows a prompt, and a
    /// second one within five seconds cancels. While a session is being resumed, its pictures are not known yet, and
    /// the call leaves it.
    public func cancelAfterConfirmation() {
        guard !isResuming else { return leave() }
        guard !progress.pictures.isEmpty, phase != .accepted, phase != .cancelled else { return cancel() }
        let again = hasButtons ? "press Cancel again" : "press q again"
        confirm(.cancel, .cancel, keepsAborted ? "\(again) to end the session" : "\(again): \(deletion)")
    }

    /// Discards the pictures as ``discard()`` does, at the second call within five seconds.
    public func discardAfterConfirmation() {
        guard phase == .review else { return discard() }
        confirm(.discard, .discard, "press \(hasButtons ? "Discard" : "d") again: \(deletion)")
    }

    /// Continues as ``trigger()`` does. In the review of all pictures, the second touch within five seconds accepts
    /// them.
    public func touch() {
        guard phase == .review, !changeScreen(\.hasCloseUp) else { return trigger() }
        confirm(.accept, .accept, "touch again to accept")
    }

    /// Shows a prompt at the first call for a key; handles the input at the second call within five seconds.
    private func confirm(_ input: SessionMachine.Input, _ key: SessionKey, _ words: String) {
        let isPrompted = changeScreen { $0.prompt(words, for: key) { [self] in await expirePrompt() } }
        if isPrompted { return emit(.confirmation(words)) }
        changeScreen { $0.withdrawPrompt() }
        handle(input)
    }

    private func expirePrompt() {
        if !Task.isCancelled { changeScreen { $0.withdrawPrompt() } }
    }

    private var deletion: String {
        let count = progress.pictures.count
        return count == 1 ? "the picture is deleted" : "all \(count) pictures are deleted"
    }

    // MARK: The review

    /// Changes the review, and withdraws the prompt; has no effect outside of the review.
    ///
    /// - Parameter change: Returns `false` if there is no tile or page for the change.
    /// - Returns: `false` outside of the review, and if `change` returns `false`.
    @discardableResult
    private func changeReview(_ change: (SessionScreen) -> Bool) -> Bool {
        phase == .review
            && changeScreen { screen in
                guard change(screen) else { return false }
                screen.withdrawPrompt()
                return true
            }
    }

    /// Moves the selection of the review by this many tiles, and wraps around at the ends. If a tile is shown alone,
    /// the newly selected one replaces it. Has no effect outside of the review.
    public func moveSelection(by step: Int) { changeReview { $0.moveSelection(by: step, progress) } }

    /// Moves the selection to the first tile of the next page of the review, or of the previous page, and wraps around
    /// at the ends. Has no effect outside of the review, or if the review has one page.
    public func turnReviewPage(forward isForward: Bool) { changeReview { $0.turnPage(forward: isForward, progress) } }

    /// Shows a tile of the current page alone, by its place on the page from 0. A second call for the same tile shows
    /// all tiles. Has no effect outside of the review.
    public func lookCloser(atShown place: Int) { changeReview { $0.lookCloser(atShown: place, progress) } }

    // MARK: Help

    /// Shows all keys on the preview, or hides them. Has no effect during a countdown, while a picture is pending, and
    /// after the end.
    public func toggleHelp() {
        switch phase {
        case .counting, .capturing, .recording, .bringing, .accepted, .cancelled: break
        default: changeScreen { $0.toggleHelp() }
        }
    }

    /// Hides the keys.
    ///
    /// - Returns: `false` if they were not shown.
    public func dismissHelp() -> Bool { changeScreen { $0.hideHelp() } }
}
