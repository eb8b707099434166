// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// Memory functions that take precedence over those of glibc for all libraries. They count the calls and pass them on.

#include "allocations.h"

#include <errno.h>
#include <glib.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// In the program's own block of thread-local memory, so that it needs no allocation itself.
static __thread uint64_t count __attribute__((tls_model("initial-exec")));

uint64_t bench_allocations(void)
{
    return count;
}

bool bench_counts_allocations(void)
{
    uint64_t start = count;
    g_free(g_malloc(16));
    return count > start;
}

void *malloc(size_t size)
{
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size)
{
    count++;
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    count++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    count++;
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL)
        return ENOMEM;
    *place = memory;
    return 0;
}
