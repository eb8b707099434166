// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import OverlayCompositor
import PipelineKit

/// The GObject class of `outlineoverlay`, a subclass of `GstBaseTransform`.
///
/// The filter passes its buffers on. An ``OutlineFilter`` draws on them at the source pad, as the overlays of
/// gst-capture do, and copies only buffers that others read. So a camera can still write into the memory of a display.
enum OutlineElementType {
    /// Registers the element in a plugin, or in the process if `plugin` is `nil`.
    ///
    /// GStreamer calls this while it starts, with a lock held: nothing here may start GStreamer.
    static func register(_ plugin: OpaquePointer?) -> Bool {
        gst_element_register(plugin, "outlineoverlay", guint(GST_RANK_NONE.rawValue), type) != 0
    }

    private static let type: GType = g_type_register_static_simple(
        gst_base_transform_get_type(), "GstOutlineOverlay", guint(MemoryLayout<GstBaseTransformClass>.size),
        { pointer, _ in OutlineElementType.initialize(class: pointer) }, guint(MemoryLayout<Instance>.size),
        { pointer, _ in OutlineElementType.initialize(instance: pointer) }, GTypeFlags(0))

    private static func initialize(class pointer: gpointer?) {
        guard let pointer else { return }
        describe(pointer.assumingMemoryBound(to: GstElementClass.self))
        override(pointer.assumingMemoryBound(to: GObjectClass.self))
        // GObject requires the functions of the properties first.
        OutlineProperty.install(in: pointer.assumingMemoryBound(to: GObjectClass.self))
        override(pointer.assumingMemoryBound(to: GstElementClass.self))
        override(pointer.assumingMemoryBound(to: GstBaseTransformClass.self))
    }

    private static func initialize(instance: UnsafeMutablePointer<GTypeInstance>?) {
        guard let instance else { return }
        let pointer = UnsafeMutableRawPointer(instance)
        pointer.assumingMemoryBound(to: Instance.self).pointee.filter = .passRetained(OutlineFilter())
        gst_base_transform_set_passthrough(pointer.assumingMemoryBound(to: GstBaseTransform.self), 1)
    }

    private static func describe(_ class: UnsafeMutablePointer<GstElementClass>) {
        gst_element_class_set_metadata(
            `class`, "Outline overlay", "Filter/Editor/Video",
            "Draws outlines, grids, texts and pictures on video, as gst-capture does", "The authors of gst-capture")
        let formats = VideoFormat.all.map(\.name).filter(OverlayPlan.takes)
        let caps = gst_caps_from_string("video/x-raw, format=(string){ \(formats.joined(separator: ", ")) }")
        gst_element_class_add_pad_template(`class`, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps))
        gst_element_class_add_pad_template(`class`, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps))
        gst_caps_unref(caps)
    }

    // MARK: Virtual functions

    private static func override(_ class: UnsafeMutablePointer<GObjectClass>) {
        `class`.pointee.finalize = { object in
            guard let object else { return }
            let instance = UnsafeMutableRawPointer(object).assumingMemoryBound(to: Instance.self)
            instance.pointee.filter?.release()
            instance.pointee.filter = nil
            parent(GObjectClass.self).pointee.finalize(object)
        }
        `class`.pointee.set_property = { object, identifier, value, _ in
            guard let object, let value, let property = OutlineProperty(rawValue: identifier) else { return }
            filter(of: object)?.change(for: element(object)) { property.read(value, into: &$0) }
        }
        `class`.pointee.get_property = { object, identifier, value, _ in
            guard let object, let value, let property = OutlineProperty(rawValue: identifier) else { return }
            if let filter = filter(of: object) { property.write(filter.settings, to: value) }
        }
    }

    private static func override(_ class: UnsafeMutablePointer<GstElementClass>) {
        `class`.pointee.change_state = { element, transition in
            guard let element else { return GST_STATE_CHANGE_FAILURE }
            // The streaming thread must leave the filter before the pads can be deactivated.
            if transition == GST_STATE_CHANGE_PAUSED_TO_READY { filter(of: element)?.endWaiting() }
            return parent(GstElementClass.self).pointee.change_state(element, transition)
        }
    }

    private static func override(_ class: UnsafeMutablePointer<GstBaseTransformClass>) {
        `class`.pointee.start = { object in
            guard let object else { return 0 }
            return filter(of: object)?.start(element(object)) ?? false ? 1 : 0
        }
        `class`.pointee.stop = { object in
            guard let object else { return 0 }
            filter(of: object)?.stop()
            return 1
        }
        // GStreamer calls it for buffers that pass through, too.
        `class`.pointee.transform_ip = { object, _ in
            if let object { filter(of: object)?.waitForDrawing() }
            return GST_FLOW_OK
        }
        `class`.pointee.sink_event = { object, event in
            if let object, event?.pointee.type == GST_EVENT_FLUSH_START { filter(of: object)?.passFrame() }
            return parent(GstBaseTransformClass.self).pointee.sink_event(object, event)
        }
    }
}

// C functions cannot capture a type, so these are no methods.

/// An object of the class: the parent's part, then ours.
private struct Instance {
    var parent: GstBaseTransform
    var filter: Unmanaged<OutlineFilter>?
}

/// The class of `GstBaseTransform`, which exists as long as ours.
private func parent<Class>(_ class: Class.Type) -> UnsafeMutablePointer<Class> {
    g_type_class_peek(gst_base_transform_get_type()).assumingMemoryBound(to: Class.self)
}

private func filter(of object: UnsafeMutableRawPointer) -> OutlineFilter? {
    object.assumingMemoryBound(to: Instance.self).pointee.filter?.takeUnretainedValue()
}

private func element(_ object: UnsafeMutableRawPointer) -> Element { Element(object, .none) }
