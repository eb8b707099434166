// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import PipelineKit
import Testing

@testable import CameraKit
@testable import CaptureKit
@testable import FrameMeasures

@Suite("The flash of a capture", .timeLimit(.minutes(5)))
struct EquipmentFlashTests {
    private static let torch = CameraControl.menu(
        .flashMode, "led_mode", [(0, "Off"), (1, "Flash"), (2, "Torch")], value: 0)

    @Test("An automatic flash is lit if frames are dark, and each picture records the use of the flash")
    func automatic() async throws {
        let driver = FakeControls([Self.torch])
        let camera = try await Self.camera(driver)
        let feed = FrameFeed(camera.session)
        for (luma, fires) in [(200, false), (20, true), (200, false)] as [(UInt8, Bool)] {
            feed.giveBack(try Self.frame(luma, at: .distantFuture))
            let lighting = await camera.light(feed)
            await camera.turnOff()
            #expect((lighting.moment != nil) == fires && lighting.failure == nil)
            #expect(await camera.exposure(with: lighting)?.flash == FlashUse(mode: .auto, hasFired: fires))
        }
        #expect(driver.log == ["led_mode=0", "led_mode=2", "led_mode=0", "led_mode=0"])
        try await camera.session.close()
    }

    @Test("Jobs that share a camera record the use of the flash for their own pictures")
    func jobs() async throws {
        let automatic = try await Self.camera()
        var unlit = automatic
        unlit.firesFlash = false
        let feed = FrameFeed(automatic.session)
        feed.giveBack(try Self.frame(20, at: .distantFuture))
        let first = await automatic.light(feed)
        feed.giveBack(try Self.frame(200, at: .distantFuture))
        let second = await automatic.light(feed)
        let third = await unlit.light(feed)
        await automatic.turnOff()
        #expect(await automatic.exposure(with: first)?.flash == FlashUse(mode: .auto, hasFired: true))
        #expect(await automatic.exposure(with: second)?.flash == FlashUse(mode: .auto, hasFired: false))
        #expect(await unlit.exposure(with: third)?.flash == nil)
        try await automatic.session.close()
    }

    @Test("If the driver refuses to light the flash, the picture has no flash, and the error is returned")
    func refused() async throws {
        let inUse = CaptureError(.temporary, "in use")
        let camera = try await Self.camera(FakeControls([Self.torch], refusing: [.flashMode: inUse]))
        let feed = FrameFeed(camera.session)
        feed.giveBack(try Self.frame(20, at: .distantFuture))
        let lighting = await camera.light(feed)
        #expect(lighting.moment == nil && lighting.failure == inUse)
        #expect(await camera.exposure(with: lighting)?.flash == FlashUse(mode: .auto, hasFired: false))
        try await camera.session.close()
    }

    @Test("An automatic flash measures the current light, not that of a frame that was given back long ago")
    func givenBack() async throws {
        let camera = try await Self.camera()
        let feed = FrameFeed(camera.session)
        feed.giveBack(try Self.frame(20, at: .zero))
        #expect(await camera.light(feed).moment == nil)
        // The measured frame comes next.
        #expect(await feed.next().map { $0.time > .zero } == true)
        try await camera.session.close()
    }

    @Test("After the end of the source, the flash measures no frame, and the frame given back comes next")
    func ended() async throws {
        let camera = try await Self.camera()
        let feed = FrameFeed(camera.session)
        camera.session.endFrames()
        feed.giveBack(try Self.frame(20, at: .zero))
        #expect(await camera.light(feed).moment == nil)
        #expect(await feed.next()?.time == .zero)
        try await camera.session.close()
    }

    /// An open camera with bright frames and an automatic flash.
    private static func camera(_ driver: FakeControls = FakeControls([torch])) async throws -> OpenCamera {
        let source =
            "videotestsrc is-live=true pattern=white ! video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1"
        var configuration = CaptureConfiguration(source: .fragment(source), output: .caller)
        configuration.flash = .auto
        return OpenCamera(
            session: try await .playing(configuration),
            equipment: try await CameraEquipment(CameraControls(driver: driver), configuration),
            firesFlash: true, settling: SettleReport(outcome: .off, duration: .zero, frames: 0, brightness: nil),
            frameDuration: .milliseconds(33), deadline: Deadline(subject: "camera", limit: .seconds(300)))
    }

    /// A frame with this brightness that arrived at this time.
    private static func frame(_ luma: UInt8, at time: ClockTime) throws -> Frame {
        let caps = try Caps("video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1")
        let buffer = try Buffer([UInt8](repeating: luma, count: 64 * 48))
        return Frame(sample: Sample(buffer, caps: caps), time: time)
    }

    @Test("A camera without a flash works with an automatic flash, and not with one that must fire")
    func withoutFlash() async throws {
        var configuration = CaptureConfiguration(source: .camera(.scene), output: .caller)
        configuration.flash = .auto
        let controls = CameraControls(driver: FakeControls([]))
        let equipment = try await CameraEquipment(controls, configuration)
        #expect(!equipment.hasFlash)
        #expect(try await equipment.light(after: nil) == false)
        for mode in [FlashMode.on, .torch] {
            configuration.flash = mode
            let error = await #expect(throws: CaptureError.self) { try await CameraEquipment(controls, configuration) }
            #expect(error?.advice?.contains("--flash") == true)
        }
    }
}

extension ClockTime {
    /// A time after every arrival.
    fileprivate static let distantFuture = ClockTime(nanoseconds: UInt64(Int64.max))
}
