// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The loudness of a tenth of a second of sound, in decibels below full scale, for each channel.
package struct SoundLevel: Sendable, Hashable {
    /// The highest sample.
    package let peak: [Double]
    /// The root mean square of all samples.
    package let rms: [Double]

    /// The level of silence, and of anything below.
    package static let silence = -120.0

    /// Creates a level.
    package init(peak: [Double], rms: [Double]) { (self.peak, self.rms) = (peak, rms) }

    /// Reads a message of the element `level`; `nil` for any other structure.
    init?(_ message: Structure) {
        guard message.name == "level", let peak = message.fields["peak"], let rms = message.fields["rms"] else {
            return nil
        }
        self.init(peak: Self.decibels(peak), rms: Self.decibels(rms))
    }

    /// Reads a `GValueArray`, which has no case in ``Value``: `< -21.0, -24.1 >`.
    private static func decibels(_ value: Value) -> [Double] {
        guard case .other(_, let text) = value else { return [] }
        return text.split { "<>, ".contains($0) }.compactMap { Double($0) }.map { level in
            // Silence is minus infinity.
            level.isNaN ? silence : min(0, max(silence, level))
        }
    }
}
