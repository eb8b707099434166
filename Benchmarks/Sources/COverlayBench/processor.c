// Part of gst-capture. Apache License 2.0, see LICENSE.

#define _GNU_SOURCE
#include "processor.h"

#include <sched.h>

static __thread cpu_set_t before;

void bench_pin_thread(void)
{
    sched_getaffinity(0, sizeof before, &before);
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
}

void bench_release_thread(void)
{
    sched_setaffinity(0, sizeof before, &before);
}
