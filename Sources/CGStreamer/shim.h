// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// GStreamer for Swift. The declarations with the prefix cgst_ replace those that Swift cannot import, each with the
// reason.

#ifndef CGSTREAMER_SHIM_H
#define CGSTREAMER_SHIM_H

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/video.h>

// G_TYPE_* are macros with casts, which Swift does not import.
static const GType cgst_type_char = G_TYPE_CHAR;
static const GType cgst_type_uchar = G_TYPE_UCHAR;
static const GType cgst_type_boolean = G_TYPE_BOOLEAN;
static const GType cgst_type_int = G_TYPE_INT;
static const GType cgst_type_uint = G_TYPE_UINT;
static const GType cgst_type_long = G_TYPE_LONG;
static const GType cgst_type_ulong = G_TYPE_ULONG;
static const GType cgst_type_int64 = G_TYPE_INT64;
static const GType cgst_type_uint64 = G_TYPE_UINT64;
static const GType cgst_type_enum = G_TYPE_ENUM;
static const GType cgst_type_flags = G_TYPE_FLAGS;
static const GType cgst_type_float = G_TYPE_FLOAT;
static const GType cgst_type_double = G_TYPE_DOUBLE;
static const GType cgst_type_string = G_TYPE_STRING;
static const GType cgst_type_boxed = G_TYPE_BOXED;
static const GType cgst_type_param = G_TYPE_PARAM;
static const GType cgst_type_object = G_TYPE_OBJECT;
static const GType cgst_type_none = G_TYPE_NONE;

// gst_video_format_from_string is declared G_GNUC_CONST, which promises that it reads no memory, and it reads its
// argument: an optimizer may call it after Swift has freed the string. The type of this pointer makes no such promise.
static inline GstVideoFormat cgst_video_format_from_string(const gchar *format) {
    GstVideoFormat (*volatile from_string)(const gchar *) = gst_video_format_from_string;
    return from_string(format);
}

// G_OBJECT_GET_CLASS, G_OBJECT_TYPE, G_PARAM_SPEC_VALUE_TYPE and G_VALUE_TYPE are casting macros.
static inline GObjectClass *cgst_object_get_class(gpointer object) { return G_OBJECT_GET_CLASS(object); }
static inline GType cgst_object_type(gpointer object) { return G_OBJECT_TYPE(object); }
static inline GType cgst_param_spec_value_type(GParamSpec *spec) { return G_PARAM_SPEC_VALUE_TYPE(spec); }
static inline GType cgst_value_type(const GValue *value) { return G_VALUE_TYPE(value); }

// GST_TYPE_STRUCTURE reads a global variable, which Swift 6 refuses as unprotected shared state.
static inline GType cgst_structure_type(void) { return GST_TYPE_STRUCTURE; }

// Swift imports g_type_is_a as a function; the macro of the same name compares equal types without a call.
static inline gboolean cgst_type_is(GType type, GType parent) { return g_type_is_a(type, parent); }

// Swift cannot compare C function pointers, or convert them to integers.
static inline guintptr cgst_pad_chain_list_function(GstPad *pad) { return (guintptr)GST_PAD_CHAINLISTFUNC(pad); }

// gst_buffer_make_writable is a macro. It takes the reference it is given and hands one back.
static inline GstBuffer *cgst_buffer_make_writable(GstBuffer *buffer) { return gst_buffer_make_writable(buffer); }

// gst_buffer_list_make_writable is a macro, too, with the same ownership.
static inline GstBufferList *cgst_buffer_list_make_writable(GstBufferList *list) {
    return gst_buffer_list_make_writable(list);
}

// gst_buffer_get_video_crop_meta is a macro.
static inline GstVideoCropMeta *cgst_buffer_get_video_crop_meta(GstBuffer *buffer) {
    return gst_buffer_get_video_crop_meta(buffer);
}

// gst_buffer_add_video_crop_meta is a macro, too. This function also sets the rectangle.
static inline void cgst_buffer_add_video_crop_meta(GstBuffer *buffer, const GstVideoCropMeta *crop) {
    GstVideoCropMeta *added = gst_buffer_add_video_crop_meta(buffer);
    added->x = crop->x, added->y = crop->y, added->width = crop->width, added->height = crop->height;
}

