// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A user's input in a window that shows a stream (`GstNavigation`). The event travels upstream from the sink.
///
/// Coordinates are in pixels of the frame that the element shows. Elements on the way, such as a scaler, convert them.
public enum NavigationEvent: Sendable, Hashable {
    /// The user pressed a key, by X's name for it: `space`, `a`, `Escape`, `F1`. A key that is held down repeats.
    case keyPress(String)
    /// The user released a key.
    case keyRelease(String)
    /// The user pressed a mouse button, counted from 1.
    case buttonPress(Int, x: Double, y: Double)
    /// The user released a mouse button.
    case buttonRelease(Int, x: Double, y: Double)
    /// The mouse is at this position.
    case move(x: Double, y: Double)
    /// A finger touched the screen.
    case touchDown(x: Double, y: Double)
    /// Any other event, by the number of its type (`GstNavigationEventType`).
    case other(Int)
}

extension NavigationEvent {
    /// Parses an event; `nil` if it is not a navigation event, or lacks a field that its type requires.
    init?(_ event: UnsafeMutablePointer<GstEvent>) {
        guard event.pointee.type == GST_EVENT_NAVIGATION, gst_event_get_structure(event) != nil else { return nil }
        let type = gst_navigation_event_get_type(event)
        switch type {
        case GST_NAVIGATION_EVENT_INVALID: return nil
        case GST_NAVIGATION_EVENT_KEY_PRESS, GST_NAVIGATION_EVENT_KEY_RELEASE:
            guard let key = Self.key(event) else { return nil }
            self = type == GST_NAVIGATION_EVENT_KEY_PRESS ? .keyPress(key) : .keyRelease(key)
        case GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS, GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE:
            guard let (button, x, y) = Self.button(event) else { return nil }
            let isPress = type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS
            self = isPress ? .buttonPress(button, x: x, y: y) : .buttonRelease(button, x: x, y: y)
        case GST_NAVIGATION_EVENT_MOUSE_MOVE:
            var (x, y): (gdouble, gdouble) = (0, 0)
            guard gst_navigation_event_parse_mouse_move_event(event, &x, &y) != 0 else { return nil }
            self = .move(x: x, y: y)
        case GST_NAVIGATION_EVENT_TOUCH_DOWN:
            var (finger, x, y, pressure): (guint, gdouble, gdouble, gdouble) = (0, 0, 0, 0)
            guard gst_navigation_event_parse_touch_event(event, &finger, &x, &y, &pressure) != 0 else { return nil }
            self = .touchDown(x: x, y: y)
        default: self = .other(Int(type.rawValue))
        }
    }

    private static func key(_ event: UnsafeMutablePointer<GstEvent>) -> String? {
        var key: UnsafePointer<gchar>?
        guard gst_navigation_event_parse_key_event(event, &key) != 0 else { return nil }
        return key.map { String(cString: $0) }
    }

    private static func button(_ event: UnsafeMutablePointer<GstEvent>) -> (Int, Double, Double)? {
        var (button, x, y): (gint, gdouble, gdouble) = (0, 0, 0)
        guard gst_navigation_event_parse_mouse_button_event(event, &button, &x, &y) != 0 else { return nil }
        return (Int(button), x, y)
    }
}
