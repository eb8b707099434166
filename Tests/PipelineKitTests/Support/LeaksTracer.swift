// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Glibc
import PipelineKit
import Synchronization

/// GStreamer's own list of live objects: its `leaks` tracer, for a separate process.
enum LeaksTracer {
    /// Requests the tracer. GStreamer must not have started yet.
    static func install() throws {
        CriticalsAreFatal.install
        setenv("GST_TRACERS", "leaks", 1)
        try GStreamer.initialize()
        gst_debug_remove_log_function(nil)
        gst_debug_add_log_function(collectLine, nil, nil)
        gst_debug_set_active(1)
        gst_debug_set_threshold_for_name("GST_TRACER", GST_LEVEL_TRACE)
    }

    /// The live objects: type, address, name and number of references of each.
    static func liveObjects() throws -> [String] {
        lines.withLock { $0 = [] }
        let tracers = gst_tracing_get_active_tracers()
        defer { g_list_free(tracers) }
        guard let tracer = tracers?.pointee.data else { throw NoTracer() }
        try Object(tracer, .full).emit("log-live-objects")
        return withoutProviders(lines.withLock { $0 })
    }

    /// GStreamer keeps one provider of each kind, with its bus, until the end of the process.
    private static func withoutProviders(_ lines: [String]) -> [String] {
        let others = lines.filter { !$0.contains("DeviceProvider,") }
        let buses = others.filter { $0.contains("type-name=(string)GstBus,") }
        return others.filter { !buses.contains($0) } + buses.dropFirst(lines.count - others.count)
    }

    /// The objects that stay alive. Released pipelines end in the background, so it retries for the time of `patience`.
    static func leaks(within patience: Duration = .seconds(240)) throws -> [String] {
        let end = PipelineClock.system.now + patience
        while true {
            let alive = try liveObjects()
            guard !alive.isEmpty, PipelineClock.system.now < end else { return alive }
            usleep(1000)
        }
    }

    struct NoTracer: Error {}

    fileprivate static let lines = Mutex<[String]>([])
}

private func collectLine(
    _ category: UnsafeMutablePointer<GstDebugCategory>?, _ level: GstDebugLevel, _ file: UnsafePointer<gchar>?,
    _ function: UnsafePointer<gchar>?, _ line: gint, _ object: UnsafeMutablePointer<GObject>?,
    _ message: OpaquePointer?, _ data: gpointer?
) {
    guard let text = gst_debug_message_get(message).map({ String(cString: $0) }), text.hasPrefix("object-alive")
    else { return }
    LeaksTracer.lines.withLock { $0.append(text) }
}
