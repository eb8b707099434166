// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import ClipKit

/// Follows the recordings of a camera by their events. It reads no clock and no disk.
package struct ClipProgress: Sendable {
    /// The state of the recordings, without the size of the current clip.
    package private(set) var status: ClipStatus
    /// The path of the clip that is being recorded; `nil` if there is none.
    package private(set) var path: String?
    /// The ID of the last complete clip of the recording; `nil` before it.
    package private(set) var lastClip: Int?
    private let isTriggered: Bool

    /// - Parameter isTriggered: `true` if triggers begin the clips.
    package init(isTriggered: Bool, at now: WallTime) {
        (status, self.isTriggered) = (ClipStatus(since: now), isTriggered)
    }

    /// Begins a recording that a request has started.
    package mutating func start(at now: WallTime) {
        lastClip = nil
        change(to: .recording, nil, at: now)
    }

    /// Ends a recording that a request has started.
    package mutating func end(at now: WallTime) { change(to: .off, status.error, at: now) }

    /// Begins the wait for the next attempt to be armed.
    package mutating func wait(after error: CaptureError, at now: WallTime) { change(to: .waiting, error, at: now) }

    /// Records an error before a recording.
    package mutating func fail(_ error: CaptureError) { status.error = error }

    /// Applies an event of a recording.
    ///
    /// - Parameter clip: The ID of the clip that it is about.
    package mutating func handle(_ event: ClipEvent, clip: Int?, at now: WallTime) {
        switch event {
        case .armed: change(to: .armed, status.error, at: now)
        case .began(let path, _):
            (status.clip, self.path) = (clip, path)
            change(to: .recording, nil, at: now)
        case .recorded(let summary):
            lastClip = clip
            endClip(summary.path, summary.ending.error, at: now)
        case .notice(let notice) where notice.code == .clipNotFinished:
            if let path = notice.subject { endClip(path, status.error, at: now) }
        case .microphone(let name): status.microphone = name
        case .lost(let error): status.error = error
        case .recovered: status.error = nil
        case .finished(let summary):
            (status.microphone, status.clip, path) = (nil, nil, nil)
            if case .failed(let error) = summary.ending { status.error = error }
        default: break
        }
    }

    /// Ends the current clip, unless another one has begun.
    private mutating func endClip(_ path: String, _ error: CaptureError?, at now: WallTime) {
        guard path == self.path else { return }
        (status.clip, self.path, status.error) = (nil, nil, error)
        if isTriggered { change(to: .armed, error, at: now) }
    }

    private mutating func change(to state: ClipStatus.State, _ error: CaptureError?, at now: WallTime) {
        if state != status.state { status.since = now }
        (status.state, status.error) = (state, error)
    }
}
