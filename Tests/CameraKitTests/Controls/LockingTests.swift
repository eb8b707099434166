// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import CameraKit

@Suite("Locking exposure, white balance and focus")
struct LockingTests {
    private static func webcam() -> [CameraControl] {
        [
            .exposureMode(3), .number(.exposureTime, "exposure_time_absolute", 156, 3...2047),
            .number(.gain, "gain", 20), .toggle(.autoWhiteBalance, "white_balance_automatic", 1),
            .number(.colorTemperature, "white_balance_temperature", 4321, 2800...6500, step: 10),
            .toggle(.autoFocus, "focus_automatic_continuous", 1),
            .number(.focus, "focus_absolute", 300, 0...250, step: 5),
        ]
    }

    @Test("A lock selects manual mode first, and then sets the values that automatic mode had reached")
    func exposure() throws {
        let driver = FakeControls(Self.webcam())
        let lock = try CameraControls(driver: driver).lockExposure()
        #expect(driver.log == ["auto_exposure=1", "exposure_time_absolute=156"])
        #expect(lock.locked.map(\.description) == driver.log)
        #expect(lock.skipped.isEmpty)
    }

    @Test("A camera offers to lock and ramp only what its controls allow")
    func offered() {
        #expect(LockableControl.offered(by: Self.webcam()) == [.exposure, .whiteBalance, .focus])
        #expect(RampableControl.offered(by: Self.webcam()) == [.exposure, .whiteBalance])
        let focusOnly = [CameraControl.toggle(.autoFocus, "focus_automatic_continuous", 1)]
        #expect(LockableControl.offered(by: focusOnly) == [.focus])
        #expect(RampableControl.offered(by: focusOnly).isEmpty)
        #expect(LockableControl.offered(by: []).isEmpty && RampableControl.offered(by: []).isEmpty)
    }

