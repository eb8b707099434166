// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Glibc
import Testing

@testable import CameraKit
@testable import FrameMeasures

@Suite("Exposure that follows the light")
struct ExposureRampTests {
    private static let rate = RampLimits.standardRate

    /// A series whose first picture is 18% gray.
    private static func series(
        time: Int64 = 333, gain: Int64 = 200, unit: SimulatedCamera.GainUnit = .sixteenths, rate: Double = rate
    ) throws -> RampedSeries {
        var camera = SimulatedCamera(time: time, gain: gain, unit: unit)
        camera.light = log2(0.18) - camera.exposure
        return try #require(RampedSeries(camera, rate: rate))
    }

    @Test(
        "Exposure follows a sunrise of eight stops in an hour without a jump",
        arguments: [10, 60], SimulatedCamera.GainUnit.allCases)
    func sunrise(interval: Int, unit: SimulatedCamera.GainUnit) throws {
        let rate = RampLimits.standardRate(for: .seconds(interval))
        var series = try Self.series(unit: unit, rate: rate)
        let dark = series.camera.light
        for second in stride(from: 0, to: 5400, by: interval) {
            series.shoot(in: dark + min(Double(second), 3600) / 450)
        }
        #expect(series.changes.allSatisfy { abs($0) <= rate + 1e-9 })
        #expect(series.turns == 0)
        // Exposure lags behind the light by the dead band and two pictures; gain, whose unit is unknown, lags more.
        #expect(series.errors.allSatisfy { $0 > -0.1 && $0 < (interval == 10 ? 0.5 : 1.2) })
        #expect(abs(series.errors.last ?? 9) < 0.25)
    }

    @Test("Exposure follows dusk, and changes time before gain")
    func dusk() throws {
        var series = try Self.series(time: 20, gain: 16)
        let bright = series.camera.light
        for minute in 0..<100 {
            series.shoot(in: bright - min(Double(minute), 60) * 7 / 60)
            #expect(series.camera.gain == 16 || series.camera.time == 333)
        }
        #expect(series.camera.gain > 80)
        #expect(series.changes.allSatisfy { abs($0) <= Self.rate + 1e-9 })
        #expect(series.turns == 0)
        #expect(abs(series.errors.last ?? 9) < 0.25)
    }

    @Test("Noise and small variations of light do not change exposure")
    func noise() throws {
        var series = try Self.series(time: 100, gain: 16)
        let light = series.camera.light
        for shot in 0..<500 { series.shoot(in: light + 0.08 * sin(Double(shot))) }
        #expect(series.changes.allSatisfy { $0 == 0 })
    }

    @Test("A flash and a black picture do not change exposure")
    func flash() throws {
        var series = try Self.series(time: 100, gain: 16)
        let light = series.camera.light
        for shot in 0..<100 { series.shoot(in: shot % 10 == 5 ? light + 4 : shot % 10 == 8 ? light - 20 : light) }
        #expect(series.changes.allSatisfy { $0 == 0 })
    }

    @Test("Exposure follows a lamp that is switched on and off, at the ramp's rate", arguments: [0.05, rate, 0.5])
    func lamp(rate: Double) throws {
        var series = try Self.series(time: 300, gain: 16, rate: rate)
        let light = series.camera.light
        for _ in 0..<100 { series.shoot(in: light + 3) }
        #expect(abs(series.errors.last ?? 9) < 0.2)
        for _ in 0..<100 { series.shoot(in: light) }
        #expect(abs(series.errors.last ?? 9) < 0.2)
        #expect(series.changes.allSatisfy { abs($0) <= max(rate, series.camera.coarsestStep) + 1e-9 })
        #expect(series.turns == 1)
    }

    @Test("Exposure does not oscillate at the boundary of time and gain")
    func boundary() throws {
        var series = try Self.series(time: 333, gain: 16)
        let light = series.camera.light
        for shot in 0..<1000 { series.shoot(in: light + 0.5 * sin(Double(shot) / 40)) }
        // The light itself turns around eight times.
        #expect(series.turns <= 9)
        #expect(series.errors.dropFirst(10).allSatisfy { abs($0) < 0.3 })
    }

