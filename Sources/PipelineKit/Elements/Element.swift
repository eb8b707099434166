// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A part of a pipeline that produces, changes or consumes data (`GstElement`).
///
/// Properties and signals come from ``Object``. Any thread may use an element. State changes can block in a driver:
/// ``Pipeline`` makes them, except for ``followPipeline()``.
public class Element: Object, @unchecked Sendable {
    /// Creates an element (`gst_element_factory_make`).
    ///
    /// - Parameters:
    ///   - factory: The kind of element, such as `videotestsrc`.
    ///   - name: The name in the pipeline; `nil` lets GStreamer choose one.
    /// - Throws: ``PipelineError/Code/missingElement``, with the element's Debian package if it is known.
    public class func make(_ factory: String, name: String? = nil) throws(PipelineError) -> Element {
        try GStreamer.initialize()
        // GStreamer reads each text up to a NUL.
        guard !factory.utf8.contains(0), name?.utf8.contains(0) != true,
            let pointer = gst_element_factory_make(factory, name)
        else { throw .missingElements([factory]) }
        return Element(pointer, .floating)
    }

    /// The kind of this element, such as `videotestsrc`; `nil` if no factory created it (`gst_element_get_factory`).
    public final var factoryName: String? {
        gst_element_get_factory(cast()).map { Object(UnsafeMutableRawPointer($0), .none).name }
    }

    /// The classes of this kind of element, such as `Source/Network` (`gst_element_get_metadata`); empty if it has none.
    public final var classification: String {
        gst_element_get_metadata(cast(), GST_ELEMENT_METADATA_KLASS).map { String(cString: $0) } ?? ""
    }

    /// The file of the plugin that contains this kind of element (`gst_plugin_get_filename`); `nil` if no plugin does: the
    /// program itself registered it.
    package final var pluginFile: String? {
        guard let factory = gst_element_get_factory(cast()), let plugin = gst_plugin_feature_get_plugin(factory) else {
            return nil
        }
        defer { gst_object_unref(UnsafeMutableRawPointer(plugin)) }
        return gst_plugin_get_filename(plugin).map { String(cString: $0) }
    }

    /// `true` if the element currently passes its buffers on unchanged (`gst_base_transform_is_passthrough`); always
    /// `false` for elements that are not filters (`GstBaseTransform`).
    public final var isPassthrough: Bool {
        guard g_type_check_instance_is_a(cast(), gst_base_transform_get_type()) != 0 else { return false }
        return gst_base_transform_is_passthrough(cast()) != 0
    }

    /// The current state, without waiting for a pending change (`gst_element_get_state`).
    public final var state: PipelineState { states.current }

    /// The state that a pending change leads to; `nil` if no change is pending (`gst_element_get_state`).
    public final var pendingState: PipelineState? { states.pending }

    private var states: (current: PipelineState, pending: PipelineState?) {
        var (current, pending) = (GST_STATE_NULL, GST_STATE_VOID_PENDING)
        gst_element_get_state(cast(), &current, &pending, 0)
        return (PipelineState(current) ?? .null, PipelineState(pending))
    }

    /// Returns the existing pad of this name; `nil` if there is none (`gst_element_get_static_pad`).
    public final func pad(_ name: String) -> Pad? {
        name.utf8.contains(0) ? nil : gst_element_get_static_pad(cast(), name).map { Pad($0, .full) }
    }

    /// Requests a pad from a template, such as `src_%u` of a tee (`gst_element_request_pad_simple`).
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if there is no such template, or it creates no more pads.
    public final func requestPad(_ template: String) throws(PipelineError) -> Pad {
        guard !template.utf8.contains(0), let pad = gst_element_request_pad_simple(cast(), template) else {
            throw failure(.notFound, "creates no pad \(template)")
        }
        return Pad(pad, .full)
    }

