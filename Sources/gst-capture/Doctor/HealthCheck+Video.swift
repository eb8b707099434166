// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import VideoKit

extension HealthCheck {
    /// Checks which encoder makes the video of recordings: each known one is tried with ten frames.
    static func video() async -> HealthCheck {
        let candidates = await EncoderCatalog.shared.candidates()
        guard let best = candidates.first(where: { $0.outcome == .usable }) else {
            do throws(CaptureError) {
                _ = try await EncoderCatalog.shared.encoder(for: nil)
                return .good("video", "the camera encodes")
            } catch {
                return .warning("video", "no recordings: \(error.message)", error.advice)
            }
        }
        // Those after it are not needed.
        let others = candidates.prefix { $0.encoder != best.encoder }.filter { $0.outcome != .noDevice }
        return .good("video", ([best.encoder.name + " encodes"] + others.map(\.description)).joined(separator: "; "))
    }

    /// Checks which encoder makes the sound of recordings.
    static func sound() async -> HealthCheck {
        do throws(CaptureError) {
            return .good("sound", "\(try await SoundEncoders.shared.encoder().element) encodes")
        } catch {
            return .warning("sound", "recordings are silent: \(error.message)", error.advice)
        }
    }
}
