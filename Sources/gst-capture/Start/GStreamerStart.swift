// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import PipelineKit

/// Starts GStreamer: it reads its registry on the main thread while another thread parses the arguments.
enum GStreamerStart {
    private static let channel = AsyncStream.makeStream(of: Never.self)

    /// Starts GStreamer if a capture needs it. An error is ignored here: the first code that needs GStreamer reports
    /// it.
    ///
    /// - Parameter check: GStreamer's check of its registry, which is confirmed after the start.
    static func run(isNeeded: Bool, _ check: PluginRegistry.Check?) {
        let hasStarted = isNeeded && (try? GStreamer.initialize()) != nil
        if hasStarted { check?.confirm() }
        channel.continuation.finish()
    }

    /// Waits until ``run(isNeeded:_:)`` has returned. A call to GStreamer before that would wait too, but keep a
    /// processor busy.
    ///
    /// GStreamer opens video devices when it looks through its plugins. A device that hangs delays it. If the task is
    /// canceled, the wait ends at once.
    ///
    /// - Parameter report: Receives a notice if the start takes more than five seconds.
    static func finished(_ report: @escaping @Sendable (Notice) -> Void) async {
        await withTaskGroup { group in
            group.addTask {
                guard (try? await Task.sleep(for: .seconds(5))) != nil else { return }
                report(
                    Notice(
                        .startDelayed,
                        "GStreamer has not started after 5 s: it looks through new plugins, or a video device does not "
                            + "answer", advice: "unplug a camera that hangs"))
            }
            for await _ in channel.stream {}
            group.cancelAll()
        }
    }
}
