// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import CameraKit
@testable import CaptureKit

@Suite("Opening the controls of a capture")
struct EquipmentOpeningTests {
    @Test("The driver is not called on a thread of the caller, which a driver that hangs would block")
    func threads() async throws {
        let executor = CallersExecutor()
        let driver = WatchedControls(executor)
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.controls = [ControlAssignment(name: "gain", value: "10")]
        configuration.flash = .auto
        let opening = Task(executorPreference: executor) { [configuration] in
            try await CameraEquipment(CameraControls(driver: driver), configuration, HeldControls())
        }
        let equipment = try await opening.value
        #expect(equipment.hasFlash)
        #expect(!driver.calls.isEmpty && !driver.calls.contains(.callers))
    }
}

/// An executor that knows its thread.
private final class CallersExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "gst-capture.test")
    /// The thread that runs a job now.
    private let thread = Mutex<pthread_t?>(nil)

    /// `true` if the caller runs on this executor.
    var isCurrent: Bool { thread.withLock { $0 == pthread_self() } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            thread.withLock { $0 = pthread_self() }
            job.runSynchronously(on: asUnownedTaskExecutor())
            thread.withLock { $0 = nil }
        }
    }
}

/// A gain and a flash that record on which threads they are called.
private final class WatchedControls: ControlDriver {
    enum Thread {
        case callers
        case other
    }

    let path = "/dev/video0"
    private let executor: CallersExecutor
    private let controlsOfCamera = FakeControls([
        .number(.gain, "gain", 20), .menu(.flashMode, "led_mode", [(0, "Off"), (1, "Flash"), (2, "Torch")], value: 0),
    ])
    private let recorded = Mutex<[Thread]>([])

    init(_ executor: CallersExecutor) { self.executor = executor }

    /// The threads of the calls so far.
    var calls: [Thread] { recorded.withLock { $0 } }

    func controls() -> [CameraControl] {
        record()
        return controlsOfCamera.controls()
    }

    func control(_ id: ControlID) -> CameraControl? {
        record()
        return controlsOfCamera.control(id)
    }

    func set(_ setting: ControlSetting, kind: CameraControl.Kind) throws(CaptureError) {
        record()
        try controlsOfCamera.set(setting, kind: kind)
    }

    private func record() {
        let thread = executor.isCurrent ? Thread.callers : .other
        recorded.withLock { $0.append(thread) }
    }
}
