// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The point at which data enters or leaves an element (`GstPad`).
///
/// A probe inspects the data that passes (``probeBuffers(_:)``, ``probeEvents(_:_:)``); a block holds it back
/// (``block(at:_:)``).
public final class Pad: Object, @unchecked Sendable {
    /// The direction of the data.
    public enum Direction: Sendable {
        /// Out of the element.
        case source
        /// Into the element.
        case sink
    }

    /// The direction of the data (`gst_pad_get_direction`).
    public var direction: Direction { gst_pad_get_direction(cast()) == GST_PAD_SRC ? .source : .sink }

    /// The caps of the current data; `nil` before they are negotiated (`gst_pad_get_current_caps`).
    public var currentCaps: Caps? { gst_pad_get_current_caps(cast()).map { Caps($0, .full) } }

    /// The caps that this pad and the pad at the other end both support; `nil` if it is not linked
    /// (`gst_pad_get_allowed_caps`).
    public var allowedCaps: Caps? { gst_pad_get_allowed_caps(cast()).map { Caps($0, .full) } }

    /// Asks the element for the caps that this pad supports now, regardless of the pad at the other end
    /// (`gst_pad_query_caps`).
    ///
    /// - Parameter filter: Limits the result, and sets its order of preference; `nil` for no limit.
    public func queryCaps(filter: Caps? = nil) -> Caps { Caps(gst_pad_query_caps(cast(), filter?.pointer), .full) }

    /// The pad at the other end; `nil` if this pad is not linked (`gst_pad_get_peer`).
    public var peer: Pad? { gst_pad_get_peer(cast()).map { Pad($0, .full) } }

    /// The element that this pad belongs to; `nil` if there is none (`gst_pad_get_parent_element`).
    public var element: Element? { gst_pad_get_parent_element(cast()).map { Element($0, .full) } }

    /// `true` if the pad was created on request, from a template (`GST_PAD_REQUEST`).
    var isRequested: Bool {
        guard let template = gst_pad_get_pad_template(cast()) else { return false }
        defer { gst_object_unref(template) }
        return template.pointee.presence == GST_PAD_REQUEST
    }

    /// Links this source pad to a sink pad (`gst_pad_link`).
    ///
    /// - Throws: ``PipelineError/Code/link``, with GStreamer's reason.
    public func link(to sink: Pad) throws(PipelineError) {
        guard direction == .source, sink.direction == .sink else {
            throw failure(.link, "does not fit \(sink.name): wrong direction")
        }
        let outcome = gst_pad_link(cast(), sink.cast())
        guard outcome == GST_PAD_LINK_OK else {
            let reason = gst_pad_link_get_name(outcome).map { String(cString: $0) } ?? "refused"
            throw failure(.link, "does not fit \(sink.name): \(reason)")
        }
    }

    /// Asks the encoder before this sink pad to encode its next frame so that decoding can begin there
    /// (`gst_video_event_new_upstream_force_key_unit`).
    ///
    /// - Returns: `false` if no element accepts the request.
    @discardableResult
    package func requestKeyFrame() -> Bool {
        gst_pad_push_event(cast(), gst_video_event_new_upstream_force_key_unit(cgst_clock_time_none, 1, 0)) != 0
    }

    /// Removes the link to a sink pad (`gst_pad_unlink`). Has no effect if the two are not linked.
    public func unlink(from sink: Pad) {
        guard peer == sink, direction == .source else { return }
        gst_pad_unlink(cast(), sink.cast())
    }
}
