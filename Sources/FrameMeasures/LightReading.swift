// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit

/// The mean brightness and color of a picture.
package struct LightReading: Sendable, Hashable {
    /// The mean luma, 0 black to 1 white, coded as in the picture.
    package var brightness: Double
    /// The mean of red relative to that of blue, in stops; `nil` if the picture has no color, or its color cannot be
    /// found.
    package var redToBlue: Double?

    /// Converts a coded level to stops of light, 0 at white (sRGB's curve, IEC 61966-2-1). Black counts as the lowest
    /// level that 8 bits distinguish from it.
    package static func stops(_ level: Double) -> Double {
        let level = min(max(level, 1.0 / 255), 1)
        return log2(level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4))
    }
}

extension LightReading {
    /// Measures a frame; `nil` if this kind of frame cannot be measured.
    package init?(_ buffer: Buffer, _ info: VideoInfo) {
        guard let brightness = Brightness.mean(of: buffer, info) else { return nil }
        let redToBlue = ColorBalance.redToBlue(of: buffer, info, brightness: brightness)
        self.init(brightness: brightness, redToBlue: redToBlue)
    }
}
