// Part of gst-capture. Apache License 2.0, see LICENSE.

/// A message for the user that does not end a capture.
///
/// Programs read ``code`` and ``subject``, people read ``description``. docs/troubleshooting.md lists the codes.
public struct Notice: Sendable, Hashable {
    /// The kind of a notice.
    public let code: Code
    /// The camera, control, option, file or layer that it is about; `nil` if it is about the capture.
    public let subject: String?
    /// The event or the error, without the advice: one line, or one for each of several joined errors.
    public let message: String
    /// The remedy for the user; `nil` if there is nothing to do.
    public let advice: String?
    /// `true` if the description does not repeat the subject before the message.
    private let isSentence: Bool

    /// Creates a notice that reads `subject: message; advice`.
    public init(_ code: Code, _ message: String, subject: String? = nil, advice: String? = nil) {
        self.init(code, subject, message, advice, isSentence: false)
    }

    /// Creates a notice that reads `message; advice`: the message is a sentence that can be read without the subject.
    public init(_ code: Code, about subject: String?, _ message: String, advice: String? = nil) {
        self.init(code, subject, message, advice, isSentence: true)
    }

    /// Secrets in addresses and properties are replaced by `***`, as in ``CaptureError``.
    private init(_ code: Code, _ subject: String?, _ message: String, _ advice: String?, isSentence: Bool) {
        (self.code, self.subject, self.message) = (code, subject?.withoutSecrets, message.withoutSecrets)
        (self.advice, self.isSentence) = (advice?.withoutSecrets, isSentence)
    }

    /// Creates a notice of an error, with its subject, message and advice.
    public init(_ code: Code, _ error: CaptureError) {
        self.init(code, error.message, subject: error.subject, advice: error.advice)
    }

    /// Creates a notice of the consequence of an error: `consequence: error`.
    package init(_ code: Code, about subject: String?, _ consequence: String, because error: CaptureError) {
        self.init(code, about: subject, "\(consequence): \(error.summary)", advice: error.advice)
    }
}

extension Notice {
    /// The kind of a notice. Its raw value is a word for programs that stays the same between releases. New kinds may be
    /// added: give every switch a default.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The camera has no flash, or the flash could not be lit.
        case flashNotLit = "flash-not-lit"
        /// A control keeps its value although it should be set, because the source has no controls.
        case controlNotSet = "control-not-set"
        /// A control stays as it is although it should be locked.
        case controlNotLocked = "control-not-locked"
        /// A control does not follow the light although it should be ramped.
        case controlNotRamped = "control-not-ramped"
        /// An attempt to reopen the camera failed with another error than the last one.
        case cameraNotReopened = "camera-not-reopened"
        /// The camera of a session delivers no frames for a while.
        case cameraStalled = "camera-stalled"
        /// Earlier pictures of the session are from another camera.
        case cameraChanged = "camera-changed"
        /// The user stopped a burst before its last picture.
        case burstShort = "burst-short"
        /// A layer is not drawn on the preview, or not burned into pictures.
        case layerNotDrawn = "layer-not-drawn"
        /// A JPEG encoder in hardware failed, and is not used any more for such frames.
        case encoderReplaced = "encoder-replaced"
        /// A live photo has no movie.
        case movieNotJoined = "movie-not-joined"
        /// A picture is in place, but may be lost if the power fails.
        case pictureNotDurable = "picture-not-durable"
        /// A picture that no longer belongs to the series or session could not be removed.
        case pictureNotRemoved = "picture-not-removed"
        /// A picture was removed because of a limit before the outbox had sent it.
        case unsentRemoved = "unsent-removed"
        /// No picture counts as sent, because the state of the outbox cannot be read.
        case outboxUnreadable = "outbox-unreadable"
        /// The clock jumped ahead, and is not known to be right: no earlier picture is removed because of its age.
        case clockInDoubt = "clock-in-doubt"
        /// The clock is behind the last slot of the series that is resumed: the slots are counted from now.
        case clockBehind = "clock-behind"
        /// A picture of the session is gone from its folder.
        case pictureMissing = "picture-missing"
        /// The link to the newest picture could not be updated.
        case linkNotUpdated = "link-not-updated"
        /// Lines of the ledger are pending, or are lost at the end.
        case ledgerNotWritten = "ledger-not-written"
        /// Pending lines of the ledger are written.
        case ledgerResumed = "ledger-resumed"
        /// A crop was not made or stored, or was made along the outline. The whole picture is kept.
        case cropFailed = "crop-failed"
        /// A picture of a session is kept although a gate rejects it, because earlier ones were rejected, too.
        case pictureDoubtful = "picture-doubtful"
        /// A gate exceeded its time limit, and no longer blocks the countdown.
        case gateTimedOut = "gate-timed-out"
        /// `session.json` could not be written.
        case sessionNotSaved = "session-not-saved"
        /// A session got no request for the time of its `idle`, and was canceled.
        case sessionIdle = "session-idle"
        /// Other users can read the pictures of a session.
        case folderExposed = "folder-exposed"
        /// Sounds are off from now on.
        case soundFailed = "sound-failed"
        /// A recording continues without sound: the microphone cannot be used, or was lost.
        case microphoneLost = "microphone-lost"
        /// The first picture of a session's clip cannot be shown. The clip is kept.
        case posterFailed = "poster-failed"
        /// A clip could not be made an ordinary MP4 file. It plays as it is, and `record --check` repairs it.
        case clipNotFinished = "clip-not-finished"
        /// The list of a camera's clips could not be written. The next start of the service completes it.
        case clipNotListed = "clip-not-listed"
        /// A clip beyond a limit could not be removed.
        case clipNotRemoved = "clip-not-removed"
        /// The film of a day cannot be continued for now. It continues with a later picture.
        case filmNotMade = "film-not-made"
        /// A picture is not in the film of its day, because its file is damaged or gone.
        case filmSkipsPicture = "film-skips-picture"
        /// A command of `exec-*` failed, exceeded its time limit, or was dropped.
        case hookFailed = "hook-failed"
        /// GStreamer takes long to start.
        case startDelayed = "start-delayed"
        /// A session runs without a window, because there is no display.
        case noWindow = "no-window"
        /// The settings were reloaded, and are used from now on.
        case settingsReloaded = "settings-reloaded"
        /// The settings could not be reloaded; the earlier ones stay.
        case reloadRefused = "reload-refused"
        /// A resumed series had nothing left to do.
        case seriesComplete = "series-complete"
        /// The capture is stopping, or waits for commands before it ends.
        case stopping
        /// Reports were dropped because no program read them in time.
        case reportsDropped = "reports-dropped"
        /// A line for people, such as the list of keys. Programs can ignore it.
        case information
    }
}

extension Notice: CustomStringConvertible {
    /// `subject: message; advice`, without the subject if the message is a sentence.
    public var description: String {
        var line = isSentence ? "" : subject.map { "\($0): " } ?? ""
        line += message
        if let advice { line += "; \(advice)" }
        return line
    }
}