    @Test("Locked values are fitted to the step and the range of their control")
    func ranges() throws {
        let driver = FakeControls(Self.webcam())
        _ = try CameraControls(driver: driver).lock([.whiteBalance, .focus])
        #expect(
            driver.log == [
                "white_balance_automatic=0", "white_balance_temperature=4320", "focus_automatic_continuous=0",
                "focus_absolute=250",
            ])
    }

    @Test("A lock is restored in reverse order")
    func restoring() throws {
        let driver = FakeControls(Self.webcam())
        let controls = CameraControls(driver: driver)
        let lock = try controls.lock(Set(LockableControl.allCases))
        let count = driver.log.count
        try controls.restore(lock)
        #expect(
            driver.log.dropFirst(count) == [
                "focus_automatic_continuous=1", "white_balance_automatic=1", "auto_exposure=3",
            ])
    }

    @Test("If a control cannot be restored, the other controls of the lock still are")
    func restoringInPart() throws {
        let controls = CameraControls(driver: FakeControls(Self.webcam()))
        let lock = try controls.lock([.exposure, .whiteBalance])
        let gone = CaptureError(.temporary, "in use")
        let broken = FakeControls(Self.webcam(), refusing: [.autoWhiteBalance: gone])
        #expect(throws: gone) { try CameraControls(driver: broken).restore(lock) }
        #expect(broken.log == ["auto_exposure=3"])
    }

    @Test("A lock that fails after it has locked some controls restores them")
    func failing() throws {
        let driver = FakeControls(Self.webcam())
        let gone = CaptureError(.noCamera, "is gone")
        let controls = CameraControls(driver: FailingControls(driver, afterLists: 1, gone))
        #expect(throws: gone) { try controls.lock([.exposure, .whiteBalance]) }
        #expect(driver.log == ["auto_exposure=1", "exposure_time_absolute=156", "auto_exposure=3"])
    }

    @Test("A lock of a camera that is disconnected meanwhile throws, and restores the controls that are locked")
    func disconnectedWhileLocking() throws {
        let gone = CaptureError(.noCamera, "gone")
        let driver = FakeControls(Self.webcam(), refusing: [.colorTemperature: gone])
        #expect(throws: gone) { try CameraControls(driver: driver).lock([.exposure, .whiteBalance]) }
        #expect(
            driver.log == [
                "auto_exposure=1", "exposure_time_absolute=156", "white_balance_automatic=0",
                "white_balance_automatic=1", "auto_exposure=3",
            ])
    }

    @Test("Locking a manual control sets nothing, and reports the current values")
    func manual() throws {
        let driver = FakeControls([.exposureMode(1), .number(.exposureTime, "exposure_time_absolute", 50, 1...100)])
        let lock = try CameraControls(driver: driver).lockExposure()
        #expect(driver.log.isEmpty)
        #expect(lock.locked.map(\.description) == ["auto_exposure=1", "exposure_time_absolute=50"])
    }

    @Test("A lock does not hold manual values that cannot be set, and reports those that the mode does not use")
    func unsettable() throws {
        let driver = FakeControls([
            .exposureMode(1), .number(.exposureTime, "exposure_time_absolute", 50, 1...100, flags: .readOnly),
            .toggle(.autoGain, "gain_automatic", 0), .number(.gain, "gain", 26, flags: .inactive),
        ])
        let lock = try CameraControls(driver: driver).lockExposure()
        #expect(lock.locked.map(\.description) == ["auto_exposure=1", "gain_automatic=0"])
        #expect(lock.skipped.map(\.name) == ["gain"])
        #expect(driver.log.isEmpty)
    }

    @Test("A lock that is repeated sets every value that the camera accepts, and returns the others")
    func repeating() throws {
        let lock = try CameraControls(driver: FakeControls(Self.webcam())).lock([.exposure, .whiteBalance])
        let refused = CaptureError(.usage, "it is refused")
        let again = FakeControls(Self.webcam(), refusing: [.exposureTime: refused])
        let skipped = try CameraControls(driver: again).repeatLock(lock)
        #expect(skipped.map(\.description) == ["exposure_time_absolute: it is refused"])
        #expect(again.log == ["auto_exposure=1", "white_balance_automatic=0", "white_balance_temperature=4320"])
    }

    @Test("A lock cannot be repeated on a camera that is disconnected meanwhile")
    func disconnected() throws {
        let lock = try CameraControls(driver: FakeControls(Self.webcam())).lockExposure()
        let gone = CaptureError(.noCamera, "gone")
        let again = FakeControls(Self.webcam(), refusing: [.exposureTime: gone])
        #expect(throws: gone) { try CameraControls(driver: again).repeatLock(lock) }
    }

    @Test("A lock of exposure includes gain if the driver has automatic gain")
    func gain() throws {
        let driver = FakeControls([
            .toggle(.autoGain, "gain_automatic", 1, flags: .update),
            .number(.gain, "gain", 26, flags: [.inactive, .volatile]),
        ])
        _ = try CameraControls(driver: driver).lockExposure()
        #expect(driver.log == ["gain_automatic=0", "gain=26"])
    }

    @Test("If the driver has a 3A lock, it is set and restored bit by bit")
    func single() throws {
        let lock = CameraControl(id: .lock3A, name: "3a_lock", kind: .bitmask, maximum: 7, value: .integer(4))
        let driver = FakeControls([lock] + Self.webcam())
        let controls = CameraControls(driver: driver)
        let locked = try controls.lock([.exposure, .whiteBalance, .focus])
        #expect(driver.log == ["3a_lock=5", "3a_lock=7"])
        try controls.restore(locked)
        #expect(driver.log.suffix(2) == ["3a_lock=5", "3a_lock=4"])
    }

    @Test("A lock reports properties for which the camera has no control")
    func absent() throws {
        let lock = try CameraControls(driver: FakeControls([])).lock([.exposure, .focus])
        #expect(lock.isEmpty)
        #expect(lock.skipped.map(\.name) == ["exposure", "focus"])
    }

    @Test("A lock reports controls without a manual mode, unreadable controls, and controls that the driver refuses")
    func skipped() throws {
        let onlyAuto = CameraControl.menu(.autoExposure, "auto_exposure", [(0, "Auto Mode")], value: 0)
        let blind = CameraControl.number(.colorTemperature, "white_balance_temperature", nil)
        let controls = [onlyAuto, .toggle(.autoWhiteBalance, "white_balance_automatic", 1), blind]
        let driver = FakeControls(
            controls + [.toggle(.autoFocus, "focus_auto", 1), .number(.focus, "focus_absolute", 3)],
            refusing: [.autoFocus: CaptureError(.temporary, "in use")])
        let lock = try CameraControls(driver: driver).lock(Set(LockableControl.allCases))
        #expect(lock.skipped.map(\.name) == ["auto_exposure", "white_balance_temperature", "focus_auto"])
        #expect(driver.log == ["white_balance_automatic=0"])
    }
}

@Suite("Reading exposure from a driver")
struct ExposureReadingTests {
    @Test("Exposure time is in seconds, with gain and sensitivity")
    func reading() throws {
        let sensitivity = CameraControl(
            id: .sensitivity, name: "iso_sensitivity", kind: .integerMenu, maximum: 2,
            menu: [.init(index: 1, name: "100000", number: 100_000)], value: .integer(1))
        let driver = FakeControls([
            .exposureMode(1), .number(.exposureTime, "exposure_time_absolute", 156, 3...2047),
            .number(.gain, "gain", 20),
            sensitivity,
        ])
        let reading = CameraControls(driver: driver).exposure()
        #expect(reading == ExposureReading(time: 0.0156, gain: 20, sensitivity: 100))
    }

    @Test("Exposure time is nil in automatic mode, unless the driver updates the control")
    func stale() {
        let time = CameraControl.number(.exposureTime, "exposure_time_absolute", 156, 3...2047)
        #expect(ExposureReading([.exposureMode(3), time]).time == nil)
        let fresh = CameraControl.number(.exposureTime, "exposure_time_absolute", 156, 3...2047, flags: .volatile)
        #expect(ExposureReading([.exposureMode(3), fresh]).time == 0.0156)
        #expect(ExposureReading([time]).time == 0.0156)
    }

    @Test("An exposure reading is empty if the driver reports nothing or invalid values")
    func nothing() {
        #expect(ExposureReading([]) == ExposureReading())
        #expect(ExposureReading([.number(.exposureTime, "exposure_time_absolute", 0)]).time == nil)
        #expect(ExposureReading([.number(.exposureTime, "exposure_time_absolute", nil)]).time == nil)
    }
}
