// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import CameraKit
@testable import FrameMeasures

@Suite("Ramping the controls of a camera")
struct CameraRampTests {
    private static let light = LightReading(brightness: 0.4, redToBlue: 0)

    private static func webcam(exposure: Int64 = 3, whiteBalance: Int64 = 1) -> [CameraControl] {
        [
            .exposureMode(exposure), .number(.exposureTime, "exposure_time_absolute", 156, 3...2047),
            .number(.gain, "gain", 20), .toggle(.autoWhiteBalance, "white_balance_automatic", whiteBalance),
            .number(.colorTemperature, "white_balance_temperature", 4321, 2800...6500, step: 10),
        ]
    }

    private static func begin(
        _ property: RampableControl, _ driver: FakeControls, _ light: LightReading? = light
    ) throws -> HeldControls {
        try CameraControls(driver: driver).beginRamp(property, light, RampLimits(), frameDuration: .milliseconds(40))
    }

    @Test("A ramp begins in manual mode at the automatic values, and restores all controls at the end")
    func exposure() throws {
        let driver = FakeControls(Self.webcam())
        var held = try Self.begin(.exposure, driver)
        #expect(driver.log == ["auto_exposure=1", "exposure_time_absolute=156"])
        let changes = (0..<20).flatMap { _ in held.follow(LightReading(brightness: 0.01)) }
        #expect(changes.contains { $0.name == "gain" })
        let count = driver.log.count
        try CameraControls(driver: driver).restore(held.lock)
        // The automatic mode does not control the gain, so its value is the user's.
        #expect(driver.log.dropFirst(count) == ["gain=20", "auto_exposure=3"])
    }

    @Test("Controls that were manual are restored to their former values")
    func manual() throws {
        let driver = FakeControls(Self.webcam(exposure: 1))
        let held = try Self.begin(.exposure, driver)
        #expect(driver.log.isEmpty)
        try CameraControls(driver: driver).restore(held.lock)
        #expect(Set(driver.log) == ["gain=20", "exposure_time_absolute=156"])
    }

    @Test("A camera that reconnects gets the ramp's current values, not its first ones")
    func comingBack() throws {
        let driver = FakeControls(Self.webcam())
        var held = try Self.begin(.exposure, driver)
        let white = try Self.begin(.whiteBalance, driver)
        held.add(white)
        for _ in 0..<9 { _ = held.follow(LightReading(brightness: 0.2, redToBlue: 1)) }
        let again = FakeControls(Self.webcam())
        #expect(try CameraControls(driver: again).repeatLock(held.lock).isEmpty)
        #expect(Set(again.log).isSuperset(of: held.ramp.settings.map(\.description)))
        #expect(Set(again.log).isSuperset(of: ["auto_exposure=1", "white_balance_automatic=0"]))
        #expect(again.log.count == Set(again.log).count)
        #expect(!again.log.contains("exposure_time_absolute=156"))
        #expect(!again.log.contains("white_balance_temperature=4320"))
    }

    @Test("Controls that cannot be ramped are reported and not modified")
    func refusals() throws {
        let onlyAuto = CameraControl.menu(.autoExposure, "auto_exposure", [(0, "Auto Mode")], value: 0)
        let cases: [(RampableControl, [CameraControl], LightReading?, String)] = [
            (.exposure, [], Self.light, "exposure is not ramped: the camera has no automatic control for it"),
            (.exposure, [onlyAuto], Self.light, "exposure is not ramped: it has no manual mode"),
            (.exposure, [.exposureMode(3)], Self.light, "exposure is not ramped: the camera has no control for it"),
            (.exposure, Self.webcam(), nil, "exposure is not ramped: the brightness of its frames cannot be measured"),
            (
                .whiteBalance, [.toggle(.autoWhiteBalance, "white_balance_automatic", 1)], Self.light,
                "white-balance is not ramped: the camera has no control for it"
            ),
            (
                .whiteBalance, Self.webcam(), LightReading(brightness: 0.4),
                "white-balance is not ramped: the color of its frames cannot be measured"
            ),
        ]
        for (property, controls, light, notice) in cases {
            let driver = FakeControls(controls)
            let held = try Self.begin(property, driver, light)
            #expect(held.notices.map(\.description) == [notice])
            #expect(held.notices.map(\.code) == [.controlNotRamped])
            #expect(held.notices.map(\.subject) == [property.rawValue])
            #expect(held.lock.isEmpty && held.ramp.isEmpty)
            #expect(driver.controls().filter { $0.kind != .integer } == controls.filter { $0.kind != .integer })
        }
    }

    @Test("A ramp that fails after it has switched to manual mode restores the automatic mode")
    func failing() throws {
        let driver = FakeControls(Self.webcam())
        let gone = CaptureError(.noCamera, "is gone")
        let controls = CameraControls(driver: FailingControls(driver, afterLists: 1, gone))
        #expect(throws: gone) {
            try controls.beginRamp(.exposure, Self.light, RampLimits(), frameDuration: .milliseconds(40))
        }
        #expect(driver.log == ["auto_exposure=1", "exposure_time_absolute=156", "auto_exposure=3"])
    }

    @Test("A ramp on a camera that is disconnected meanwhile throws, and restores the automatic mode")
    func disconnected() throws {
        let gone = CaptureError(.noCamera, "is gone")
        let driver = FakeControls(Self.webcam(), refusing: [.exposureTime: gone])
        #expect(throws: gone) { try Self.begin(.exposure, driver) }
        #expect(driver.log == ["auto_exposure=1", "auto_exposure=3"])
    }

    @Test("The driver's own lock is not used: it would block the ramp")
    func driversLock() throws {
        let lock = CameraControl(id: .lock3A, name: "3a_lock", kind: .bitmask, maximum: 7, value: .integer(0))
        let driver = FakeControls([lock] + Self.webcam())
        _ = try Self.begin(.exposure, driver)
        #expect(driver.log == ["auto_exposure=1", "exposure_time_absolute=156"])
    }
}
