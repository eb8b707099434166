// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A camera, microphone or other device that GStreamer found (`GstDevice`).
public final class Device: Object, @unchecked Sendable {
    /// The device's name for people (`gst_device_get_display_name`).
    public var displayName: String { String(consuming: gst_device_get_display_name(cast())) }

    /// The device's class, such as `Video/Source` (`gst_device_get_device_class`).
    public var deviceClass: String { String(consuming: gst_device_get_device_class(cast())) }

    /// The caps that the device can deliver; `nil` if its provider names none (`gst_device_get_caps`).
    public var caps: Caps? { gst_device_get_caps(cast()).map { Caps($0, .full) } }

    /// More properties from the device's provider: path, serial, bus and so on; `nil` if there are none
    /// (`gst_device_get_properties`).
    public var details: Structure? {
        guard let structure = gst_device_get_properties(cast()) else { return nil }
        defer { gst_structure_free(structure) }
        return Structure(copying: structure)
    }

    /// Creates the element that reads from the device (`gst_device_create_element`).
    ///
    /// - Throws: ``PipelineError/Code/missingElement`` if GStreamer creates none.
    public func makeElement(name: String? = nil) throws(PipelineError) -> Element {
        guard let element = gst_device_create_element(cast(), name) else {
            throw failure(.missingElement, "creates no element")
        }
        return Element(element, .floating)
    }
}
