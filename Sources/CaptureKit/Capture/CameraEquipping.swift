// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import FrameLink
import FrameMeasures

/// The controls and the flash of an open camera: those of its driver, or those that a service handles.
protocol CameraEquipping: Sendable {
    /// The use of the flash by the jobs that use it.
    var flashMode: FlashMode { get }
    /// `true` if there is a flash that is not always off.
    var hasFlash: Bool { get }
    /// `true` if the decision about the flash needs a frame.
    var measuresForFlash: Bool { get }

    /// Locks and takes over controls; returns the held controls, or `nil` if none are held here.
    func hold(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls?
    /// Adjusts the ramped controls to the light of a picture; returns the held controls if they have changed.
    func follow(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls?
    /// Returns the current exposure; values that the driver does not report are `nil`.
    func exposure() async -> ExposureReading
    /// Lights the flash if it is to fire for the next picture. Returns `true` if it is lit.
    func light(after frame: Frame?) async throws(CaptureError) -> Bool
    /// Turns the flash off.
    func turnOff() async
    /// Restores the automatic controls, and turns the flash off.
    func restore() async
}

extension CameraEquipment: CameraEquipping {}

/// The controls of a camera that a service holds. The service sets, locks and restores them; requests adjust ramps, and
/// light the flash.
struct ServedEquipment: CameraEquipping {
    let flashMode: FlashMode
    let hasFlash: Bool
    /// The service measures.
    let measuresForFlash = false
    private let requests: LoanRequests
    private let ramps: Bool

    init(_ camera: ServedCamera, _ offer: FrameOffer, _ configuration: CaptureConfiguration) {
        (flashMode, hasFlash) = (configuration.flash, offer.hasFlash)
        requests = LoanRequests(camera, offer)
        ramps = !configuration.ramps.isEmpty
    }

    func hold(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls? { nil }

    func follow(_ frame: Frame, frameDuration: Duration) async throws(CaptureError) -> HeldControls? {
        if ramps { try await requests.follow() }
        return nil
    }

    func exposure() async -> ExposureReading { (try? await requests.exposure()) ?? ExposureReading() }

    func light(after frame: Frame?) async throws(CaptureError) -> Bool { try await requests.light() }

    func turnOff() async { try? await requests.turnOff() }

    /// The service restores the controls at the end of the loan.
    func restore() async {}
}

extension CaptureConfiguration {
    /// The settings of the camera for the service that holds it, with the names and values of a preset.
    var loanSettings: JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ value: String?) {
            if let value { members.append(JSONValue.Member(name: name, value: .string(value))) }
        }
        func add(_ name: String, _ values: [String]) {
            guard !values.isEmpty else { return }
            members.append(JSONValue.Member(name: name, value: .array(values.map(JSONValue.string))))
        }
        add("width", request.width.map(String.init))
        add("height", request.height.map(String.init))
        add("framerate", request.frameRate.map { "\($0.numerator)/\($0.denominator)" })
        add("format", request.format)
        add("decode", decode)
        add("settle", settle.settingText)
        if !controls.isEmpty {
            let values = controls.map { JSONValue.Member(name: $0.name, value: .string($0.value)) }
            members.append(JSONValue.Member(name: "controls", value: .object(values)))
        }
        add("lock", locks.map(\.rawValue).sorted())
        add("ramp", ramps.map(\.rawValue).sorted())
        if !ramps.isEmpty {
            add("ramp-rate", JSONValue.number(rampLimits.rate).text)
            add("ramp-target", rampLimits.target.map { JSONValue.number($0 * 100).text + "%" })
        }
        if flash != .off { add("flash", flash.rawValue) }
        add("flash-control", flashControl.map { "\($0.name)=\($0.value)" })
        return .object(members)
    }
}

extension Settle {
    /// The value of the setting.
    fileprivate var settingText: String {
        switch self {
        case .off: "off"
        case .automatic: "auto"
        case .fixed(let duration): "\(duration.nanoseconds / 1000)us"
        }
    }
}
