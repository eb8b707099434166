// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// GStreamer's start: it reads its registry on the main thread while the arguments are parsed on another.
enum GStreamerStart {
    private static let channel = AsyncStream.makeStream(of: Never.self)

    /// Starts GStreamer where a capture will need it. Errors come again with what needs it.
    static func run(isNeeded: Bool) {
        if isNeeded { try? GStreamer.initialize() }
        channel.continuation.finish()
    }

    /// Waits until ``run(isNeeded:)`` is over. Whoever asks GStreamer before waits too, but keeps a processor busy.
    static func finished() async { for await _ in channel.stream {} }
}
