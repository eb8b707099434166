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
    /// Ramp these from the next picture on: they follow the light from picture to picture.
    case ramp(Set<RampableControl>)
    /// Undo the lock and the ramps.
    case unlock
}

/// The controls of a camera after a request.
public struct ControlState: Sendable, Hashable {
    /// All controls, in the driver's order.
    public let controls: [CameraControl]
    /// The controls that requests have locked or ramped, with their values.
    public let locked: [ControlSetting]
    /// The properties that are ramped, or will be from the next picture on.
    public let ramped: [RampableControl]
    /// The controls that could not be locked or ramped, with the reason.
    public let skipped: [ControlLock.Skipped]
}

/// Reads and changes the controls of cameras while jobs use them. Values that were set stay until the service ends, the
/// controls are reset, or the camera is switched: a camera that comes back gets them again.
actor ControlChanges {
    /// The state of a device.
    private struct Device {
        /// A second lock would take the controls of an unfinished first one for manual.
        let turns = Turns()
        var holds = ControlHolds()
        /// `true` while the light is being measured: pictures that come meanwhile are passed over.
        var isMeasuring = false
        /// `true` while a call has not returned from the driver. After its time limit, further requests are refused.
        var isCalling = false
    }

    private let hub: CameraHub
    /// The devices by their IDs.
    private var devices: [String: Device] = [:]
    private let meter = LightMeter()
    private let limit: Duration
    private let open: @Sendable (Camera) throws(CaptureError) -> CameraControls

    /// - Parameters:
    ///   - limit: The time limit of the calls of the driver.
    ///   - open: Opens the controls of a camera; tests pass a function with fake controls.
    init(
        _ hub: CameraHub, limit: Duration = .seconds(10),
        open: @escaping @Sendable (Camera) throws(CaptureError) -> CameraControls = {
            (camera) throws(CaptureError) in try CameraControls(camera)
        }
    ) {
        (self.hub, self.limit, self.open) = (hub, limit, open)
    }

    /// Performs a request. Calls of the driver have a time limit.
    ///
    /// - Throws: The errors of ``CameraControls``; `.wedged` if the driver does not return, or has not returned from an
    ///   earlier call.
    func perform(_ request: ControlRequest, on camera: Camera) async throws(CaptureError) -> ControlState {
        let turns = device(camera).turns
        await turns.take()
        defer { turns.end() }
        let list = try await change(camera, "changing the controls") { [hub] (holds, controls) throws(CaptureError) in
            switch request {
            case .read: break
            case .set(let assignments):
                try controls.set(assignments)
                hub.keep(try Self.kept(assignments, by: controls), for: camera.id)
            case .reset:
                try holds.release(controls)
                try controls.reset()
                hub.forget(for: camera.id)
            case .lock(let kinds): try holds.freeze(kinds, controls)
            case .ramp(let kinds): try holds.ramp(kinds, controls)
            case .unlock: try holds.release(controls)
            }
            return try controls.list()
        }
        // A control without effect refuses values: an automatic mode may have taken it over.
        hub.forget(Set(list.filter { $0.flags.contains(.inactive) }.map(\.name)), for: camera.id)
        let now = holds(of: camera)
        return ControlState(controls: list, locked: now.settings, ramped: now.ramped, skipped: now.skipped)
    }

    /// Forgets what requests have changed on a camera. Its controls stay as they are.
    func forget(_ camera: Camera) {
        devices[camera.id]?.holds = ControlHolds()
        followPictures()
        hub.forget(for: camera.id)
    }

    private func holds(of camera: Camera) -> ControlHolds { device(camera).holds }

    private func device(_ camera: Camera) -> Device {
        if let known = devices[camera.id] { return known }
        let device = Device()
        devices[camera.id] = device
        return device
    }

    /// Has the hub pass on pictures only while a control is ramped: each one costs a job a task, and holds its frame.
    private func followPictures() {
        guard devices.values.contains(where: { !$0.holds.ramped.isEmpty }) else { return hub.onPicture(nil) }
        hub.onPicture { [weak self] camera, frame, limits in await self?.follow(frame, of: camera, limits) }
    }

    /// Adjusts the ramped controls of a camera to the light of a picture. A driver that refuses is asked again after the
    /// next picture.
    private func follow(_ frame: Frame, of camera: Camera, _ limits: RampLimits) async {
        let span = frame.sample.frameDuration ?? .milliseconds(100)
        guard let device = devices[camera.id], device.holds.isFollowing(frame, frameDuration: span),
            !device.isMeasuring
        else { return }
        devices[camera.id]?.isMeasuring = true
        defer { devices[camera.id]?.isMeasuring = false }
        await device.turns.take()
        defer { device.turns.end() }
        let light = await meter.read(frame.sample)
        try? await change(camera, "ramping the controls") { (holds, controls) throws(CaptureError) in
            try holds.follow(light, limits, frameDuration: span, controls)
        }
    }

    /// Changes the held controls of a camera on a thread that may block. The camera gets them again when it comes back.
    private func change<Value: Sendable>(
        _ camera: Camera, _ action: String,
        _ body: @escaping @Sendable (inout ControlHolds, CameraControls) throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let (device, open) = (device(camera), open)
        guard !device.isCalling else { throw .hangs(camera) }
        let before = device.holds
        devices[camera.id]?.isCalling = true
        let deadline = Deadline(subject: camera.path ?? camera.id, limit: limit)
        let (result, after) = try await deadline.bound(action) { [self] () throws(CaptureError) in
            let outcome = await BlockingWork.run {
                Result { () throws(CaptureError) in
                    var holds = before
                    let result = try body(&holds, open(camera))
                    return (result, holds)
                }
            }
            await returned(from: camera)
            return try outcome.get()
        }
        devices[camera.id]?.holds = after
        followPictures()
        guard before.settings != after.settings else { return result }
        let released = Set(before.settings.map(\.name)).subtracting(after.settings.map(\.name))
        hub.forget(released, for: camera.id)
        hub.keep(after.settings.map(\.assignment), for: camera.id)
        return result
    }

    private func returned(from camera: Camera) { devices[camera.id]?.isCalling = false }

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

extension CaptureError {
    /// The error of a request while an earlier call has not returned. Each further call would keep a thread.
    fileprivate static func hangs(_ camera: Camera) -> CaptureError {
        CaptureError(
            .wedged, "the driver hangs: an earlier change of the controls has not returned",
            subject: camera.path ?? camera.id,
            advice: "restart gst-capture; if that does not help, reconnect the camera")
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
            "ramped": .array(ramped.map { .string($0.rawValue) }),
            "lockable": .array(LockableControl.offered(by: controls).map { .string($0.rawValue) }),
            "rampable": .array(RampableControl.offered(by: controls).map { .string($0.rawValue) }),
            "skipped": .array(
                skipped.map { .object(["name": .string($0.name), "reason": .string($0.reason)]) }),
        ])
    }
}
