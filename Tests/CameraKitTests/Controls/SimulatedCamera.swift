// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Glibc

@testable import CameraKit
@testable import FrameMeasures

/// A simulated sensor with controls of coarse steps and some noise.
struct SimulatedCamera {
    /// The unit of a driver's gain.
    enum GainUnit: CaseIterable {
        /// Linear: 16 is no amplification.
        case sixteenths
        /// Linear: 0 is no amplification, and 255 is eightfold.
        case fromZero
        /// Logarithmic: a step is 0.14 dB.
        case decibels
    }

    var time: Int64
    var gain: Int64
    let unit: GainUnit
    /// The light of the scene in stops: 0 is white at 1 s without amplification.
    var light = 0.0
    /// The amplitude of the noise, as a fraction of the brightness.
    var noise = 0.01
    private var random = SplitMix(4)

    init(time: Int64, gain: Int64, unit: GainUnit = .sixteenths) {
        (self.time, self.gain, self.unit) = (time, gain, unit)
    }

    var controls: [CameraControl] {
        [
            .exposureMode(1), .number(.exposureTime, "exposure_time_absolute", time, 3...2047),
            .number(.gain, "gain", gain, unit == .sixteenths ? 16...255 : 0...255),
        ]
    }

    /// The exposure that the controls add up to, in stops.
    var exposure: Double {
        let amplification =
            switch unit {
            case .sixteenths: log2(Double(gain) / 16)
            case .fromZero: log2(1 + Double(gain) * 7 / 255)
            case .decibels: Double(gain) * 0.14 / 6.02
            }
        return log2(Double(time) / 10000) + amplification
    }

    /// The largest change of exposure by one step of a control, in stops.
    var coarsestStep: Double {
        max(log2(Double(time) / Double(time - 1)), unit == .sixteenths ? log2(17.0 / 16) : 0.12)
    }

    /// Takes a picture and returns its mean luma.
    mutating func shoot() -> Double {
        let linear = min(1, exp2(light + exposure))
        let coded = linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
        return min(1, max(0, coded * (1 + noise * Double.random(in: -1...1, using: &random))))
    }

    mutating func set(_ settings: [ControlSetting]) {
        for setting in settings {
            guard let value = setting.value.integer else { continue }
            if setting.id == .exposureTime { time = value } else { gain = value }
        }
    }
}

/// A camera whose exposure follows a simulated light, and the results.
struct RampedSeries {
    var camera: SimulatedCamera
    var ramp: ControlRamp
    /// The exposure of each picture, in stops.
    var exposures: [Double] = []
    /// The brightness of each picture relative to the first one's, in stops.
    var errors: [Double] = []
    private let first: Double

    init?(
        _ camera: SimulatedCamera, rate: Double = RampLimits.standardRate,
        frameDuration: Duration = .microseconds(33_333)
    ) {
        var camera = camera
        let light = LightReading(brightness: camera.shoot())
        guard
            let ramp = ControlRamp(
                .exposure, camera.controls, light, RampLimits(rate: rate), frameDuration: frameDuration)
        else { return nil }
        (self.camera, self.ramp, first) = (camera, ramp, camera.light + camera.exposure)
    }

    /// Takes a picture in this light, and lets the ramp follow.
    mutating func shoot(in light: Double) {
        camera.light = light
        exposures.append(camera.exposure)
        errors.append(light + camera.exposure - first)
        let changes = ramp.follow(LightReading(brightness: camera.shoot()))
        camera.set(changes)
    }

    /// The change of exposure from picture to picture, in stops.
    var changes: [Double] { zip(exposures.dropFirst(), exposures).map { $0 - $1 } }

    /// The number of times that exposure changed its direction.
    var turns: Int {
        let moves = changes.filter { $0 != 0 }
        return zip(moves.dropFirst(), moves).count { $0 * $1 < 0 }
    }
}
