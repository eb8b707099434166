// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit

/// A request about the controls of a camera.
public enum ControlRequest: Sendable, Hashable {
    /// Read them.
    case read
    /// Set these.
    case set([ControlAssignment])
    /// Set all to the driver's defaults, and undo a lock.
    case reset
    /// Freeze these at their present values.
    case lock(Set<LockableControl>)
    /// Undo the lock.
    case unlock
}

/// The controls of a camera after a request.
public struct ControlState: Sendable, Hashable {
    /// All controls, in the driver's order.
    public let controls: [CameraControl]
    /// The controls that requests have locked, with their values.
    public let locked: [ControlSetting]
    /// The controls that could not be locked, with the reason.
    public let skipped: [ControlLock.Skipped]
}

/// Reads and changes the controls of cameras while jobs use them. Values that were set stay until the service ends, the
/// controls are reset, or the camera is switched: a camera that comes back gets them again.
actor ControlChanges {
    private let hub: CameraHub
    /// A second lock would take the controls of an unfinished first one for manual.
    private let turns = Turns()
    private var locks: [String: ControlLock] = [:]

    init(_ hub: CameraHub) { self.hub = hub }

    /// Performs a request. Calls of the driver have a time limit.
    ///
    /// - Throws: The errors of ``CameraControls``; `.wedged` if the driver does not return.
    func perform(_ request: ControlRequest, on camera: Camera) async throws(CaptureError) -> ControlState {
        await turns.take()
        defer { turns.end() }
        let (lock, hub) = (locks[camera.id], hub)
        let deadline = Deadline(subject: camera.path ?? camera.id)
        let (controls, next) = try await deadline.bound("changing the controls") { () throws(CaptureError) in
            try await BlockingWork.run { () throws(CaptureError) in
                try Self.perform(request, on: camera, lock, hub)
            }
        }
        locks[camera.id] = next
        return ControlState(controls: controls, locked: next?.locked ?? [], skipped: next?.skipped ?? [])
    }

    /// Forgets what requests have changed on a camera. Its controls stay as they are.
    func forget(_ camera: Camera) {
        locks[camera.id] = nil
        hub.forget(for: camera.id)
    }

    /// Performs a request on a thread that may block. Returns the controls and the lock after it.
    private static func perform(
        _ request: ControlRequest, on camera: Camera, _ lock: ControlLock?, _ hub: CameraHub
    ) throws(CaptureError) -> ([CameraControl], ControlLock?) {
        let controls = try CameraControls(camera)
        var lock = lock
        switch request {
        case .read: break
        case .set(let assignments):
            try controls.set(assignments)
            hub.keep(try kept(assignments, by: controls), for: camera.id)
        case .reset:
            if let lock { try controls.restore(lock) }
            try controls.reset()
            hub.forget(for: camera.id)
            lock = nil
        case .lock(let kinds):
            if let lock { try undo(lock, controls, camera, hub) }
            let new = try controls.lock(kinds)
            hub.keep(new.locked.map(\.assignment), for: camera.id)
            lock = new
        case .unlock:
            if let lock { try undo(lock, controls, camera, hub) }
            lock = nil
        }
        let list = try controls.list()
        // A control without effect refuses values: an automatic mode may have taken it over.
        hub.forget(Set(list.filter { $0.flags.contains(.inactive) }.map(\.name)), for: camera.id)
        return (list, lock)
    }

    private static func undo(
        _ lock: ControlLock, _ controls: CameraControls, _ camera: Camera, _ hub: CameraHub
    ) throws(CaptureError) {
        try controls.restore(lock)
        hub.forget(Set(lock.locked.map(\.name)), for: camera.id)
    }

    /// Returns the assignments with the driver's names, without buttons: they have no value.
    private static func kept(
        _ assignments: [ControlAssignment], by controls: CameraControls
    ) throws(CaptureError) -> [ControlAssignment] {
        var kept: [ControlAssignment] = []
        for assignment in assignments {
            let control = try controls.control(named: assignment.name)
            if control.kind != .button { kept.append(ControlAssignment(name: control.name, value: assignment.value)) }
        }
        return kept
    }
}

extension ControlSetting {
    /// The setting as text that ``CameraControl/parse(_:)`` reads.
    fileprivate var assignment: ControlAssignment {
        switch value {
        case .integer(let number): ControlAssignment(name: name, value: String(number))
        case .text(let text): ControlAssignment(name: name, value: text)
        }
    }
}

extension ControlState {
    /// The state as an object.
    package var json: JSONValue {
        .object([
            "controls": .array(controls.map(\.json)),
            "locked": .array(locked.map { .string($0.name) }),
            "skipped": .array(
                skipped.map { .object(["name": .string($0.name), "reason": .string($0.reason)]) }),
        ])
    }
}
