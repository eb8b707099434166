// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Measures the time from a trigger to a durable file with an open camera, compared with the two unavoidable steps:
/// encoding the frame, and writing it durably. All three run in turns, beside the same running scene.
@main
enum WarmTrigger {
    private static let shots = 100

    static func main() async throws {
        for format in ["I420", "YUY2"] { try await measure(format) }
    }

    private static func measure(_ format: String) async throws {
        let folder = try ScratchFolder()
        let reference = try await Reference(folder, format)
        let capture = try RunningCapture(folder, format)
        try await capture.start()

        var ours: [RunningCapture.Shot] = []
        var encoding: [Duration] = []
        var writing: [Duration] = []
        for _ in 0..<shots {
            ours.append(try await capture.shoot())
            encoding.append(try await reference.encode())
            writing.append(try reference.write())
        }
        await capture.stop()
        try await reference.stop()

        let (trigger, least) = (ours.map(\.span), encoding.median + writing.median)
        print("warm trigger to durable file, 1080p scene in \(format), \(shots) shots, medians")
        print("  trigger to file   \(trigger.median.text)   (without the wait for the frame)")
        print("    in it encoding  \(ours.map(\.still.encodingTime).median.text)   (levels, encoder, metadata)")
        print("    and storing     \(ours.map(\.still.storingTime).median.text)")
        print("  JPEG encoding     \(encoding.median.text)   (jpegenc alone, same frame and quality)")
        print("  durable write     \(writing.median.text)   (write, fsync, rename, fsync of the folder)")
        print("  ratio             \(trigger.median / least)")
    }
}

extension [Duration] {
    var median: Duration { sorted()[count / 2] }
}

extension Duration {
    var text: String {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        return "\(Double(microseconds) / 1000) ms"
    }
}
