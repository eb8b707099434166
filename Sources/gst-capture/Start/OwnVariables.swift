// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import Synchronization

/// The environment variables that the command sets for GStreamer's start, and that hooks must not inherit.
enum OwnVariables {
    private static let names = Mutex<[String]>([])

    /// Sets a variable that is not set. Call it before there are threads: another thread could be reading the
    /// environment.
    static func set(_ name: String, _ value: String) {
        guard getenv(name) == nil else { return }
        setenv(name, value, 0)
        names.withLock { $0.append(name) }
    }

    /// `true` for a line `NAME=value` of the environment whose variable ``set(_:_:)`` set.
    static func contain(_ line: String) -> Bool {
        names.withLock { names in names.contains { line.hasPrefix($0 + "=") } }
    }
}

/// Variables that GStreamer's plugins read. The command sets them before it has a second thread, because another thread
/// could be reading the environment. A variable that the user has set stays. Hooks inherit these variables.
enum ProcessEnvironment {
    static func prepare() {
        // v4l2src of GStreamer 1.22 leaks a reference to its buffer pool, and with it a descriptor of the camera, when
        // it stops while a buffer is in use. With this variable it waits for the buffers.
        setenv("GST_V4L2_FORCE_DRAIN", "1", 0)
        // facedetect asks OpenCV for three cascades that Debian does not ship, and OpenCV writes warnings to the
        // terminal.
        setenv("OPENCV_LOG_LEVEL", "OFF", 0)
        // GStreamer's plugin of libcamera starts it even if only USB cameras are there, and it writes to standard
        // error.
        setenv("LIBCAMERA_LOG_LEVELS", "*:FATAL", 0)
    }
}
