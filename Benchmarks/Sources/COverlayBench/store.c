// Part of gst-capture. Apache License 2.0, see LICENSE.

#include "store.h"

typedef uint8_t block __attribute__((vector_size(16), aligned(1)));

void bench_store(uint8_t *memory, const uint32_t *offsets, size_t count)
{
    const block value = { 0 };
    for (size_t index = 0; index < count; index++)
        *(block *)(memory + offsets[index]) = value;
}
