// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import FrameMeasures
import Glibc
import PipelineKit
import ScheduleKit
import Synchronization
import Testing

@testable import CameraKit
@testable import CaptureKit

@Suite("A supervised camera", .timeLimit(.minutes(5)))
struct SupervisedCameraTests {
    private static let small = "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=16,height=16,framerate=30/1"

    private static func configuration(_ source: String = small, settle: Settle = .off) -> CaptureConfiguration {
        var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
        // A machine that stands still for seconds does not lose the camera.
        (configuration.settle, configuration.stallLimit) = (settle, .seconds(300))
        configuration.schedule = .onRequest()
        return configuration
    }

    /// Waits for the first event that `isWanted` accepts, or that ends the camera.
    private static func next(
        _ events: inout AsyncStream<SupervisedCamera.Event>.Iterator,
        where isWanted: (SupervisedCamera.Event) -> Bool
    ) async -> SupervisedCamera.Event? {
        while let event = await events.next() {
            if case .gone = event { return event }
            if isWanted(event) { return event }
        }
        return nil
    }

    @Test("A camera that is closed while it settles can be opened again")
    func restsWhileOpening() async throws {
        let camera = SupervisedCamera(Self.configuration(settle: .fixed(.seconds(600))))
        var events = camera.events.makeAsyncIterator()
        await camera.open()
        for _ in 0..<3 {
            let met = await Self.next(&events) { if case .negotiated = $0 { true } else { false } }
            guard case .negotiated = met else { return #expect(Bool(false), "\(String(describing: met))") }
            await camera.rest()
            await camera.open()
        }
        let met = await Self.next(&events) { if case .negotiated = $0 { true } else { false } }
        if case .gone(let error) = met { #expect(Bool(false), "gave up: \(error)") }
        await camera.close()
    }

    @Test("A camera that refuses a locked value is reopened, and one notice reports the value")
    func refusesLockedValue() async throws {
        var configuration = Self.configuration()
        configuration.locks = [.exposure]
        let camera = SupervisedCamera(configuration) { (configuration, held) async throws(CaptureError) in
            let refused = held == nil ? [:] : [ControlID.exposureTime: CaptureError(.usage, "it is refused")]
            let driver = FakeControls(
                [.exposureMode(3), .number(.exposureTime, "exposure_time_absolute", 100)], refusing: refused)
            return try await CameraEquipment(CameraControls(driver: driver), configuration, held)
        }
        var events = camera.events.makeAsyncIterator()
        var notices: [Notice] = []
        for _ in 0..<3 {
            await camera.open()
            let met = await Self.next(&events) { event in
                if case .notice(let notice) = event { notices.append(notice) }
                if case .ready = event { return true }
                return false
            }
            guard case .ready = met else { return #expect(Bool(false), "\(String(describing: met))") }
            await camera.rest()
        }
        await camera.close()
        #expect(notices.map(\.code) == [.controlNotLocked])
        #expect(notices.map(\.subject) == ["exposure_time_absolute"])
    }

    @Test("If locking fails, the controls that are locked already are restored")
    func failsAfterLock() async throws {
        let driver = FakeControls([
            .toggle(.autoFocus, "focus_automatic_continuous", 1), .number(.focus, "focus_absolute", 30),
            .exposureMode(3), .number(.exposureTime, "exposure_time_absolute", 156, 3...2047),
        ])
        var configuration = Self.configuration(Self.small.replacing("GRAY8", with: "I420"))
        (configuration.locks, configuration.ramps, configuration.recovery) = ([.focus], [.exposure], .off)
        let camera = SupervisedCamera(configuration) { (configuration, held) async throws(CaptureError) in
            // The lock of the focus lists the controls once, and the ramp of the exposure twice.
            let controls = FailingControls(driver, afterLists: 2, CaptureError(.noCamera, "is gone"))
            return try await CameraEquipment(CameraControls(driver: controls), configuration, held)
        }
        var events = camera.events.makeAsyncIterator()
        await camera.open()
        let last = await Self.next(&events) { if case .ready = $0 { true } else { false } }
        guard case .gone(let error) = last else { return #expect(Bool(false), "\(String(describing: last))") }
        #expect(error.message == "is gone")
        await camera.close()
        // On a slow machine, the camera does not wait until the controls are restored.
        while driver.control(.autoFocus)?.value != .integer(1) || driver.control(.autoExposure)?.value != .integer(3) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(driver.log.starts(with: ["focus_automatic_continuous=0", "focus_absolute=30", "auto_exposure=1"]))
    }

    @Test("A camera that fails while its controls are locked is not ready, and only that attempt ends")
    func failsWhileLocking() async throws {
        let folder = try TemporaryFolder()
        let fifo = "\(folder.path)/stream"
        #expect(mkfifo(fifo, 0o600) == 0)
        let driver = try LateControls(waitingFor: fifo)
        // An element fails when the lock begins, and then the lock waits for the end of the stream.
        let fault = "fdsrc fd=\(driver.faults) ! identity error-after=1 ! fakesink async=false"
        let branch = "t. ! queue ! filesink async=false sync=false location=\(fifo)"
        var configuration = Self.configuration("\(fault) \(Self.small) ! tee name=t \(branch) t. ! queue")
        configuration.locks = [.exposure]
        configuration.recovery = .always
        let camera = SupervisedCamera(configuration) { (configuration, held) async throws(CaptureError) in
            try await CameraEquipment(CameraControls(driver: driver), configuration, held)
        }
        var events = camera.events.makeAsyncIterator()
        await camera.open()
        let first = await Self.next(&events) {
            switch $0 {
            case .ready, .lost: true
            default: false
            }
        }
        switch first {
        case .lost(let error), .gone(let error): #expect(error.code != .wedged, "\(error)")
        default: #expect(Bool(false), "a dead camera is ready")
        }
        #expect(driver.hasWaited)
        await camera.close()
    }
}

/// Controls that end the stream when they are listed, and return the list only when the writer of a named pipe has
/// closed it: when the stream is stopped.
private final class LateControls: ControlDriver {
    let path = "/dev/video0"
    /// An element of the stream reads from this descriptor, and fails when it reads a byte.
    let faults: Int32
    private let faultWriter: Int32
    private let descriptor: Int32
    private let controlsOfCamera = FakeControls([
        .exposureMode(3), .number(.exposureTime, "exposure_time_absolute", 100),
    ])
    private let isStopped = Mutex(false)

    /// Opens the reader's end, for which the writer waits.
    init(waitingFor fifo: String) throws {
        var ends: [Int32] = [-1, -1]
        let isMade = pipe(&ends) == 0
        (faults, faultWriter) = (ends[0], ends[1])
        descriptor = Glibc.open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(isMade && descriptor >= 0)
        // From here on, reads wait for the writer.
        _ = fcntl(descriptor, F_SETFL, 0)
    }

    deinit { for end in [faults, faultWriter, descriptor] { close(end) } }

    /// `true` if the list was requested, and the stream ended before it came.
    var hasWaited: Bool { isStopped.withLock { $0 } }

    func controls() -> [CameraControl] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        _ = write(faultWriter, bytes, 1)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        isStopped.withLock { $0 = true }
        return controlsOfCamera.controls()
    }

    func control(_ id: ControlID) -> CameraControl? { controlsOfCamera.control(id) }

    func set(_ setting: ControlSetting, kind: CameraControl.Kind) throws(CaptureError) {
        try controlsOfCamera.set(setting, kind: kind)
    }
}