// gst_video_frame_map checks these by g_return_val_if_fail: a critical, which may end the program, not an error.
static inline gboolean cgst_buffer_fits(GstBuffer *buffer, const GstVideoInfo *info) {
    const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
    if (meta == NULL) return TRUE;
    return meta->format == GST_VIDEO_INFO_FORMAT(info) && meta->n_planes == GST_VIDEO_INFO_N_PLANES(info)
        && info->width <= (gint)meta->width && info->height <= (gint)meta->height;
}

// GST_VIDEO_FRAME_PLANE_DATA and the COMP macros are lvalue macros over tuples that Swift cannot index.
static inline guint8 *cgst_frame_plane_data(const GstVideoFrame *frame, guint plane) {
    return (guint8 *)GST_VIDEO_FRAME_PLANE_DATA(frame, plane);
}
// The bytes that are mapped from the start of a plane on; maps are an array that Swift sees as a tuple.
static inline gsize cgst_frame_plane_room(const GstVideoFrame *frame, guint plane) {
    const GstMapInfo *map = &frame->map[frame->meta != NULL ? plane : 0];
    const guint8 *start = (const guint8 *)frame->data[plane], *end = map->data + map->size;
    return start >= map->data && start < end ? (gsize)(end - start) : 0;
}
static inline gint cgst_info_plane_stride(const GstVideoInfo *info, guint plane) {
    return GST_VIDEO_INFO_PLANE_STRIDE(info, plane);
}
static inline gsize cgst_info_plane_offset(const GstVideoInfo *info, guint plane) {
    return GST_VIDEO_INFO_PLANE_OFFSET(info, plane);
}
// Height in rows and width in bytes of a plane: subsampling and pixel stride live in the format's component table.
// No rows: it is a palette, or holds tiles, whose stride counts tiles and no bytes.
static inline gint cgst_info_plane_rows(const GstVideoInfo *info, guint plane) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component(info->finfo, plane, components);
    if (components[0] < 0 || GST_VIDEO_FORMAT_INFO_IS_TILED(info->finfo)) return 0;
    if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE(info->finfo) && plane == GST_VIDEO_COMP_PALETTE) return 0;
    return GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info->finfo, components[0], info->height);
}
// The widest component counts: in YUY2 with an odd width, the last chroma lies behind the last luma. Formats that pack
// several pixels into words (v210) have no pixel stride: there the whole stride counts.
static inline gint cgst_info_plane_row_bytes(const GstVideoInfo *info, guint plane) {
    gint components[GST_VIDEO_MAX_COMPONENTS], widest = 0;
    gst_video_format_info_component(info->finfo, plane, components);
    for (guint i = 0; i < GST_VIDEO_MAX_COMPONENTS && components[i] >= 0; i++) {
        gint bytes = GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(info->finfo, components[i], info->width)
            * GST_VIDEO_FORMAT_INFO_PSTRIDE(info->finfo, components[i]);
        widest = MAX(widest, bytes);
    }
    return widest > 0 ? widest : GST_VIDEO_INFO_PLANE_STRIDE(info, plane);
}
static inline guint cgst_info_planes(const GstVideoInfo *info) { return GST_VIDEO_INFO_N_PLANES(info); }

// GST_MESSAGE_SRC is a macro with casts.
static inline GstObject *cgst_message_source(GstMessage *message) { return GST_MESSAGE_SRC(message); }

// GST_MEMORY_IS_READONLY is a macro.
static inline gboolean cgst_memory_is_read_only(GstMemory *memory) { return GST_MEMORY_IS_READONLY(memory); }

// GST_STATE_LOCK is a macro over the address of a field. The lock is recursive; gst_element_set_state holds it, too.
static inline void cgst_element_lock_state(GstElement *element) { GST_STATE_LOCK(element); }
static inline void cgst_element_unlock_state(GstElement *element) { GST_STATE_UNLOCK(element); }

// G_OBJECT is a casting macro. Only tests need the reference count.
static inline gint cgst_object_reference_count(gpointer object) { return (gint)G_OBJECT(object)->ref_count; }

// GST_PARAM_MUTABLE_PLAYING is a macro over another one.
static const gint cgst_param_mutable_playing = GST_PARAM_MUTABLE_PLAYING;

// GST_CLOCK_TIME_NONE is a macro with a cast.
static const GstClockTime cgst_clock_time_none = GST_CLOCK_TIME_NONE;

#endif
