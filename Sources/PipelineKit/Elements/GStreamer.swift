// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The GStreamer library, which starts once for the whole process.
public enum GStreamer {
    /// The version of GStreamer at run time, such as `1.22.0` (`gst_version`).
    public static var version: String {
        var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
        gst_version(&major, &minor, &micro, &nano)
        return "\(major).\(minor).\(micro)"
    }

    /// Starts GStreamer once; later calls cost nothing and have the outcome of the first (`gst_init_check`).
    ///
    /// Every function of PipelineKit that needs GStreamer calls this, so a program need not. The first call reads the
    /// plugin registry, which takes some milliseconds, or seconds if GStreamer must rebuild it. Any thread may call
    /// this.
    ///
    /// PipelineKit never changes the environment of the process, since other threads may be reading it. A program that
    /// opens V4L2 cameras more than once should set `GST_V4L2_FORCE_DRAIN=1` before it starts a thread: `v4l2src` of
    /// GStreamer 1.22 otherwise leaks a descriptor of the camera when it stops while a buffer is still in use.
    ///
    /// - Throws: ``PipelineError`` with ``PipelineError/Code/initialization`` if GStreamer does not start.
    public static func initialize() throws(PipelineError) {
        try outcome.get()
    }

    /// `true` if GStreamer has an element of this name, whether or not the element's plugin is loaded yet.
    public static func hasElement(_ factory: String) -> Bool {
        guard !factory.utf8.contains(0), (try? initialize()) != nil, let found = gst_element_factory_find(factory)
        else { return false }
        gst_object_unref(UnsafeMutableRawPointer(found))
        return true
    }

    /// Returns the rank of an element (`gst_plugin_feature_get_rank`); `nil` if there is no such element. Users change
    /// it with the variable `GST_PLUGIN_FEATURE_RANK`, to 0 with the value `NONE`.
    package static func rank(ofElement factory: String) -> Int? {
        guard (try? initialize()) != nil, let found = gst_element_factory_find(factory) else { return nil }
        defer { gst_object_unref(UnsafeMutableRawPointer(found)) }
        return Int(gst_plugin_feature_get_rank(found))
    }

    /// Returns the path of a plugin's file; `nil` if there is no such plugin (`gst_registry_find_plugin`).
    package static func pluginFile(_ name: String) -> String? {
        guard (try? initialize()) != nil, let plugin = gst_registry_find_plugin(gst_registry_get(), name) else {
            return nil
        }
        defer { gst_object_unref(UnsafeMutableRawPointer(plugin)) }
        return gst_plugin_get_filename(plugin).map { String(cString: $0) }
    }

    /// Loads a plugin, if there is one of this name (`gst_plugin_load_by_name`).
    package static func loadPlugin(_ name: String) {
        guard (try? initialize()) != nil, let plugin = gst_plugin_load_by_name(name) else { return }
        gst_object_unref(UnsafeMutableRawPointer(plugin))
    }

    private static let outcome: Result<Void, PipelineError> = start()

    private static func start() -> Result<Void, PipelineError> {
        var failure: UnsafeMutablePointer<GError>?
        guard gst_init_check(nil, nil, &failure) == 0 else { return .success(()) }
        return .failure(PipelineError(.initialization, consuming: failure, fallback: "GStreamer did not start"))
    }
}
