// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Dispatch
import ScheduleKit
import Synchronization
import Testing

@testable import CameraKit
@testable import CaptureKit

@Suite("The exposure of the pictures of a capture", .timeLimit(.minutes(5)))
struct ExposureTests {
    private static let exposure = [
        CameraControl.exposureMode(1), .number(.exposureTime, "exposure_time_absolute", 100, 3...2047),
    ]
    private static let torch = CameraControl.menu(
        .flashMode, "led_mode", [(0, "Off"), (1, "Flash"), (2, "Torch")], value: 0)

    /// Runs a capture of bursts of two frames from a camera with these controls.
    private static func run(
        _ driver: some ControlDriver, _ change: (inout CaptureConfiguration) -> Void,
        onEvent: @Sendable (CaptureEvent, CaptureController) async -> Void = { _, _ in }
    ) async throws -> CaptureRecord {
        let folder = try TemporaryFolder()
        let source = "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=60/1"
        var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
        // A machine that stands still is not a source that stalls.
        (configuration.settle, configuration.stallLimit) = (.off, .seconds(300))
        // The ledger records the controls of each picture.
        (configuration.burst, configuration.ledger) = (2, "\(folder.path)/a.ledger")
        change(&configuration)
        let hub = CameraHub { (configuration, held) async throws(CaptureError) in
            try await CameraEquipment(CameraControls(driver: driver), configuration, held)
        }
        let controller = CaptureController(configuration, hub: hub)
        return await CaptureRecord.of(controller) { await onEvent($0, controller) }
    }

    /// A burst that waits for the reading would get none: a reading that hangs times out.
    @Test("A reading that hangs delays neither the next frame of its burst nor the next picture")
    func hanging() async throws {
        let driver = HangingControls(Self.exposure)
        let record = try await Self.run(driver) {
            $0.schedule = .onRequest(count: 2)
        } onEvent: { event, controller in
            switch event {
            case .settled: await controller.trigger()
            case .willCapture(let slot) where slot.index == 0: await controller.trigger()
            case .willCapture: driver.release()
            default: break
            }
        }
        #expect(record.captured.map(\.index) == [0, 0, 1, 1])
        let exposures = record.stills.map { $0.inspection?.controls }
        #expect(exposures.first??.contains("exposure") == true && Set(exposures).count == 1, "\(exposures)")
    }

    @Test("A fast series keeps its slots while pictures wait for half a second")
    func waiting() async throws {
        let driver = HangingControls(Self.exposure)
        let record = try await Self.run(driver) {
            ($0.schedule, $0.burst) = (.every(.milliseconds(100), count: 8), 1)
        } onEvent: { event, _ in
            if case .willCapture(let slot) = event, slot.index >= 5 { driver.release() }
        }
        #expect(record.events.allSatisfy { if case .missed(_, .backlog) = $0 { false } else { true } })
        // A busy machine can begin late, and miss the first slots.
        let announced = record.events.compactMap { if case .willCapture(let slot) = $0 { slot.index } else { nil } }
        #expect(record.captured.map(\.index) == announced)
    }

    @Test("The exposure is read while the flash is lit")
    func lit() async throws {
        let driver = HangingControls(Self.exposure + [Self.torch])
        driver.release()
        let record = try await Self.run(driver) { ($0.schedule, $0.flash) = (.single, .on) }
        #expect(record.captured.count == 2)
        #expect(driver.flashes == [.integer(2)])
        #expect(driver.log.starts(with: ["led_mode=2", "led_mode=0"]))
    }
}

/// Controls whose values are returned from ``release()`` on.
private final class HangingControls: ControlDriver {
    let path = "/dev/video0"
    private let controlsOfCamera: FakeControls
    private let gate = DispatchSemaphore(value: 0)
    private let readings = Mutex<[ControlValue?]>([])

    init(_ controls: [CameraControl]) { controlsOfCamera = FakeControls(controls) }

    var log: [String] { controlsOfCamera.log }

    /// The mode of the flash at each reading of the exposure time.
    var flashes: [ControlValue?] { readings.withLock { $0 } }

    func release() { gate.signal() }

    func controls() -> [CameraControl] { controlsOfCamera.controls() }

    func control(_ id: ControlID) -> CameraControl? {
        gate.wait()
        gate.signal()
        let flash = controlsOfCamera.control(.flashMode)?.value
        if id == .exposureTime { readings.withLock { $0.append(flash) } }
        return controlsOfCamera.control(id)
    }

    func set(_ setting: ControlSetting, kind: CameraControl.Kind) throws(CaptureError) {
        try controlsOfCamera.set(setting, kind: kind)
    }
}
