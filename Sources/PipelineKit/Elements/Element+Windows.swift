// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// Windows of the program, into which a sink draws (`GstVideoOverlay`).
///
/// A sink asks for its window with a message, which a handler must answer on the thread that posts it:
///
///     pipeline.bus.handleSynchronously { message, source in
///         if message.isWindowRequest { try? (source as? Element)?.setWindowHandle(handle) }
///     }
///
/// Any thread may call these functions.
extension Element {
    /// `true` if the element draws into windows (`GST_IS_VIDEO_OVERLAY`).
    public final var drawsIntoWindows: Bool {
        g_type_check_instance_is_a(cast(), gst_video_overlay_get_type()) != 0
    }

    /// Sets the window (`gst_video_overlay_set_window_handle`). The caller owns the window, which must exist until the
    /// pipeline has stopped, or until the next call.
    ///
    /// - Parameter handle: An X window, a pointer to a Wayland surface, or another handle that the sink accepts; 0 lets
    ///   the sink open a window.
    /// - Throws: ``PipelineError/Code/notFound`` if the element does not draw into windows.
    public final func setWindowHandle(_ handle: UInt) throws(PipelineError) {
        gst_video_overlay_set_window_handle(try overlay(), guintptr(handle))
    }

    /// Limits drawing to a part of the window, in the window's pixels (`gst_video_overlay_set_render_rectangle`).
    ///
    /// - Parameter rectangle: The part; `nil` for the whole window. A rectangle without area has no effect.
    /// - Throws: ``PipelineError/Code/notFound`` if the element does not draw into windows, or not into parts of them;
    ///   ``PipelineError/Code/propertyRange`` if a number does not fit.
    public final func setRenderRectangle(_ rectangle: CropRectangle?) throws(PipelineError) {
        let overlay = try overlay()
        var edges: [gint] = [0, 0, -1, -1]
        if let rectangle {
            edges = [rectangle.x, rectangle.y, rectangle.width, rectangle.height].compactMap { gint(exactly: $0) }
            guard edges.count == 4 else { throw failure(.propertyRange, "cannot draw into \(rectangle)") }
            guard edges[2] > 0, edges[3] > 0 else { return }
        }
        guard gst_video_overlay_set_render_rectangle(overlay, edges[0], edges[1], edges[2], edges[3]) != 0 else {
            throw failure(.notFound, "does not draw into a part of a window")
        }
    }

    /// Draws the current frame again, after the system has erased the window (`gst_video_overlay_expose`).
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if the element does not draw into windows.
    public final func exposeWindow() throws(PipelineError) { gst_video_overlay_expose(try overlay()) }

    /// Decides whether the sink receives the input in its window, and sends it upstream as a ``NavigationEvent``
    /// (`gst_video_overlay_handle_events`); `true` at first.
    ///
    /// - Throws: ``PipelineError/Code/notFound`` if the element does not draw into windows.
    public final func setHandlesInput(_ handlesInput: Bool) throws(PipelineError) {
        gst_video_overlay_handle_events(try overlay(), handlesInput ? 1 : 0)
    }

    private func overlay() throws(PipelineError) -> OpaquePointer {
        guard drawsIntoWindows else { throw failure(.notFound, "does not draw into windows") }
        return OpaquePointer(pointer)
    }
}
