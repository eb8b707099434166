// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// An event that travels through a pad (`GstEvent`). Kinds that a probe seldom needs have only a name.
public enum PadEvent: Sendable {
    /// The data that follows has this format.
    case caps(Caps)
    /// A new segment of time begins.
    case segment
    /// The stream starts.
    case streamStart
    /// No data follows.
    case endOfStream
    /// Elements discard the data in flight.
    case flushStart
    /// Data flows again after a flush.
    case flushStop
    /// The user pressed a key or moved the mouse in a window. The event travels upstream.
    case navigation(NavigationEvent)
    /// Any other event, by GStreamer's name for it.
    case other(String)
}

extension PadEvent {
    /// The direction of an event.
    public enum Travel: Sendable {
        /// With the data, toward the sinks.
        case downstream
        /// Against the data, toward the sources.
        case upstream
    }

    init(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            self = caps.map { .caps(Caps($0, .none)) } ?? .other("caps")
        case GST_EVENT_SEGMENT: self = .segment
        case GST_EVENT_STREAM_START: self = .streamStart
        case GST_EVENT_EOS: self = .endOfStream
        case GST_EVENT_FLUSH_START: self = .flushStart
        case GST_EVENT_FLUSH_STOP: self = .flushStop
        case GST_EVENT_NAVIGATION: self = NavigationEvent(event).map { .navigation($0) } ?? .other("navigation")
        default: self = .other(String(cString: gst_event_type_get_name(event.pointee.type)))
        }
    }
}
