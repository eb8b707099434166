// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// GStreamer's start: it reads its registry on the main thread while the arguments are parsed on another.
enum GStreamerStart {
    private static let channel = AsyncStream.makeStream(of: Never.self)

    /// Starts GStreamer if a capture will need it. Errors come again with what needs it.
    ///
    /// - Parameter check: GStreamer's check of its registry, to confirm when it is done.
    static func run(isNeeded: Bool, _ check: PluginRegistry.Check?) {
        let hasStarted = isNeeded && (try? GStreamer.initialize()) != nil
        channel.continuation.finish()
        if hasStarted { check?.confirm() }
    }

    /// Waits until ``run(isNeeded:)`` is over. Whoever asks GStreamer before waits too, but keeps a processor busy.
    static func finished() async { for await _ in channel.stream {} }
}
