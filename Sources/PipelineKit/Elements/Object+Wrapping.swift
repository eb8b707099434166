// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Object {
    /// Creates a handle of the most specific class for the C object.
    static func wrapping(_ pointer: UnsafeMutableRawPointer, _ ownership: Ownership) -> Object {
        let type = cgst_object_type(pointer)
        func isA(_ parent: GType) -> Bool { cgst_type_is(type, parent) != 0 }
        if isA(gst_element_get_type()) { return Element(pointer, ownership) }
        if isA(gst_pad_get_type()) { return Pad(pointer, ownership) }
        if isA(gst_device_get_type()) { return Device(pointer, ownership) }
        if isA(gst_clock_get_type()) { return PipelineClock(pointer, ownership) }
        return Object(pointer, ownership)
    }
}
