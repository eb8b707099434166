// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// The sink that shows a preview.
public enum PreviewSink: Sendable, Hashable {
    /// The desktop's display; the screen itself if there is no desktop.
    case automatic
    /// A window on X11.
    case x11
    /// A window on Wayland.
    case wayland
    /// The whole screen of a board without a desktop (KMS).
    case kms
    /// A window drawn with OpenGL.
    case gl
    /// No sink: for tests and measurements.
    case none
    /// Elements in gst-launch syntax, the last of which is a sink.
    case elements(String)

    /// The short names that `init(_:)` accepts.
    public static let names = ["auto", "x11", "wayland", "kms", "gl", "none"]

    /// Creates a sink from a short name; any other text is elements.
    public init(_ text: String) {
        switch text.lowercased() {
        case "auto": self = .automatic
        case "x11": self = .x11
        case "wayland": self = .wayland
        case "kms": self = .kms
        case "gl": self = .gl
        case "none": self = .none
        default: self = .elements(text)
        }
    }
}

extension PreviewSink {
    /// The name of a sink that opens its window with GTK.
    static let gtkName = "preview-window"

    /// `true` if ``automatic`` finds a display.
    public static var hasDisplay: Bool { Displays.current != Displays() }

    /// `true` for a window that reports presses of a mouse or a finger. The screen without a desktop reports none.
    public var reportsPresses: Bool {
        switch self {
        case .automatic: Self.best(on: .current).reportsPresses
        case .x11, .wayland, .gl: true
        case .kms, .none, .elements: false
        }
    }

    /// The displays that are available.
    package struct Displays: Sendable, Hashable {
        var hasX11 = false
        var hasWayland = false
        /// `true` if there is a screen that can be used without a desktop.
        var hasScreen = false
    }

    /// Returns the elements of the sink. Frames are shown on arrival (`sync=false`): a frame that waited for its time
    /// would be late.
    func elements(on displays: Displays) -> String {
        switch self {
        case .automatic: Self.best(on: displays).elements(on: displays)
        case .x11: "ximagesink sync=false"
        // GStreamer's other Wayland sink, waylandsink, reports neither keys nor presses.
        case .wayland: "gtkwaylandsink name=\(Self.gtkName) sync=false"
        case .kms: "kmssink sync=false"
        case .gl: "glimagesink sync=false"
        case .none: "fakesink sync=false"
        case .elements(let text): text
        }
    }

    /// Returns the best sink for `automatic`. It does not use GStreamer's autovideosink, which tries every sink: that
    /// takes seconds, and some sinks crash if their display is missing. X11 comes first, which Wayland desktops have, too:
    /// its window needs neither GTK nor a thread for its main loop.
    private static func best(on displays: Displays) -> PreviewSink {
        if displays.hasX11 { return .x11 }
        return displays.hasWayland || !displays.hasScreen ? .wayland : .kms
    }

    /// Checks before a camera is opened that there is a display, and that elements can be created.
    ///
    /// - Throws: ``CaptureError/Code/noDisplay``, or `configuration`.
    package func check(_ displays: Displays) throws(CaptureError) {
        if case .elements(let text) = self {
            return try SinkElements.check(text, behind: "identity", of: "--sink", or: Self.names)
        }
        let isThere =
            switch self {
            case .automatic: displays.hasX11 || displays.hasWayland || displays.hasScreen
            case .x11: displays.hasX11
            case .wayland: displays.hasWayland
            case .gl: displays.hasX11 || displays.hasWayland
            case .kms, .none, .elements: true
            }
        guard !isThere else { return }
        let (name, variable) = self == .wayland ? ("Wayland display", "WAYLAND_DISPLAY") : ("display", "DISPLAY")
        throw CaptureError(
            .noDisplay, "there is no \(name): \(variable) is not set", subject: "preview",
            advice: "start it on the desktop; over SSH, set \(variable) (\(Self.example(variable))); on a board "
                + "without a desktop, use --sink kms")
    }

    private static func example(_ variable: String) -> String {
        variable == "DISPLAY" ? "DISPLAY=:0" : "WAYLAND_DISPLAY=wayland-0"
    }
}

extension PreviewSink.Displays {
    /// The displays of this process, from its environment variables and the kernel's screens.
    package static var current: Self {
        Self(
            hasX11: isSet("DISPLAY"), hasWayland: isSet("WAYLAND_DISPLAY"),
            hasScreen: (0..<8).contains { access("/dev/dri/card\($0)", R_OK | W_OK) == 0 })
    }

    private static func isSet(_ variable: String) -> Bool { getenv(variable).map { $0.pointee != 0 } ?? false }
}
