// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The properties of `outlineoverlay`, by their numbers in GObject, which start at 1.
enum OutlineProperty: guint, CaseIterable {
    case outline = 1
    case overlay, appearance, mirror, wait

    static func install(in class: UnsafeMutablePointer<GObjectClass>) {
        for property in allCases { g_object_class_install_property(`class`, property.rawValue, property.specification) }
    }

    private var specification: UnsafeMutablePointer<GParamSpec>? {
        switch self {
        case .outline:
            text("outline", "Outline", "An outline by its name or its file (SVG or PNG), such as face")
        case .overlay:
            text("overlay", "Overlay", "More layers, as in gst-capture --overlay: grid:thirds,text:%H:%M")
        case .appearance:
            text("appearance", "Appearance", "The look of all layers: color=#7cff9b;stroke=6px;opacity=70%")
        case .mirror:
            toggle("mirror", "Mirror", "The video is mirrored, so ghosts have to be mirrored, too", false)
        case .wait:
            toggle("wait", "Wait", "Hold the first frame until the overlay is drawn", true)
        }
    }

    private func text(_ name: String, _ nick: String, _ blurb: String) -> UnsafeMutablePointer<GParamSpec>? {
        g_param_spec_string(name, nick, blurb, nil, Self.flags)
    }

    private func toggle(
        _ name: String, _ nick: String, _ blurb: String, _ isOn: Bool
    ) -> UnsafeMutablePointer<GParamSpec>? {
        g_param_spec_boolean(name, nick, blurb, isOn ? 1 : 0, Self.flags)
    }

    /// Any thread may read and write the properties in any state.
    private static let flags = GParamFlags(
        rawValue: G_PARAM_READABLE.rawValue | G_PARAM_WRITABLE.rawValue | cgst_param_mutable_playing)

    /// Reads a value into settings.
    func read(_ value: UnsafePointer<GValue>, into settings: inout OutlineFilter.Settings) {
        switch self {
        case .outline: settings.outline = Self.text(value)
        case .overlay: settings.overlay = Self.text(value)
        case .appearance: settings.appearance = Self.text(value)
        case .mirror: settings.isMirrored = g_value_get_boolean(value) != 0
        case .wait: settings.waits = g_value_get_boolean(value) != 0
        }
    }

    /// Writes the value of settings.
    func write(_ settings: OutlineFilter.Settings, to value: UnsafeMutablePointer<GValue>) {
        switch self {
        case .outline: g_value_set_string(value, settings.outline)
        case .overlay: g_value_set_string(value, settings.overlay)
        case .appearance: g_value_set_string(value, settings.appearance)
        case .mirror: g_value_set_boolean(value, settings.isMirrored ? 1 : 0)
        case .wait: g_value_set_boolean(value, settings.waits ? 1 : 0)
        }
    }

    /// Returns the text of a value; `nil` if it has none, or an empty one.
    private static func text(_ value: UnsafePointer<GValue>) -> String? {
        g_value_get_string(value).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