    /// Releases a requested pad of this element (`gst_element_release_request_pad`). Has no effect on other pads.
    public final func release(_ pad: Pad) {
        guard pad.isRequested, pad.element == self else { return }
        gst_element_release_request_pad(cast(), pad.cast())
    }

    /// Links this element to the next, by any two compatible pads (`gst_element_link_filtered`).
    ///
    /// - Parameters:
    ///   - next: The element whose sink pad receives the data of this one.
    ///   - caps: The caps that may pass; `nil` for any that both elements support. For caps, GStreamer inserts a
    ///     filter, so both elements must be in a pipeline or bin.
    /// - Throws: ``PipelineError/Code/link``.
    public final func link(to next: Element, caps: Caps? = nil) throws(PipelineError) {
        guard caps == nil || isInBin else {
            throw failure(
                .link, "cannot be linked with caps before it is in a pipeline", advice: "add both elements first")
        }
        guard gst_element_link_filtered(cast(), next.cast(), caps?.pointer) != 0 else {
            throw failure(.link, "does not fit \(next.name)" + (caps.map { " with \($0)" } ?? ""))
        }
    }

    /// Removes the link to another element (`gst_element_unlink`).
    public final func unlink(from next: Element) {
        gst_element_unlink(cast(), next.cast())
    }

    /// Changes this element to the state of the pipeline or bin that contains it, for an element that was added while
    /// the pipeline ran (`gst_element_sync_state_with_parent`). This call can block in a driver, on the calling thread.
    ///
    /// Call this before the link to an element that has data: a pad that is not active yet refuses a buffer, and a
    /// source whose buffer is refused stops for good, without an error.
    ///
    /// - Returns: `false` if the element refuses the state, or has no parent.
    public final func followPipeline() -> Bool { gst_element_sync_state_with_parent(cast()) != 0 }

    private var isInBin: Bool { parent?.isBin ?? false }
}

/// The relatives of an element.
extension Element {
    /// The pads that the element has now, in no particular order (`gst_element_iterate_pads`).
    public final var pads: [Pad] { collect(gst_element_iterate_pads(cast())) { Pad($0, .none) } }

    /// The elements directly inside a bin, in no particular order (`gst_bin_iterate_elements`); empty for an element
    /// that is not a bin.
    public final var children: [Element] {
        isBin ? collect(gst_bin_iterate_elements(cast())) { Element($0, .none) } : []
    }

    /// The elements inside a bin and inside its bins, in no particular order (`gst_bin_iterate_recurse`); empty for an
    /// element that is not a bin.
    public final var descendants: [Element] {
        isBin ? collect(gst_bin_iterate_recurse(cast())) { Element($0, .none) } : []
    }

    /// The bin or pipeline that contains the element; `nil` if there is none (`gst_object_get_parent`).
    public final var parent: Element? {
        guard let parent = gst_object_get_parent(cast()) else { return nil }
        guard cgst_type_is(cgst_object_type(parent), gst_element_get_type()) != 0 else {
            gst_object_unref(parent)
            return nil
        }
        return Element(parent, .full)
    }

    private var isBin: Bool { cgst_type_is(cgst_object_type(pointer), gst_bin_get_type()) != 0 }
}

/// Collects the objects of an iterator, and frees it (`gst_iterator_next`). If the list changes meanwhile, it begins
/// again.
private func collect<Item>(
    _ iterator: UnsafeMutablePointer<GstIterator>?, _ wrap: (UnsafeMutableRawPointer) -> Item
) -> [Item] {
    guard let iterator else { return [] }
    var (items, value): ([Item], GValue) = ([], GValue())
    defer {
        g_value_unset(&value)
        gst_iterator_free(iterator)
    }
    while true {
        switch gst_iterator_next(iterator, &value) {
        case GST_ITERATOR_OK:
            if let object = g_value_get_object(&value) { items.append(wrap(object)) }
            g_value_reset(&value)
        case GST_ITERATOR_RESYNC:
            items = []
            gst_iterator_resync(iterator)
        default: return items
        }
    }
}
