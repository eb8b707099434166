// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureTestSupport
import Foundation
import Testing

/// Movies that ffmpeg writes.
enum FFmpeg {
    /// Skips tests on machines without ffmpeg.
    static let isPossible = ConditionTrait.enabled(if: StillTool.has("ffmpeg"), StillTool.advice)

    /// Records 60 frames in fragments: frames are not in the order in which they are shown, and one fragment has several
    /// tracks.
    static func record(to path: String) async throws {
        let outcome = try await StillTool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=30:duration=2", "-f", "lavfi", "-i",
                "sine=duration=2", "-c:v", "libx264", "-bf", "2", "-g", "20", "-c:a", "aac", "-movflags",
                "frag_keyframe+empty_moov+default_base_moof", path,
            ])
        try #require(outcome.status == 0, "\(outcome.text)")
    }
}