    @Test("Exposure time stays within a frame, unless the driver may lower the frame rate")
    func longest() throws {
        for (isDynamic, longest) in [(false, 333), (true, 2047)] as [(Bool, Int64)] {
            let camera = SimulatedCamera(time: 100, gain: 16)
            let flexible = CameraControl.toggle(.dynamicFrameRate, "exposure_dynamic_framerate", isDynamic ? 1 : 0)
            let ramp = try #require(
                ControlRamp(
                    .exposure, camera.controls + [flexible], LightReading(brightness: 0.4), RampLimits(rate: 3),
                    frameDuration: .microseconds(33_333)))
            #expect(Self.end(of: ramp, brightness: 0) == ["exposure_time_absolute=\(longest)", "gain=255"])
            #expect(Self.end(of: ramp, brightness: 1) == ["exposure_time_absolute=3", "gain=16"])
        }
    }

    /// The settings at which a ramp arrives if the brightness is constant.
    private static func end(of ramp: ControlRamp, brightness: Double) -> [String] {
        var ramp = ramp
        for _ in 0..<400 { _ = ramp.follow(LightReading(brightness: brightness)) }
        return ramp.settings.map(\.description)
    }

    @Test("A ramp that begins at a time longer than a frame does not exceed that time")
    func longBeginning() throws {
        let camera = SimulatedCamera(time: 1000, gain: 16)
        let ramp = try #require(
            ControlRamp(
                .exposure, camera.controls, LightReading(brightness: 0.4), RampLimits(),
                frameDuration: .microseconds(33_333)))
        #expect(ramp.settings.map(\.description) == ["exposure_time_absolute=1000", "gain=16"])
        #expect(Self.end(of: ramp, brightness: 0).first == "exposure_time_absolute=1000")
    }

    @Test("A menu of times that is limited to the frame keeps its entry, if that is longer")
    func longEntry() throws {
        let entries = [100, 200, 400, 800].enumerated().map { (index, time) in
            CameraControl.MenuItem(index: Int64(index), name: "\(time)", number: Int64(time))
        }
        let menu = CameraControl(
            id: .exposureTime, name: "time", kind: .integerMenu, maximum: 3, menu: entries, value: .integer(3))
        var time = try #require(RampedControl(menu, .light))
        time.limit(to: 333)
        #expect(time.setting.description == "time=3")
        #expect(time.isAtTop)
    }

    @Test("A ramp keeps the requested brightness, or the first picture's within the limits for night and glare")
    func targets() throws {
        let cases: [(begun: Double, target: Double?, kept: Double)] = [
            (0.4, nil, 0.4), (0.02, nil, 0.25), (0.99, nil, 0.65), (0.02, 0.1, 0.1), (0.4, 0.7, 0.7),
        ]
        for (begun, target, kept) in cases {
            var ramp = try #require(
                ExposureRamp(
                    time: RampedControl(.number(.exposureTime, "time", 500, 1...10000), .light), gain: nil,
                    brightness: begun, RampLimits(target: target)))
            for _ in 0..<5 { ramp.follow(kept) }
            #expect(ramp.settings.map(\.description) == ["time=500"])
            for _ in 0..<5 { ramp.follow(kept * 1.2) }
            #expect(ramp.settings.map(\.description) != ["time=500"])
        }
    }

    @Test("A control whose steps are larger than the rate changes by one step")
    func coarse() throws {
        let sensitivity = CameraControl(
            id: .sensitivity, name: "iso", kind: .integerMenu, maximum: 3,
            menu: [
                .init(index: 0, name: "100000", number: 100_000), .init(index: 1, name: "200000", number: 200_000),
                .init(index: 2, name: "400000", number: 400_000), .init(index: 3, name: "800000", number: 800_000),
            ], value: .integer(1))
        var ramp = try #require(
            ExposureRamp(time: nil, gain: RampedControl(sensitivity, .light), brightness: 0.4, RampLimits()))
        func follow(_ brightness: Double) -> String {
            for _ in 0..<3 { ramp.follow(brightness) }
            return ramp.settings.map(\.description).joined()
        }
        // 0.7 stops are less than a step.
        #expect(follow(0.32) == "iso=1")
        #expect(follow(0.26) == "iso=2")
        #expect(follow(0.4) == "iso=2")
    }

    @Test("Settings stay within the ranges and steps of the controls in any light", arguments: 0..<40)
    func hostileLight(seed: UInt64) throws {
        var random = SplitMix(seed)
        let first = Int64.random(in: -50...50, using: &random)
        let step = UInt64.random(in: 1...40, using: &random)
        let range = first...(first + Int64.random(in: 1...5000, using: &random))
        let time = CameraControl.number(
            .exposureTime, "time", .random(in: range, using: &random), range, step: step)
        let gain = CameraControl.number(.gain, "gain", .random(in: range, using: &random), range, step: step)
        guard
            var ramp = ExposureRamp(
                time: RampedControl(time, .light), gain: RampedControl(gain, .gain),
                brightness: .random(in: 0...1, using: &random),
                RampLimits(rate: .random(in: 0.01...3, using: &random)))
        else { return }
        for _ in 0..<2000 {
            ramp.follow(.random(in: -0.5...1.5, using: &random))
            for setting in ramp.settings {
                let value = try #require(setting.value.integer)
                #expect(range.contains(value) && (value - first) % Int64(step) == 0)
                #expect(setting.id == .gain || value > 0)
            }
        }
    }

    @Test("Controls with invalid ranges or values are not ramped")
    func hostileControls() {
        let nonsense: [CameraControl] = [
            .number(.exposureTime, "time", 5, Int64.min...Int64.max), .number(.exposureTime, "time", nil, 1...100),
            .number(.exposureTime, "time", 5, 5...5), .number(.exposureTime, "time", 0, -100...0),
            .number(.exposureTime, "time", 5, 1...100, step: .max),
            .number(.exposureTime, "time", 5, 1...100, flags: .readOnly), .toggle(.exposureTime, "time", 1),
            .menu(.exposureTime, "time", [(0, "short"), (1, "long")], value: 0),
        ]
        for control in nonsense { #expect(RampedControl(control, .light) == nil) }
        let outside = RampedControl(.number(.exposureTime, "time", 1_000_000, 1...100), .light)
        #expect(outside?.setting.description == "time=100")
    }
}
