// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// Data that a program or an element shares with the elements of a pipeline, such as a display connection
/// (`GstContext`).
///
/// `@unchecked Sendable`: one immutable pointer. GStreamer counts references atomically, and the context is not written
/// after its creation.
public final class ElementContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Wraps a `GstContext`, for contexts that only a C library can create. `ownership` decides whether the handle
    /// adopts or adds a reference.
    public init(_ pointer: UnsafeMutableRawPointer, _ ownership: Ownership) {
        self.pointer = OpaquePointer(pointer)
        if ownership == .none { gst_context_ref(self.pointer) }
    }

    /// Creates a context (`gst_context_new`).
    ///
    /// An object in a field has the type `GObject`. If the elements expect another type, create the context in C.
    ///
    /// - Parameters:
    ///   - type: The type by which elements ask for the context, such as `gst.gl.GLDisplay`.
    ///   - fields: The content, by name.
    ///   - isPersistent: `true` if an element keeps the context when it stops.
    /// - Throws: ``PipelineError/Code/syntax`` if the type is empty or contains a NUL character, or a field cannot be
    ///   written.
    public init(
        _ type: String, _ fields: [String: Value] = [:], isPersistent: Bool = true
    ) throws(PipelineError) {
        try GStreamer.initialize()
        guard !type.isEmpty, !type.utf8.contains(0), let context = gst_context_new(type, isPersistent ? 1 : 0) else {
            throw PipelineError(.syntax, "not a type of context: \(type)")
        }
        pointer = context
        guard Structure.write(fields, to: gst_context_writable_structure(context)) else {
            throw PipelineError(.syntax, "a field of the context \(type) cannot be written")
        }
    }

    deinit { gst_context_unref(pointer) }

    /// The type by which elements ask for the context (`gst_context_get_context_type`).
    public var type: String { String(cString: gst_context_get_context_type(pointer)) }

    /// The content (`gst_context_get_structure`). Each access copies it.
    public var structure: Structure { Structure(copying: gst_context_get_structure(pointer)) }

    /// `true` if an element keeps the context when it stops (`gst_context_is_persistent`).
    public var isPersistent: Bool { gst_context_is_persistent(pointer) != 0 }
}

extension Element {
    /// Gives the element a context (`gst_element_set_context`). A bin passes it to its elements. Any thread may call
    /// this, also a handler of the bus (``Bus/handleSynchronously(_:)``).
    public final func setContext(_ context: ElementContext) { gst_element_set_context(cast(), context.pointer) }

    /// Returns the context of this type that the element has; `nil` if it has none (`gst_element_get_context`).
    public final func context(_ type: String) -> ElementContext? {
        guard !type.utf8.contains(0), let context = gst_element_get_context(cast(), type) else { return nil }
        return ElementContext(UnsafeMutableRawPointer(context), .full)
    }
}
