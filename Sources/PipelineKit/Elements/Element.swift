// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// A part of a pipeline that makes, changes or takes data (`GstElement`).
///
/// Properties and signals come from ``Object``. Threads: an element may be used from any thread; calls that change its
/// state can block in a driver and belong to ``Pipeline``.
public class Element: Object, @unchecked Sendable {
    /// Makes an element (`gst_element_factory_make`).
    ///
    /// - Parameters:
    ///   - factory: Its kind, such as `videotestsrc`.
    ///   - name: Its name in the pipeline; `nil` lets GStreamer choose one.
    /// - Throws: ``PipelineError/Code/missingElement``, with the Debian package that brings it where that is known.
    public static func make(_ factory: String, name: String? = nil) throws(PipelineError) -> Element {
        try GStreamer.initialize()
        guard let pointer = gst_element_factory_make(factory, name) else { throw .missingElements([factory]) }
        return Element(pointer, .floating)
    }

    /// The kind of this element, such as `videotestsrc` (`gst_element_get_factory`).
    public final var factoryName: String? {
        gst_element_get_factory(cast()).map { Object(UnsafeMutableRawPointer($0), .none).name }
    }

    /// True where it hands the buffers that come on as they are, for now (`gst_base_transform_is_passthrough`). Elements
    /// that are no filters never do.
    public final var isPassthrough: Bool {
        guard g_type_check_instance_is_a(cast(), gst_base_transform_get_type()) != 0 else { return false }
        return gst_base_transform_is_passthrough(cast()) != 0
    }

    /// The pad of this name that exists already (`gst_element_get_static_pad`).
    public final func pad(_ name: String) -> Pad? {
        gst_element_get_static_pad(cast(), name).map { Pad($0, .full) }
    }

    /// Makes a pad from a template, such as `src_%u` of a tee (`gst_element_request_pad_simple`).
    ///
    /// - Throws: ``PipelineError/Code/notFound`` where there is no such template, or it gives no more pads.
    public final func requestPad(_ template: String) throws(PipelineError) -> Pad {
        guard let pad = gst_element_request_pad_simple(cast(), template) else {
            throw failure(.notFound, "gives no pad \(template)")
        }
        return Pad(pad, .full)
    }

    /// Gives a requested pad back (`gst_element_release_request_pad`). Other pads stay.
    public final func release(_ pad: Pad) {
        guard pad.isRequested, pad.element == self else { return }
        gst_element_release_request_pad(cast(), pad.cast())
    }

    /// Links this element to the next, by any pads that fit (`gst_element_link_filtered`).
    ///
    /// - Parameters:
    ///   - next: Whose sink takes what this one gives.
    ///   - caps: What may flow; `nil` for whatever both agree on. A filter for it is put between them, so both must be
    ///     in a pipeline.
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

    /// Undoes a link (`gst_element_unlink`).
    public final func unlink(from next: Element) {
        gst_element_unlink(cast(), next.cast())
    }

    /// Follows the state of the pipeline that this element was added to while it ran
    /// (`gst_element_sync_state_with_parent`). It can block.
    public final func followPipeline() -> Bool { gst_element_sync_state_with_parent(cast()) != 0 }

    private var isInBin: Bool {
        guard let parent = gst_object_get_parent(cast()) else { return false }
        defer { gst_object_unref(parent) }
        return cgst_type_is(cgst_object_type(parent), gst_bin_get_type()) != 0
    }
}
