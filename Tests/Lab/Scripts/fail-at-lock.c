// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Preloaded into a program, makes the driver vivid fail the stream when the program sets its first camera controls
// (VIDIOC_S_EXT_CTRLS), and delays that call until the program has stopped the stream (VIDIOC_STREAMOFF).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/videodev2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopped = PTHREAD_COND_INITIALIZER;
static bool has_failed, has_stopped;

static int (*next_ioctl(void))(int, unsigned long, ...) {
    return (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
}

static void fail_stream(int descriptor) {
    struct v4l2_queryctrl query = {.id = V4L2_CTRL_FLAG_NEXT_CTRL};
    while (next_ioctl()(descriptor, VIDIOC_QUERYCTRL, &query) == 0) {
        if (strcmp((const char *)query.name, "Inject Fatal Streaming Error") == 0) {
            struct v4l2_control control = {.id = query.id, .value = 1};
            next_ioctl()(descriptor, VIDIOC_S_CTRL, &control);
            return;
        }
        query.id |= V4L2_CTRL_FLAG_NEXT_CTRL;
    }
}

static void fail_at_first_control(int descriptor) {
    pthread_mutex_lock(&mutex);
    if (!has_failed) {
        has_failed = true;
        fail_stream(descriptor);
        while (!has_stopped) pthread_cond_wait(&stopped, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

static void note_stop(void) {
    pthread_mutex_lock(&mutex);
    has_stopped = has_failed;
    pthread_cond_broadcast(&stopped);
    pthread_mutex_unlock(&mutex);
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (request == VIDIOC_S_EXT_CTRLS) fail_at_first_control(descriptor);
    int result = next_ioctl()(descriptor, request, argument);
    if (request == VIDIOC_STREAMOFF) note_stop();
    return result;
}
