// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Glibc
import Testing

@testable import CameraKit
@testable import FrameMeasures

@Suite("White balance that follows the light")
struct WhiteBalanceRampTests {
    private static let rate = RampLimits.standardRate * WhiteBalanceRamp.miredPerRate

    private static func control(_ kelvin: Int64) -> CameraControl {
        .number(.colorTemperature, "white_balance_temperature", kelvin, 2800...6500, step: 10)
    }

    private static func mired(_ setting: ControlSetting) -> Double { 1_000_000 / Double(setting.value.integer ?? 1) }

    /// The reading of a camera with this setting, in a light whose color temperature is given in mired.
    private static func reading(_ light: Double, _ setting: ControlSetting) -> LightReading {
        LightReading(brightness: 0.4, redToBlue: (light - mired(setting)) / WhiteBalanceRamp.miredPerStop)
    }

    private static func ramp(_ kelvin: Int64 = 5500) throws -> WhiteBalanceRamp {
        WhiteBalanceRamp(try #require(RampedControl(control(kelvin), .kelvin)), redToBlue: 0, RampLimits())
    }

    @Test("White balance follows the light from the blue hour to lamplight and back without a jump")
    func dusk() throws {
        var ramp = try Self.ramp()
        var last = Self.mired(ramp.setting)
        for shot in 0..<400 {
            let light = 250 - 68 * cos(Double(shot) / 200 * .pi)
            ramp.follow(Self.reading(light, ramp.setting))
            let now = Self.mired(ramp.setting)
            #expect(abs(now - last) <= Self.rate + 1e-9)
            if shot > 10 { #expect(abs(now - light) < WhiteBalanceRamp.deadBand + 6) }
            last = now
        }
    }

    @Test("A red bus and pictures that are colorless, too dark or too bright do not change white balance")
    func deaf() throws {
        var ramp = try Self.ramp()
        for shot in 0..<60 {
            let pictures = [
                LightReading(brightness: 0.4, redToBlue: shot % 5 == 0 ? 1.5 : 0), LightReading(brightness: 0.4),
                LightReading(brightness: 0.02, redToBlue: -3), LightReading(brightness: 0.99, redToBlue: 3),
            ]
            for picture in pictures { ramp.follow(picture) }
        }
        #expect(ramp.setting.description == "white_balance_temperature=5500")
    }

    @Test("White balance stays within the control's range", arguments: [-9.0, 9.0])
    func limits(redToBlue: Double) throws {
        var ramp = try Self.ramp()
        for _ in 0..<200 { ramp.follow(LightReading(brightness: 0.4, redToBlue: redToBlue)) }
        #expect(ramp.setting.value == .integer(redToBlue > 0 ? 2800 : 6500))
    }
}
