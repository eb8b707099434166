// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Testing

@testable import CameraKit
@testable import CaptureKit
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
        _ thing: RampableControl, _ driver: FakeControls, _ light: LightReading? = light
    ) throws -> HeldControls {
        try CameraControls(driver: driver).beginRamp(thing, light, RampLimits(), frameDuration: .milliseconds(40))
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
        // The automatic mode does not rule the gain: its value is the user's.
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
        try CameraControls(driver: again).repeatLock(held.lock)
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
                "white-balance is not ramped: the camera has no control for it"
            ),
        ]
        for (thing, controls, light, notice) in cases {
            let driver = FakeControls(controls)
            let held = try Self.begin(thing, driver, light)
            #expect(held.notices.map(\.description) == [notice])
            #expect(held.notices.map(\.code) == [.controlNotRamped])
            #expect(held.notices.map(\.subject) == [thing.rawValue])
            #expect(held.lock.isEmpty && held.ramp.isEmpty)
            #expect(driver.controls().filter { $0.kind != .integer } == controls.filter { $0.kind != .integer })
        }
    }

    @Test("The driver's own lock is not used: it would block the ramp")
    func driversLock() throws {
        let lock = CameraControl(id: .lock3A, name: "3a_lock", kind: .bitmask, maximum: 7, value: .integer(0))
        let driver = FakeControls([lock] + Self.webcam())
        _ = try Self.begin(.exposure, driver)
        #expect(driver.log == ["auto_exposure=1", "exposure_time_absolute=156"])
    }
}

@Suite("Ramping from picture to picture")
struct EquipmentRampTests {
    /// A frame of this brightness, with this time.
    private static func frame(_ level: Double, at time: ClockTime) async throws -> Frame {
        let gray = UInt32(level * 255) * 0x010101 | 0xFF00_0000
        let pipeline = try Pipeline(
            "videotestsrc pattern=solid-color foreground-color=\(gray) num-buffers=1 ! "
                + "video/x-raw,format=YUY2,width=64,height=48 ! appsink name=frames")
        let sink = try AppSink(named: "frames", in: pipeline, .keepNewest(1))
        try await pipeline.play()
        let sample = try #require(try await sink.nextSample())
        try await pipeline.stop()
        return Frame(sample: sample, time: time)
    }

    private static func equipment(_ driver: FakeControls) async throws -> CameraEquipment {
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.ramps = [.exposure]
        return try await CameraEquipment(CameraControls(driver: driver), configuration)
    }

    private static let webcam = [
        CameraControl.exposureMode(3), .number(.exposureTime, "exposure_time_absolute", 156, 3...2047),
    ]

    @Test("Each picture changes the controls for the next, after the last change is visible, and never after the end")
    func following() async throws {
        let driver = FakeControls(Self.webcam)
        let equipment = try await Self.equipment(driver)
        let span = Duration.milliseconds(40)
        let first = try await Self.frame(0.4, at: .zero)
        let held = try #require(await equipment.hold(first, frameDuration: span))
        #expect(held.notices.isEmpty)
        for _ in 0..<3 { _ = try await equipment.follow(Self.frame(0.5, at: .zero), frameDuration: span) }
        #expect(driver.log == ["auto_exposure=1", "exposure_time_absolute=156", "exposure_time_absolute=139"])
        // This frame was made before the change.
        #expect(try await equipment.follow(Self.frame(0.5, at: .zero), frameDuration: span) == nil)
        let later = PipelineClock.system.now + .seconds(1)
        let now = try await equipment.follow(Self.frame(0.5, at: later), frameDuration: span)
        #expect(now?.ramp.settings.map(\.description) == ["exposure_time_absolute=124"])
        await equipment.restore()
        #expect(driver.log.suffix(2) == ["exposure_time_absolute=124", "auto_exposure=3"])
        #expect(try await equipment.follow(Self.frame(0.5, at: later + .seconds(1)), frameDuration: span) == nil)
    }

    @Test("A value that the driver refuses is an error, and the ramp keeps the camera's value")
    func refusal() async throws {
        let inUse = CaptureError(.temporary, "in use")
        let driver = FakeControls(Self.webcam.dropFirst() + [], refusing: [.exposureTime: inUse])
        let equipment = try await Self.equipment(driver)
        let span = Duration.milliseconds(40)
        _ = try await equipment.hold(Self.frame(0.4, at: .zero), frameDuration: span)
        for _ in 0..<2 { _ = try await equipment.follow(Self.frame(0.5, at: .zero), frameDuration: span) }
        await #expect(throws: inUse) {
            _ = try await equipment.follow(Self.frame(0.5, at: .zero), frameDuration: span)
        }
        await equipment.restore()
        #expect(driver.log.isEmpty)
    }
}
