// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension BusMessage {
    /// Copies the content of a C message, which the caller still owns.
    init(copying message: UnsafeMutablePointer<GstMessage>) {
        let source = cgst_message_source(message)
        let name = source.flatMap { gst_object_get_name($0) }.map { String(consuming: $0) } ?? "unknown"
        self.init(
            Content(copying: message, from: name), source: name, sequenceNumber: gst_message_get_seqnum(message))
    }
}

extension BusMessage.Content {
    fileprivate init(copying message: UnsafeMutablePointer<GstMessage>, from source: String) {
        switch message.pointee.type {
        case GST_MESSAGE_ERROR: self = .error(PipelineError(message, source, gst_message_parse_error))
        case GST_MESSAGE_WARNING: self = .warning(PipelineError(message, source, gst_message_parse_warning))
        case GST_MESSAGE_INFO: self = .info(PipelineError(message, source, gst_message_parse_info))
        case GST_MESSAGE_EOS: self = .endOfStream
        case GST_MESSAGE_STATE_CHANGED: self = .stateChange(message)
        case GST_MESSAGE_ASYNC_DONE: self = .asyncDone
        case GST_MESSAGE_STREAM_START: self = .streamStart
        case GST_MESSAGE_LATENCY: self = .latency
        case GST_MESSAGE_QOS: self = .qualityOfService(QualityOfService(message))
        case GST_MESSAGE_ELEMENT: self = .element(Structure(of: message) ?? Structure("unknown"))
        case GST_MESSAGE_APPLICATION: self = .application(Structure(of: message) ?? Structure("unknown"))
        case GST_MESSAGE_DEVICE_ADDED: self = .device(message, gst_message_parse_device_added, Self.deviceAdded)
        case GST_MESSAGE_DEVICE_REMOVED: self = .device(message, gst_message_parse_device_removed, Self.deviceRemoved)
        case GST_MESSAGE_BUFFERING:
            var percent: gint = 0
            gst_message_parse_buffering(message, &percent)
            self = .buffering(Int(percent))
        case GST_MESSAGE_TAG: self = .tags(message)
        case GST_MESSAGE_NEED_CONTEXT: self = .needContext(message)
        default: self = .other(message)
        }
    }

    private static func stateChange(_ message: UnsafeMutablePointer<GstMessage>) -> Self {
        var (old, new, pending) = (GST_STATE_NULL, GST_STATE_NULL, GST_STATE_VOID_PENDING)
        gst_message_parse_state_changed(message, &old, &new, &pending)
        guard let from = PipelineState(old), let to = PipelineState(new) else { return other(message) }
        return .stateChanged(from: from, to: to, pending: PipelineState(pending))
    }

    private static func tags(_ message: UnsafeMutablePointer<GstMessage>) -> Self {
        var list: UnsafeMutablePointer<GstTagList>?
        gst_message_parse_tag(message, &list)
        guard let list else { return other(message) }
        defer { gst_tag_list_unref(list) }
        return .tags(TagList(copying: list))
    }

    private static func needContext(_ message: UnsafeMutablePointer<GstMessage>) -> Self {
        var type: UnsafePointer<gchar>?
        guard gst_message_parse_context_type(message, &type) != 0, let type else { return other(message) }
        return .needContext(String(cString: type))
    }

    private static func device(
        _ message: UnsafeMutablePointer<GstMessage>,
        _ parse: (UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GstDevice>?>?) -> Void,
        _ content: (Device) -> Self
    ) -> Self {
        var device: UnsafeMutablePointer<GstDevice>?
        parse(message, &device)
        return device.map { content(Device($0, .full)) } ?? other(message)
    }

    private static func other(_ message: UnsafeMutablePointer<GstMessage>) -> Self {
        let name = gst_message_type_get_name(message.pointee.type).map { String(cString: $0) } ?? "unknown"
        return .other(type: name, Structure(of: message))
    }
}

extension PipelineError {
    fileprivate init(
        _ message: UnsafeMutablePointer<GstMessage>, _ source: String,
        _ parse: (
            UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
        ) -> Void
    ) {
        var failure: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<gchar>?
        parse(message, &failure, &debug)
        self.init(
            .stream, consuming: failure, element: source, debug: debug.map { String(consuming: $0) },
            fallback: "an error without a message")
    }
}

extension Structure {
    fileprivate init?(of message: UnsafeMutablePointer<GstMessage>) {
        guard let structure = gst_message_get_structure(message) else { return nil }
        self.init(copying: structure)
    }
}

extension QualityOfService {
    fileprivate init(_ message: UnsafeMutablePointer<GstMessage>) {
        var (live, jitter, proportion, quality): (gboolean, gint64, gdouble, gint) = (0, 0, 0, 0)
        var (format, processed, dropped): (GstFormat, guint64, guint64) = (GST_FORMAT_UNDEFINED, 0, 0)
        gst_message_parse_qos(message, &live, nil, nil, nil, nil)
        gst_message_parse_qos_values(message, &jitter, &proportion, &quality)
        gst_message_parse_qos_stats(message, &format, &processed, &dropped)
        self.init(
            isLive: live != 0, jitter: .nanoseconds(Int64(jitter)),
            processed: processed == .max ? nil : UInt64(processed),
            dropped: dropped == .max ? nil : UInt64(dropped))
    }
}
