// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// Selects the content of the screen: a page, or else the frames of a camera, or, during a hold, a frame that gives the
/// reason.
///
/// Every frame goes to the screen under one lock, so that the screen shows the last decision. The lock is held for a
/// few pointer operations; no thread waits for the screen.
final class PreviewStage: Sendable {
    /// The identity of a painted frame that replaces a camera's frames.
    struct Stand: Sendable {
        /// Distinguishes this frame from earlier and later ones.
        let number: Int
        /// The last frame that was shown; `nil` if there was none.
        let last: Sample?
    }

    private struct State {
        var last: Sample?
        /// When the hold began; `nil` while frames are shown.
        var heldSince: ClockTime?
        /// The painted frame of the hold; `nil` until it is painted.
        var standIn: Sample?
        /// The number of the current hold.
        var hold = 0
        /// The number of the requested page; `nil` for no page.
        var page: Int?
        /// `true` while a page is on the screen.
        var isCovered = false
        var flash = Flash()
        /// Counts painted frames.
        var number = 0
        var isOver = false

        mutating func makeStand() -> Stand {
            number += 1
            return Stand(number: number, last: last)
        }
    }

    private struct Flash {
        /// The caps of the camera's frames.
        var caps: Caps?
        var frame: Sample?
        /// Frames that came before this time are not shown.
        var end: ClockTime?
    }

    private let state = Mutex(State())
    private let put: @Sendable (Sample) -> Void

    /// Creates a stage.
    ///
    /// - Parameter put: Puts a frame on the screen without waiting, on any thread.
    init(_ put: @escaping @Sendable (Sample) -> Void) { self.put = put }

    /// Shows a frame of a camera. A frame that came after the start of a hold ends it; a page stays. Runs on a
    /// streaming thread.
    ///
    /// - Parameter entered: When the frame came from the camera; `nil` if unknown.
    func show(_ sample: Sample, entered: ClockTime?) {
        state.withLock { state in
            guard !state.isOver else { return }
            if let since = state.heldSince, let entered, entered <= since { return }
            (state.heldSince, state.standIn) = (nil, nil)
            state.last = sample
            if let end = state.flash.end, let entered, entered < end { return }
            state.flash.end = nil
            if !state.isCovered { put(sample) }
        }
    }

    /// Ends the stage: it shows nothing from now on.
    func close() {
        state.withLock { state in
            state = State()
            state.isOver = true
        }
    }
}

// MARK: - Instead of frames

extension PreviewStage {
    /// Begins a hold: frames that came before `now` are not shown.
    func hold(at now: ClockTime) -> Stand {
        state.withLock { state in
            let stand = state.makeStand()
            (state.heldSince, state.standIn, state.hold) = (now, nil, stand.number)
            return stand
        }
    }

    /// Shows the painted frame of a hold, unless the hold has ended or a newer one has begun. During a page, the frame
    /// is shown when the page ends.
    func show(_ sample: Sample, for stand: Stand) {
        state.withLock { state in
            guard !state.isOver, state.heldSince != nil, state.hold == stand.number else { return }
            state.standIn = sample
            if !state.isCovered { put(sample) }
        }
    }

    /// Requests a page. The screen does not change until it is painted.
    func turn() -> Stand {
        state.withLock { state in
            let stand = state.makeStand()
            state.page = stand.number
            return stand
        }
    }

    /// Shows a page, unless a newer one was requested or pages have ended.
    func show(_ sample: Sample, asPage stand: Stand) {
        state.withLock { state in
            guard !state.isOver, state.page == stand.number else { return }
            state.isCovered = true
            put(sample)
        }
    }

    /// Ends pages: shows the last frame, or the painted frame of a hold.
    func uncover() {
        state.withLock { state in
            defer { (state.page, state.isCovered) = (nil, false) }
            guard !state.isOver, state.isCovered else { return }
            if let sample = state.heldSince == nil ? state.last : state.standIn { put(sample) }
        }
    }
}

// MARK: - Flash

extension PreviewStage {
    /// Sets the caps of the camera's frames; returns `true` if a flash must be painted for them.
    func setCaps(_ caps: Caps) -> Bool {
        state.withLock { state in
            guard state.flash.caps != caps else { return false }
            (state.flash.caps, state.flash.frame) = (caps, nil)
            return true
        }
    }

    /// Keeps a frame for the next flash, unless the caps have changed.
    func keep(flash sample: Sample) {
        state.withLock { state in
            if !state.isOver, state.flash.caps == sample.caps { state.flash.frame = sample }
        }
    }

    /// Shows the flash if frames are shown. Frames that came before `end` are not shown.
    func flash(until end: ClockTime) {
        state.withLock { state in
            guard !state.isOver, !state.isCovered, state.heldSince == nil, let frame = state.flash.frame else { return }
            state.flash.end = end
            put(frame)
        }
    }

    /// Shows the last frame after a flash, unless a newer flash continues, or a page or a hold is on the screen.
    func endFlash(at now: ClockTime) {
        state.withLock { state in
            guard let end = state.flash.end, end <= now else { return }
            state.flash.end = nil
            if !state.isCovered, state.heldSince == nil, let last = state.last { put(last) }
        }
    }
}
