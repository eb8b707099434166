// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit
import Synchronization

/// What is on the screen: a page, or else frames as they come, or, while none comes, one that says why.
///
/// All goes to the screen under one lock, so that what is decided last is what is seen. The lock is held for a few
/// pointers; nobody waits for the screen.
final class PreviewStage: Sendable {
    /// A frame that is painted to stand in place of those of a camera.
    struct Stand: Sendable {
        /// Tells this one from those before and after.
        let number: Int
        /// The last frame that was shown; `nil` where there was none.
        let last: Sample?
    }

    private struct State {
        var last: Sample?
        /// Since when frames are held back; `nil` while they flow.
        var heldSince: ClockTime?
        /// What stands in for frames that do not come, where it is painted already.
        var standIn: Sample?
        /// The hold in force.
        var hold = 0
        /// The page that is to be seen; `nil` for none.
        var page: Int?
        /// True while a page is on the screen.
        var isCovered = false
        var flash = Flash()
        /// Counts what is painted.
        var number = 0
        var isOver = false

        mutating func makeStand() -> Stand {
            number += 1
            return Stand(number: number, last: last)
        }
    }

    private struct Flash {
        /// What the frames of a camera are.
        var caps: Caps?
        var frame: Sample?
        /// Frames that came before this are not shown.
        var end: ClockTime?
    }

    private let state = Mutex(State())
    private let put: @Sendable (Sample) -> Void

    /// - Parameter put: Puts a frame on the screen without waiting, on any thread.
    init(_ put: @escaping @Sendable (Sample) -> Void) { self.put = put }

    /// Shows a frame of a camera; it ends a hold, unless it is from before. A page stays. On a streaming thread.
    ///
    /// - Parameter entered: When it came from the camera; `nil` where nobody knows.
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

    /// Shows nothing more.
    func close() {
        state.withLock { state in
            state = State()
            state.isOver = true
        }
    }
}

// MARK: - Instead of frames

extension PreviewStage {
    /// Frames that came before `now` are not shown any more.
    func hold(at now: ClockTime) -> Stand {
        state.withLock { state in
            let stand = state.makeStand()
            (state.heldSince, state.standIn, state.hold) = (now, nil, stand.number)
            return stand
        }
    }

    /// Shows a frame in place of those that do not come, unless they do again by now, or there is a newer one; behind a
    /// page, as soon as that is over.
    func show(_ sample: Sample, for stand: Stand) {
        state.withLock { state in
            guard !state.isOver, state.heldSince != nil, state.hold == stand.number else { return }
            state.standIn = sample
            if !state.isCovered { put(sample) }
        }
    }

    /// A page is to be seen. Until it is painted, all is as it was.
    func turn() -> Stand {
        state.withLock { state in
            let stand = state.makeStand()
            state.page = stand.number
            return stand
        }
    }

    /// Shows a page, unless there is a newer one, or none is to be seen any more.
    func show(_ sample: Sample, asPage stand: Stand) {
        state.withLock { state in
            guard !state.isOver, state.page == stand.number else { return }
            state.isCovered = true
            put(sample)
        }
    }

    /// No page is to be seen any more: frames are, or what stands in for them.
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
    /// Frames of a camera are of these caps from now on; true where a flash has to be painted for them.
    func meet(_ caps: Caps) -> Bool {
        state.withLock { state in
            guard state.flash.caps != caps else { return false }
            (state.flash.caps, state.flash.frame) = (caps, nil)
            return true
        }
    }

    /// Keeps a frame for the next flash, unless frames are others by now.
    func keep(flash sample: Sample) {
        state.withLock { state in
            if !state.isOver, state.flash.caps == sample.caps { state.flash.frame = sample }
        }
    }

    /// Shows the flash, where frames are shown; those that came before `end` are not.
    func flash(until end: ClockTime) {
        state.withLock { state in
            guard !state.isOver, !state.isCovered, state.heldSince == nil, let frame = state.flash.frame else { return }
            state.flash.end = end
            put(frame)
        }
    }

    /// Shows the last frame after a flash, unless that goes on, or something else is on the screen.
    func endFlash(at now: ClockTime) {
        state.withLock { state in
            guard let end = state.flash.end, end <= now else { return }
            state.flash.end = nil
            if !state.isCovered, state.heldSince == nil, let last = state.last { put(last) }
        }
    }
}
