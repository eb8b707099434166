// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import CaptureBase

/// The plugin `outline`, the file `libgstoutline.so`: what `GST_PLUGIN_DEFINE` declares in C.
enum OutlinePlugin {
    /// GStreamer reads it for as long as the process lives, so it is never freed. It does not change.
    nonisolated(unsafe) fileprivate static let description: UnsafePointer<GstPluginDesc> = {
        let description = UnsafeMutablePointer<GstPluginDesc>.allocate(capacity: 1)
        var content = GstPluginDesc()
        (content.major_version, content.minor_version) = (1, gint(GST_VERSION_MINOR))
        content.name = text("outline")
        content.description = text("Draws outlines, grids, texts and pictures on video")
        content.plugin_init = { plugin in OutlineElementType.register(plugin) ? 1 : 0 }
        content.version = text(Version.current)
        content.license = text("Apache 2.0")
        content.source = text("gst-capture")
        content.package = text("gst-capture")
        content.origin = text("gst-capture")
        description.initialize(to: content)
        return UnsafePointer(description)
    }()

    private static func text(_ text: String) -> UnsafePointer<gchar>? { UnsafePointer(g_strdup(text)) }
}

/// Returns the description of the plugin. GStreamer looks for a function of this name in `libgstoutline.so`.
@_cdecl("gst_plugin_outline_get_desc")
public func outlinePluginDescription() -> UnsafePointer<GstPluginDesc> { OutlinePlugin.description }

/// Registers the element in this process, for programs that link the plugin statically
/// (`GST_PLUGIN_STATIC_REGISTER`). Call it after `gst_init`; any thread may call it, and a second call has no effect.
@_cdecl("gst_plugin_outline_register")
public func registerOutlineElement() { _ = isRegistered }

/// Two threads that register an element at the same moment would each make a factory, and GStreamer frees one of them, even
/// if elements have it.
private let isRegistered = OutlineElementType.register(nil)
