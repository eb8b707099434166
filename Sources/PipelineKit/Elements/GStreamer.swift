// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Glibc

/// The GStreamer library itself: started once, for the whole process.
public enum GStreamer {
    /// The version that the program runs with, such as `1.22.0` (`gst_version`).
    public static var version: String {
        var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
        gst_version(&major, &minor, &micro, &nano)
        return "\(major).\(minor).\(micro)"
    }

    /// Starts GStreamer, once; later calls cost nothing and answer what the first one did (`gst_init_check`).
    ///
    /// Every entry point of PipelineKit calls it, so a program need not. It reads the plugin registry, which takes
    /// some milliseconds, and may be called from any thread.
    ///
    /// - Throws: ``PipelineError`` with ``PipelineError/Code/initialization`` where GStreamer refuses to start.
    public static func initialize() throws(PipelineError) {
        try outcome.get()
    }

    /// True where an element of this name can be made, whether or not its plugin was loaded yet.
    public static func hasElement(_ factory: String) -> Bool {
        guard (try? initialize()) != nil, let found = gst_element_factory_find(factory) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(found))
        return true
    }

    private static let outcome: Result<Void, PipelineError> = start()

    private static func start() -> Result<Void, PipelineError> {
        // Where v4l2src leaves its buffers to whoever still holds some, it forgets one reference to their pool each time it
        // stops (1.22 does), and with that a descriptor that keeps the node. Waiting until they are back avoids it.
        setenv("GST_V4L2_FORCE_DRAIN", "1", 0)
        // facedetect asks OpenCV for three cascades that Debian does not have, and OpenCV tells the terminal.
        setenv("OPENCV_LOG_LEVEL", "OFF", 0)
        var failure: UnsafeMutablePointer<GError>?
        guard gst_init_check(nil, nil, &failure) == 0 else { return .success(()) }
        return .failure(PipelineError(.initialization, consuming: failure, fallback: "GStreamer did not start"))
    }
}
