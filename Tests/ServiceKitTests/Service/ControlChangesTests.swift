// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Dispatch
import PipelineKit
import Testing

@testable import CameraKit
@testable import CaptureKit
@testable import ServiceKit

@Suite("Requests about controls")
struct ControlChangesTests {
    private static let webcam = [
        CameraControl.exposureMode(3), .number(.exposureTime, "exposure_time_absolute", 156, 3...2047),
        .toggle(.autoWhiteBalance, "white_balance_automatic", 1),
        .number(.colorTemperature, "white_balance_temperature", 4600, 2800...6500),
    ]

    private let hub = CameraHub()
    private let driver: FakeControls
    private let changes: ControlChanges
    private let lease: CameraLease

    init() {
        let driver = FakeControls(Self.webcam)
        self.driver = driver
        changes = ControlChanges(hub) { _ in CameraControls(driver: driver) }
        lease = hub.lease(CaptureConfiguration(source: .camera(.scene), output: .caller), for: "series")
    }

    private func perform(_ request: ControlRequest) async throws -> ControlState {
        try await changes.perform(request, on: .scene)
    }

    /// A picture of this brightness.
    private func capture(_ level: Double, at time: ClockTime = .zero) async throws {
        await lease.follow(Frame(sample: try await .gray(level), time: time))
    }

    @Test("A second lock adds to the first, and unlocking releases both in the opposite order")
    func locks() async throws {
        #expect(
            try await perform(.lock([.exposure])).locked.map(\.name) == ["auto_exposure", "exposure_time_absolute"])
        #expect(try await perform(.lock([.whiteBalance])).locked.count == 4)
        let count = driver.log.count
        #expect(try await perform(.lock([.exposure, .whiteBalance])).locked.count == 4)
        #expect(driver.log.count == count)
        #expect(try await perform(.unlock).locked.isEmpty)
        #expect(driver.log.suffix(2) == ["white_balance_automatic=1", "auto_exposure=3"])
    }

    @Test("A ramp begins with the next picture, follows the light of later ones, and ends when it is unlocked")
    func ramp() async throws {
        let begun = try await perform(.ramp([.exposure]))
        #expect(begun.ramped == [.exposure] && begun.locked.isEmpty && driver.log.isEmpty)
        try await capture(0.4)
        for _ in 0..<3 { try await capture(0.5) }
        #expect(driver.log == ["auto_exposure=1", "exposure_time_absolute=156", "exposure_time_absolute=139"])
        // This picture was captured before the change.
        try await capture(0.5)
        #expect(driver.log.count == 3)
        try await capture(0.5, at: PipelineClock.system.now + .seconds(1))
        let now = try await perform(.read)
        #expect(now.locked.map(\.description) == ["auto_exposure=1", "exposure_time_absolute=124"])
        let ended = try await perform(.unlock)
        #expect(ended.ramped.isEmpty && ended.locked.isEmpty)
        #expect(driver.log.last == "auto_exposure=3")
        try await capture(0.5, at: PipelineClock.system.now + .seconds(2))
        #expect(driver.log.last == "auto_exposure=3")
    }

    @Test("A change of one ramp delays all, as the light depends on it")
    func together() async throws {
        _ = try await perform(.ramp([.exposure, .whiteBalance]))
        try await capture(0.4)
        for _ in 0..<3 { try await capture(0.5) }
        let count = driver.log.count
        #expect(driver.log.last == "exposure_time_absolute=139")
        // These pictures were captured before the change.
        for _ in 0..<3 { try await capture(0.5) }
        #expect(driver.log.count == count)
    }

    @Test("A ramp takes the place of a lock of the same property, and a lock that of a ramp")
    func eitherOr() async throws {
        _ = try await perform(.lock([.exposure, .whiteBalance]))
        let ramped = try await perform(.ramp([.exposure]))
        #expect(ramped.ramped == [.exposure])
        #expect(ramped.locked.map(\.name) == ["white_balance_automatic", "white_balance_temperature"])
        try await capture(0.4)
        let locked = try await perform(.lock([.exposure]))
        #expect(locked.ramped.isEmpty && locked.locked.count == 4)
    }

    @Test("A property that the camera cannot ramp is skipped with the reason after the next picture")
    func impossible() async throws {
        let changes = ControlChanges(hub) { _ in CameraControls(driver: FakeControls([])) }
        #expect(try await changes.perform(.ramp([.exposure]), on: .scene).ramped == [.exposure])
        try await capture(0.4)
        let state = try await changes.perform(.read, on: .scene)
        #expect(state.ramped.isEmpty)
        #expect(state.skipped.map(\.description) == ["exposure: the camera has no automatic control for it"])
    }

    @Test("A driver that hangs keeps one thread, further requests are refused at once, and other cameras are served")
    func hanging() async throws {
        let driver = driver
        let (calls, call) = AsyncStream<Void>.makeStream()
        let returns = DispatchSemaphore(value: 0)
        let changes = ControlChanges(hub, limit: .milliseconds(1)) { camera in
            if camera.id == Camera.scene.id {
                call.yield()
                returns.wait()
            }
            return CameraControls(driver: driver)
        }
        for _ in 0..<20 {
            let error = await #expect(throws: CaptureError.self) { try await changes.perform(.read, on: .scene) }
            #expect(error?.code == .wedged)
        }
        // The thread of the first request may begin after the time limits of all.
        var iterator = calls.makeAsyncIterator()
        await iterator.next()
        returns.signal()
        call.finish()
        #expect(await iterator.next() == nil, "only one request reaches the driver")
    }
}
