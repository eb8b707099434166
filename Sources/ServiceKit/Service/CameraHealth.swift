// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import ClipKit
import PipelineKit
import ScheduleKit
import SessionKit

/// The state of a camera, as the events of a job show it. Pure: it has no clock.
public struct CameraHealth: Sendable, Hashable {
    /// The state of a camera.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// No job needs frames.
        case closed
        /// The camera is being opened, or its exposure is not steady yet.
        case opening
        /// Frames arrive.
        case delivering
        /// The camera is closed until shortly before the next slot.
        case resting
        /// The camera is gone, or delivers no frames. The job waits for it.
        case lost
    }

    /// The state of the camera.
    public private(set) var state = State.closed
    /// The error of a lost camera: the reason why it was lost, or that of the last attempt to open it.
    public private(set) var error: CaptureError?
    /// When the camera was lost.
    private(set) var since: ClockTime?
    /// The slot until which it rests.
    private var slot: Slot?

    /// Creates the state of a camera that no job needs.
    public init() {}

    /// Applies an event of a job.
    mutating func record(_ event: CaptureEvent, at now: ClockTime) {
        switch event {
        case .opening: if state != .lost { change(to: .opening) }
        case .settled, .recovered, .captured: change(to: .delivering)
        case .willCapture: if state == .resting { change(to: .delivering) }
        case .resting(let slot):
            change(to: .resting)
            self.slot = slot
        case .lost(let error): lose(error, at: now)
        case .recovering(_, _, let error): self.error = error
        case .finished: change(to: .closed)
        default: break
        }
    }

    /// Applies an event of a session that uses the camera.
    mutating func record(session event: SessionEvent, at now: ClockTime) {
        switch event {
        case .opening: if state != .lost { change(to: .opening) }
        case .camera, .recovered, .captured: change(to: .delivering)
        case .lost(let error, _): lose(error, at: now)
        case .finished: change(to: .closed)
        default: break
        }
    }

    /// Applies an event of a camera whose frames viewers see.
    mutating func record(camera event: SupervisedCamera.Event, at now: ClockTime) {
        switch event {
        case .opening: if state != .lost { change(to: .opening) }
        case .ready, .recovered: change(to: .delivering)
        case .lost(let error), .gone(let error): lose(error, at: now)
        case .recovering(_, _, let error): self.error = error
        case .negotiated, .stalled, .ended, .notice: break
        }
    }

    /// Applies an event of a recording.
    mutating func record(clip event: ClipEvent, at now: ClockTime) {
        switch event {
        case .opening: if state != .lost { change(to: .opening) }
        case .encoding, .began, .recovered: change(to: .delivering)
        case .lost(let error): lose(error, at: now)
        case .finished: change(to: .closed)
        default: break
        }
    }

    /// Records a camera that was not found, or could not be used.
    mutating func lose(_ error: CaptureError, at now: ClockTime) {
        (since, self.error) = (state == .lost ? since ?? now : now, error)
        state = .lost
    }

    /// The state in words: `lost 12 s ago (was unplugged, or its driver failed); waiting for it`.
    public func words(at now: ClockTime) -> String {
        switch state {
        case .closed: return "closed: no job needs it"
        case .opening: return "being opened"
        case .delivering: return "delivers frames"
        case .resting: return "closed until the picture at \(slot?.dueTime.formatted("%H:%M:%S") ?? "the next slot")"
        case .lost:
            let span = Duration.seconds((now - (since ?? now)).components.seconds)
            let reason = (error?.message).map { " (\($0))" } ?? ""
            return "lost \(span.shortText) ago\(reason); waiting for it"
        }
    }

    /// Returns the state that matters most for the camera: a loss before frames, and frames before a rest.
    static func worst(of states: [CameraHealth]) -> CameraHealth {
        let order: [State] = [.lost, .opening, .delivering, .resting, .closed]
        return order.lazy.compactMap { state in states.first { $0.state == state } }.first ?? CameraHealth()
    }

    private mutating func change(to state: State) {
        (self.state, error, since, slot) = (state, nil, nil, nil)
    }
}
