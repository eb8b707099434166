// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Where a preview is shown.
public enum PreviewSink: Sendable, Hashable {
    /// The desktop's display, or the screen itself where there is none.
    case automatic
    /// A window of X11.
    case x11
    /// A window of Wayland.
    case wayland
    /// The whole screen of a board without a desktop (KMS).
    case kms
    /// A window that OpenGL draws.
    case gl
    /// Nowhere: for tests, and to measure.
    case none
    /// Elements in gst-launch syntax, the last of which is a sink.
    case elements(String)

    /// The short names, as `init(_:)` reads them.
    public static let names = ["auto", "x11", "wayland", "kms", "gl", "none"]

    /// Reads a short name; anything else is elements.
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
    /// True where ``automatic`` finds something to show a preview on.
    public static var hasDisplay: Bool { Displays.current != Displays() }

    /// What displays there are.
    struct Displays: Sendable, Hashable {
        var hasX11 = false
        var hasWayland = false
        /// A screen that can be drawn on without a desktop.
        var hasScreen = false
    }

    /// The elements that show it. Frames are shown as they come, since one that waits for its moment is late already.
    func elements(on displays: Displays) -> String {
        switch self {
        case .automatic: Self.best(on: displays).elements(on: displays)
        case .x11: "ximagesink sync=false"
        case .wayland: "waylandsink sync=false"
        case .kms: "kmssink sync=false"
        case .gl: "glimagesink sync=false"
        case .none: "fakesink sync=false"
        case .elements(let text): text
        }
    }

    /// Not GStreamer's autovideosink: it tries every sink there is, which takes seconds, and some of them crash where their
    /// display is not there. X11 comes first, as Wayland's desktops have it, too, and their sink tells no keys.
    private static func best(on displays: Displays) -> PreviewSink {
        if displays.hasX11 { return .x11 }
        return displays.hasWayland || !displays.hasScreen ? .wayland : .kms
    }

    /// Looks whether there is a display, and whether elements are some, before a camera is opened for it.
    ///
    /// - Throws: ``CaptureError/Code/noDisplay``, or `configuration`.
    func check(_ displays: Displays) throws(CaptureError) {
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
    /// Those of this process: what its variables say, and which screens the kernel has.
    static var current: Self {
        Self(
            hasX11: isSet("DISPLAY"), hasWayland: isSet("WAYLAND_DISPLAY"),
            hasScreen: (0..<8).contains { access("/dev/dri/card\($0)", R_OK | W_OK) == 0 })
    }

    private static func isSet(_ variable: String) -> Bool { getenv(variable).map { $0.pointee != 0 } ?? false }
}
