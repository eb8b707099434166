// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import PipelineKit
import Testing

extension Pipeline {
    /// The sink pad of an element.
    func sinkPad(_ element: String) throws -> Pad { try #require(try self.element(named: element).pad("sink")) }
}

extension Element {
    /// Flushes everything downstream of this element's source pad (`gst_event_new_flush_start`, `_stop`).
    func flush() throws {
        let source = try #require(pad("src")).pointer.assumingMemoryBound(to: GstPad.self)
        gst_pad_push_event(source, gst_event_new_flush_start())
        gst_pad_push_event(source, gst_event_new_flush_stop(1))
    }

    /// Posts an error as an element would (`gst_element_message_full`).
    func postError(_ text: String) {
        gst_element_message_full(
            pointer.assumingMemoryBound(to: GstElement.self), GST_MESSAGE_ERROR, gst_stream_error_quark(),
            gint(GST_STREAM_ERROR_DECODE.rawValue), g_strdup(text), g_strdup("debug: \(text)"), "file.c", "function", 12
        )
    }

    /// Posts an element message (`gst_message_new_element`).
    func post(_ structure: String) {
        post { gst_message_new_element($0, gst_structure_from_string(structure, nil)) }
    }

    /// Posts a message that a closure creates (`gst_element_post_message`).
    func post(_ make: (UnsafeMutablePointer<GstObject>) -> UnsafeMutablePointer<GstMessage>?) {
        let message = make(pointer.assumingMemoryBound(to: GstObject.self))
        gst_element_post_message(pointer.assumingMemoryBound(to: GstElement.self), message)
    }
}
