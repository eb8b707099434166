// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// The times of sunrise and sunset around a noon, by the formulas of NOAA's solar calculator (after Meeus, Astronomical
/// Algorithms). They are within a minute of published tables up to latitudes of about 70 degrees. Nearer to the poles
/// the sun's height hardly changes within a minute, and the refraction of the day decides.
struct SolarDay: Sendable {
    /// The height of the sun that counts as rising and setting.
    enum Height: Sendable {
        /// The upper edge of the sun, with usual refraction.
        case horizon
        /// The sun's center 6 degrees below the horizon: the end of civil twilight.
        case civilTwilight

        /// Degrees from the zenith.
        var zenith: Double { self == .horizon ? 90.833 : 96 }
    }

    /// When the sun is highest.
    let noon: WallMoment
    private let place: Place
    /// Noon by mean solar time, in seconds since 1970.
    private let meanNoon: Double

    /// Creates the day whose noon is nearest to a moment.
    init(near moment: WallMoment, at place: Place) {
        self.place = place
        let middle = Double(moment.seconds)
        // The second of a UTC day at which mean solar time is noon at this place.
        let ofDay = 43200 - place.longitude * 240
        meanNoon = ofDay + 86400 * ((middle - ofDay) / 86400).rounded()
        var seconds = meanNoon
        for _ in 0..<2 { seconds = meanNoon - 60 * SunPosition(at: seconds).equationOfTime }
        noon = Self.moment(seconds)
    }

    /// Returns the time in which the sun is above a height: from midnight to midnight if it does not set, and an empty
    /// range at noon if it does not rise.
    func light(_ height: Height) -> Range<WallMoment> {
        let (rise, set) = (crossing(height, -1), crossing(height, 1))
        return min(rise, set)..<max(rise, set)
    }

    /// Returns the crossing before noon (-1) or after noon (1). The sun moves meanwhile, so each step computes its
    /// position again for the result of the step before.
    private func crossing(_ height: Height, _ side: Double) -> WallMoment {
        var seconds = meanNoon
        for _ in 0..<6 {
            let sun = SunPosition(at: seconds)
            seconds = meanNoon - 60 * sun.equationOfTime + side * 240 * hourAngle(sun, height)
        }
        return Self.moment(seconds)
    }

    /// Returns the angle by which the Earth turns between noon and the crossing, in degrees: 0 to 180.
    private func hourAngle(_ sun: SunPosition, _ height: Height) -> Double {
        let latitude = place.latitude.radians
        let cosine =
            (cos(height.zenith.radians) - sin(latitude) * sin(sun.declination))
            / max(cos(latitude) * cos(sun.declination), 1e-9)
        return acos(max(-1, min(1, cosine))).degrees
    }

    private static func moment(_ seconds: Double) -> WallMoment { WallMoment(seconds: Int64(seconds.rounded())) }
}

/// The position of the sun in the sky.
struct SunPosition: Sendable {
    /// The angle north of the equator, in radians.
    let declination: Double
    /// The time by which a sundial is ahead of a clock, in minutes.
    let equationOfTime: Double

    /// Computes the position at a time in seconds since 1970, UTC.
    init(at seconds: Double) {
        // Julian centuries since noon of 1 January 2000.
        let t = (seconds / 86400 + 2_440_587.5 - 2_451_545) / 36525
        let meanLongitude = (280.46646 + t * (36000.76983 + t * 0.0003032)).truncatingRemainder(dividingBy: 360)
        let anomaly = (357.52911 + t * (35999.05029 - 0.0001537 * t)).radians
        let eccentricity = 0.016708634 - t * (0.000042037 + 0.0000001267 * t)
        let center =
            sin(anomaly) * (1.914602 - t * (0.004817 + 0.000014 * t))
            + sin(2 * anomaly) * (0.019993 - 0.000101 * t) + sin(3 * anomaly) * 0.000289
        let node = (125.04 - 1934.136 * t).radians
        let longitude = (meanLongitude + center - 0.00569 - 0.00478 * sin(node)).radians
        let arcSeconds = 21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))
        let obliquity = (23 + (26 + arcSeconds / 60) / 60 + 0.00256 * cos(node)).radians
        declination = asin(sin(obliquity) * sin(longitude))

        let (y, l) = (tan(obliquity / 2) * tan(obliquity / 2), meanLongitude.radians)
        let radians =
            y * sin(2 * l) - 2 * eccentricity * sin(anomaly) + 4 * eccentricity * y * sin(anomaly) * cos(2 * l)
            - 0.5 * y * y * sin(4 * l) - 1.25 * eccentricity * eccentricity * sin(2 * anomaly)
        equationOfTime = 4 * radians.degrees
    }
}

extension Double {
    fileprivate var radians: Double { self * .pi / 180 }
    fileprivate var degrees: Double { self * 180 / .pi }
}

/// A place on Earth, for sunrise and sunset.
public struct Place: Sendable, Hashable {
    /// Degrees north of the equator, -90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, -180 to 180.
    public let longitude: Double

    /// Creates a place; values beyond their ranges are clamped.
    public init(latitude: Double, longitude: Double) {
        self.latitude = max(-90, min(90, latitude))
        self.longitude = max(-180, min(180, longitude))
    }
}
