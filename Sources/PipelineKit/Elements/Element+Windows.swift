// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Glibc

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

    /// Sets properties of the window (`GtkWindow`) that a sink opens with GTK, such as `gtkwaylandsink`, one after the
    /// other. Sets none for other sinks, nor properties that the window does not accept.
    ///
    /// The sink opens the window at ``PipelineState/ready``, and shows it at ``PipelineState/paused``, unless the property
    /// `no-show-all` is `true`. ``MainLoop`` must run; the change is made on its thread, later.
    ///
    /// - Parameter completed: Runs after the change on the thread of the loop, and must not wait; for other sinks, on the
    ///   calling thread.
    public final func setGTKWindow(
        _ properties: KeyValuePairs<String, Value>, then completed: @escaping @Sendable () -> Void = {}
    ) {
        let properties = properties.map { (name: $0.key, value: $0.value) }
        changeGTKWindow { widget, window in
            try? widget.set("visible", to: true)
            for (name, value) in properties { try? window.set(name, to: value) }
        } then: {
            completed()
        }
    }

    /// Draws the window that a sink opened with GTK again (`gtk_widget_queue_draw`). Does nothing for other sinks.
    ///
    /// `gtkwaylandsink` draws frames on a separate surface. A compositor can leave that surface out until the window is
    /// drawn again (GStreamer before 1.22.4). ``MainLoop`` must run; the window is drawn on its thread, later.
    public final func redrawGTKWindow() {
        changeGTKWindow { _, window in GTK.queueDraw?(window.pointer) }
    }

    private func changeGTKWindow(
        _ change: @escaping @Sendable (Object, Object) -> Void, then completed: @escaping @Sendable () -> Void = {}
    ) {
        guard hasProperty("widget") else { return completed() }
        let change = GTKWindowChange(sink: self, change: change, completed: completed)
        g_main_context_invoke(nil, { GTKWindowChange.make($0) }, Unmanaged.passRetained(change).toOpaque())
    }

    private func overlay() throws(PipelineError) -> OpaquePointer {
        guard drawsIntoWindows else { throw failure(.notFound, "does not draw into windows") }
        return OpaquePointer(pointer)
    }
}

/// A change of the window in which GTK shows the widget of a sink.
private final class GTKWindowChange: Sendable {
    private let sink: Element
    private let change: @Sendable (Object, Object) -> Void
    private let completed: @Sendable () -> Void

    init(
        sink: Element, change: @escaping @Sendable (Object, Object) -> Void, completed: @escaping @Sendable () -> Void
    ) {
        (self.sink, self.change, self.completed) = (sink, change, completed)
    }

    /// Makes a change and releases it (`GSourceFunc`); returns 0, since it is made once.
    static func make(_ change: gpointer?) -> gboolean {
        if let change { Unmanaged<GTKWindowChange>.fromOpaque(change).takeRetainedValue().make() }
        return 0
    }

    /// The widget fills the window. A sink whose window is gone has no parent.
    private func make() {
        defer { completed() }
        guard let widget = try? sink.get("widget", as: Object.self),
            let window = try? widget.get("parent", as: Object.self)
        else { return }
        change(widget, window)
    }
}

/// Functions of GTK, which is there if a sink has loaded it.
private enum GTK {
    /// `gtk_widget_queue_draw`.
    static let queueDraw: (@convention(c) (UnsafeMutableRawPointer) -> Void)? = {
        guard let library = dlopen("libgtk-3.so.0", RTLD_LAZY | RTLD_NOLOAD),
            let function = dlsym(library, "gtk_widget_queue_draw")
        else { return nil }
        return unsafeBitCast(function, to: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)
    }()
}
