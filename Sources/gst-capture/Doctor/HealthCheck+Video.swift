// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import VideoKit

extension HealthCheck {
    /// Checks which encoder makes the video of recordings: each known one is tried with ten frames.
    static func video() async -> HealthCheck {
        do throws(CaptureError) {
            let best = try await EncoderCatalog.shared.encoder(for: nil)
            // The encoders after the best one are not needed.
            let others = await EncoderCatalog.shared.candidates().prefix { $0.encoder != best }
            let reasons = others.filter { $0.outcome != .noDevice }.map(\.description)
            return .good("video", (["\(best.name) encodes"] + reasons).joined(separator: "; "))
        } catch {
            return .warning("video", "no recordings: \(error.message)", error.advice)
        }
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
