// Part of gst-capture. Apache License 2.0, see LICENSE.

#include "line.h"

#include <gst/gst.h>
#include <string.h>

static const guint8 gray = 0x80;
static const GstClockTime frame_time = GST_SECOND / 30;

struct bench_supply {
    GstCaps *caps;
    GstBufferPool *pool;
};

struct bench_line {
    GstPad *pad;
    bench_supply *supply;
    guint64 count;
};

// --- Frames

bench_supply *bench_supply_new(const char *caps, size_t frame_size, unsigned frames)
{
    bench_supply *supply = g_new0(bench_supply, 1);
    supply->caps = gst_caps_from_string(caps);
    supply->pool = gst_buffer_pool_new();
    GstStructure *config = gst_buffer_pool_get_config(supply->pool);
    gst_buffer_pool_config_set_params(config, supply->caps, frame_size, frames, frames);
    if (gst_buffer_pool_set_config(supply->pool, config) && gst_buffer_pool_set_active(supply->pool, TRUE))
        return supply;
    bench_supply_free(supply);
    return NULL;
}

void bench_supply_free(bench_supply *supply)
{
    gst_buffer_pool_set_active(supply->pool, FALSE);
    gst_object_unref(supply->pool);
    gst_caps_unref(supply->caps);
    g_free(supply);
}

// Buffers come back when the sink releases them: the next is the one that was released first.
static GstBuffer *next_frame(bench_line *line)
{
    GstBuffer *buffer = NULL;
    if (gst_buffer_pool_acquire_buffer(line->supply->pool, &buffer, NULL) != GST_FLOW_OK)
        return NULL;
    GST_BUFFER_PTS(buffer) = line->count++ * frame_time;
    GST_BUFFER_DURATION(buffer) = frame_time;
    return buffer;
}

static void fill(GstBuffer *buffer)
{
    gst_buffer_memset(buffer, 0, gray, gst_buffer_get_size(buffer));
}

// --- Lines

static bool start(bench_line *line, GstElement *element, GstCaps *caps)
{
    GstPad *sink = gst_element_get_static_pad(element, "sink");
    // The video pad of textoverlay, which also has a pad for text.
    if (sink == NULL)
        sink = gst_element_get_static_pad(element, "video_sink");
    if (sink == NULL)
        return false;
    bool linked = gst_pad_link_full(line->pad, sink, GST_PAD_LINK_CHECK_NOTHING) == GST_PAD_LINK_OK;
    gst_object_unref(sink);
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    return linked && gst_pad_set_active(line->pad, TRUE)
        && gst_pad_push_event(line->pad, gst_event_new_stream_start("overlay-bench"))
        && gst_pad_push_event(line->pad, gst_event_new_caps(caps))
        && gst_pad_push_event(line->pad, gst_event_new_segment(&segment));
}

bench_line *bench_line_new(void *element, bench_supply *supply)
{
    bench_line *line = g_new0(bench_line, 1);
    line->supply = supply;
    line->pad = gst_object_ref_sink(gst_pad_new("src", GST_PAD_SRC));
    if (start(line, element, supply->caps))
        return line;
    bench_line_free(line);
    return NULL;
}

bool bench_line_push(bench_line *line, unsigned frames)
{
    for (unsigned frame = 0; frame < frames; frame++) {
        GstBuffer *buffer = next_frame(line);
        if (buffer == NULL || gst_pad_push(line->pad, buffer) != GST_FLOW_OK)
            return false;
    }
    return true;
}

typedef struct {
    gpointer memory;
    bench_outcome *outcome;
} inspection;

static GstPadProbeReturn inspect(GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
    inspection *inspection = data;
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    GstMapInfo map;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ))
        return GST_PAD_PROBE_OK;
    for (gsize index = 0; index < map.size; index++)
        inspection->outcome->changed += map.data[index] != gray;
    inspection->outcome->copied = map.data != inspection->memory;
    gst_buffer_unmap(buffer, &map);
    return GST_PAD_PROBE_OK;
}

static gpointer address(GstBuffer *buffer)
{
    GstMapInfo map;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ))
        return NULL;
    gpointer data = map.data;
    gst_buffer_unmap(buffer, &map);
    return data;
}

bool bench_line_inspect(bench_line *line, void *end, bench_outcome *outcome)
{
    *outcome = (bench_outcome) { 0, true };
    GstBuffer *buffer = next_frame(line);
    if (buffer == NULL)
        return false;
    fill(buffer);
    inspection inspection = { address(buffer), outcome };
    GstPad *pad = gst_element_get_static_pad(end, "sink");
    gulong probe = gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, inspect, &inspection, NULL);
    bool taken = gst_pad_push(line->pad, buffer) == GST_FLOW_OK;
    gst_pad_remove_probe(pad, probe);
    gst_object_unref(pad);
    return taken;
}

void bench_line_free(bench_line *line)
{
    GstPad *peer = gst_pad_get_peer(line->pad);
    if (peer != NULL) {
        gst_pad_unlink(line->pad, peer);
        gst_object_unref(peer);
    }
    gst_pad_set_active(line->pad, FALSE);
    gst_object_unref(line->pad);
    g_free(line);
}
