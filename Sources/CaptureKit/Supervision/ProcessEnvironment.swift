// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Variables that GStreamer's plugins and Swift's libraries read. A program sets them before it has a second thread, because another thread
/// could be reading the environment. A variable that the user has set stays. Hooks inherit these variables.
package enum ProcessEnvironment {
    package static func prepare() {
        // v4l2src of GStreamer 1.22 leaks a reference to its buffer pool, and with it a descriptor of the camera, when
        // it stops while a buffer is in use. With this variable it waits for the buffers.
        setenv("GST_V4L2_FORCE_DRAIN", "1", 0)
        // facedetect asks OpenCV for three cascades that Debian does not ship, and OpenCV writes warnings to the
        // terminal.
        setenv("OPENCV_LOG_LEVEL", "OFF", 0)
        // GStreamer's plugin of libcamera starts it even if only USB cameras are there, and it writes to standard
        // error.
        setenv("LIBCAMERA_LOG_LEVELS", "*:FATAL", 0)
        // libdispatch of Swift 6.3 raises the priority of the thread for its timers. Only root may do that; for other
        // users it writes a line to the system's log at each start (swift-corelibs-libdispatch, pull request 842).
        setenv("LIBDISPATCH_LOG", "NO", 0)
    }
}
