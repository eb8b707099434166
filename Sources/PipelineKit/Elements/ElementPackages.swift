// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The Debian packages that contain elements.
package enum ElementPackages {
    /// Returns the package, or another origin of the element; `nil` if it is not known.
    package static func package(of factory: String) -> String? {
        if let package = exact[factory] { return package }
        return families.first { factory.hasPrefix($0.prefix) }?.package
    }

    private static let base = "gstreamer1.0-plugins-base"
    private static let good = "gstreamer1.0-plugins-good"
    private static let bad = "gstreamer1.0-plugins-bad"
    private static let opencv = "gstreamer1.0-opencv"

    private static let exact: [String: String] = [
        "fakesink": "libgstreamer1.0-0", "fakesrc": "libgstreamer1.0-0", "filesink": "libgstreamer1.0-0",
        "filesrc": "libgstreamer1.0-0", "identity": "libgstreamer1.0-0", "queue": "libgstreamer1.0-0",
        "tee": "libgstreamer1.0-0", "valve": "libgstreamer1.0-0", "capsfilter": "libgstreamer1.0-0",
        "multiqueue": "libgstreamer1.0-0", "typefind": "libgstreamer1.0-0",
        "appsink": base, "appsrc": base, "decodebin": base, "decodebin3": base, "playbin": base,
        "uridecodebin": base, "videoconvert": base,
        "videoconvertscale": base, "videorate": base, "videoscale": base, "videotestsrc": base,
        "clockoverlay": "gstreamer1.0-x", "textoverlay": "gstreamer1.0-x", "timeoverlay": "gstreamer1.0-x",
        "xvimagesink": "gstreamer1.0-x", "ximagesink": "gstreamer1.0-x", "ximagesrc": good, "cairooverlay": good,
        "autovideosink": good, "autovideosrc": good, "avimux": good, "deinterlace": good, "flvmux": good,
        "gdkpixbufoverlay": good, "jpegdec": good, "jpegenc": good, "matroskamux": good, "multifilesink": good,
        "multifilesrc": good, "pngdec": good, "pngenc": good, "qtdemux": good, "mp4mux": good, "rtspsrc": good,
        "souphttpsrc": good, "udpsrc": good, "v4l2sink": good, "v4l2src": good, "videobalance": good,
        "videobox": good, "videocrop": good, "videoflip": good, "vp8enc": good, "vp9enc": good,
        "alsasrc": "gstreamer1.0-alsa", "pipewiresrc": "gstreamer1.0-pipewire", "gtksink": "gstreamer1.0-gtk3",
        "gtkglsink": "gstreamer1.0-gtk3", "glimagesink": "gstreamer1.0-gl", "qmlglsink": "gstreamer1.0-qt5",
        "errorignore": bad, "facedetect": opencv, "fbdevsink": bad, "h264parse": bad, "h265parse": bad,
        "jpegparse": bad, "kmssink": bad, "openh264enc": bad, "openjpegenc": bad, "rsvgoverlay": bad, "srtsrc": bad,
        "waylandsink": bad, "gtkwaylandsink": bad, "webpdec": bad, "webpenc": bad, "x265enc": bad,
        "av1dec": bad, "av1enc": bad, "av1parse": bad, "avdeinterlace": "gstreamer1.0-libav", "avidemux": good,
        "avisubtitle": good, "avwait": bad, "nvav1dec": bad, "rtpasfdepay": "gstreamer1.0-plugins-ugly",
        "rtpasfpay": bad, "rtpsink": bad, "rtpsrc": bad, "vaav1dec": bad, "vacompositor": bad, "vadeinterlace": bad,
        "vajpegdec": bad, "vampeg2dec": bad, "vapostproc": bad,
        "cvsobel": opencv, "edgedetect": opencv, "faceblur": opencv, "grabcut": opencv, "handdetect": opencv,
        "motioncells": opencv, "opencvtextoverlay": opencv, "retinex": opencv, "skindetect": opencv,
        "templatematch": opencv,
        "aacparse": good, "audioconvert": base, "audioresample": base, "audiotestsrc": base, "autoaudiosrc": good,
        "faad": bad, "level": good, "opusenc": base, "pulsesrc": "gstreamer1.0-pulseaudio",
        "voaacenc": bad,
        "libcamerasrc": "gstreamer1.0-libcamera", "x264enc": "gstreamer1.0-plugins-ugly",
    ]

    /// Prefixes of elements that are too many to list, or that a plugin names after the hardware. The first match
    /// applies.
    private static let families: [(prefix: String, package: String)] = [
        ("avdec_", "gstreamer1.0-libav"), ("avenc_", "gstreamer1.0-libav"), ("avmux_", "gstreamer1.0-libav"),
        ("avdemux_", "gstreamer1.0-libav"), ("gl", "gstreamer1.0-gl"), ("rtponvif", bad), ("rtp", good),
        ("v4l2sl", bad), ("v4l2", good), ("vaapi", "gstreamer1.0-vaapi"), ("vah26", bad), ("varenderD", bad),
        ("vavp", bad), ("msdk", bad), ("qsv", bad), ("nvh26", bad), ("nvvp", bad), ("nvcuda", bad), ("nvautogpu", bad),
        ("nv", "NVIDIA's L4T (nvidia-l4t-gstreamer)"),
    ]
}

extension PipelineError {
    /// An error for elements that this machine does not have.
    static func missingElements(_ factories: [String]) -> PipelineError {
        let packages = factories.compactMap(ElementPackages.package)
        let unique = packages.enumerated().filter { packages.firstIndex(of: $1) == $0 }.map(\.element)
        let names = factories.map { "\"\($0)\"" }.joined(separator: ", ")
        return PipelineError(
            .missingElement, factories.count > 1 ? "no elements \(names)" : "no element \(names)",
            element: factories.first,
            advice: unique.isEmpty
                ? "check its spelling with gst-inspect-1.0" : "install \(unique.joined(separator: ", "))")
    }
}
