// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Testing

@testable import CameraKit
@testable import CaptureKit

@Suite("Ramps from picture to picture")
struct EquipmentRampTests {
    /// A frame of this brightness, with this time.
    private static func frame(_ level: Double, at time: ClockTime) async throws -> Frame {
        Frame(sample: try await .gray(level), time: time)
    }

    private static func equipment(_ driver: FakeControls) async throws -> CameraEquipment {
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.ramps = [.exposure]
        return try await CameraEquipment(CameraControls(driver: driver), configuration)
    }

    private static let webcam = [
        CameraControl.exposureMode(3), .number(.exposureTime, "exposure_time_absolute", 156, 3...2047),
    ]

    @Test("Each picture changes the controls for the next when the last change is visible, until the end")
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
