// Part of gst-capture. Apache License 2.0, see LICENSE.

#include "picture.h"

#include <cairo.h>
#include <gst/video/video.h>
#include <librsvg/rsvg.h>
#include <string.h>

static cairo_surface_t *copy_of(const bench_picture *picture)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, picture->width, picture->height);
    unsigned char *rows = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    for (int row = 0; row < picture->height; row++)
        memcpy(rows + row * stride, picture->pixels + row * picture->width, picture->width * sizeof(uint32_t));
    cairo_surface_mark_dirty(surface);
    return surface;
}

// --- cairooverlay

typedef struct {
    size_t count;
    struct {
        cairo_surface_t *surface;
        int x, y;
    } placed[];
} painting;

static painting *new_painting(size_t count)
{
    painting *painting = g_malloc0(sizeof *painting + count * sizeof painting->placed[0]);
    painting->count = count;
    return painting;
}

static void free_painting(gpointer data, GClosure *closure)
{
    painting *painting = data;
    for (size_t index = 0; index < painting->count; index++)
        cairo_surface_destroy(painting->placed[index].surface);
    g_free(painting);
}

static void paint(GstElement *element, cairo_t *context, guint64 time, guint64 duration, gpointer data)
{
    painting *painting = data;
    for (size_t index = 0; index < painting->count; index++) {
        cairo_set_source_surface(
            context, painting->placed[index].surface, painting->placed[index].x, painting->placed[index].y);
        cairo_paint(context);
    }
}

static void paint_with(void *element, painting *painting)
{
    g_signal_connect_data(element, "draw", G_CALLBACK(paint), painting, free_painting, 0);
}

void bench_paint_pictures(void *element, const bench_picture *pictures, size_t count)
{
    painting *painting = new_painting(count);
    for (size_t index = 0; index < count; index++) {
        painting->placed[index].surface = copy_of(&pictures[index]);
        painting->placed[index].x = pictures[index].x;
        painting->placed[index].y = pictures[index].y;
    }
    paint_with(element, painting);
}

bool bench_play_recording(void *element, const char *svg_file, int width, int height)
{
    RsvgHandle *handle = rsvg_handle_new_from_file(svg_file, NULL);
    if (handle == NULL)
        return false;
    cairo_rectangle_t extents = { 0, 0, width, height };
    RsvgRectangle viewport = { 0, 0, width, height };
    cairo_surface_t *recording = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &extents);
    cairo_t *context = cairo_create(recording);
    bool drawn = rsvg_handle_render_document(handle, context, &viewport, NULL);
    cairo_destroy(context);
    g_object_unref(handle);
    painting *painting = new_painting(1);
    painting->placed[0].surface = recording;
    paint_with(element, painting);
    return drawn;
}

// --- overlaycomposition

static GstVideoOverlayRectangle *rectangle_of(const bench_picture *picture)
{
    gsize size = (gsize)picture->width * picture->height * sizeof(uint32_t);
    // The pixels are words, which are BGRA in memory.
    GstBuffer *buffer = gst_buffer_new_memdup(picture->pixels, size);
    gst_buffer_add_video_meta(
        buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, picture->width, picture->height);
    GstVideoOverlayRectangle *rectangle = gst_video_overlay_rectangle_new_raw(
        buffer, picture->x, picture->y, picture->width, picture->height,
        GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
    gst_buffer_unref(buffer);
    return rectangle;
}

static GstVideoOverlayComposition *compose(GstElement *element, GstSample *sample, gpointer data)
{
    return gst_video_overlay_composition_ref(data);
}

static void free_composition(gpointer data, GClosure *closure)
{
    gst_video_overlay_composition_unref(data);
}

void bench_compose(void *element, const bench_picture *pictures, size_t count)
{
    GstVideoOverlayComposition *composition = gst_video_overlay_composition_new(NULL);
    for (size_t index = 0; index < count; index++) {
        GstVideoOverlayRectangle *rectangle = rectangle_of(&pictures[index]);
        gst_video_overlay_composition_add_rectangle(composition, rectangle);
        gst_video_overlay_rectangle_unref(rectangle);
    }
    g_signal_connect_data(element, "draw", G_CALLBACK(compose), composition, free_composition, 0);
}

// --- PNG

bool bench_write_png(const char *path, const bench_picture *pictures, size_t count, int width, int height)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_t *context = cairo_create(surface);
    for (size_t index = 0; index < count; index++) {
        cairo_surface_t *picture = copy_of(&pictures[index]);
        cairo_set_source_surface(context, picture, pictures[index].x, pictures[index].y);
        cairo_paint(context);
        cairo_surface_destroy(picture);
    }
    cairo_destroy(context);
    bool written = cairo_surface_write_to_png(surface, path) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(surface);
    return written;
}
