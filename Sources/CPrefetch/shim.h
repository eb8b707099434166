// Part of gst-capture. Apache License 2.0, see LICENSE.
//
// The one instruction that Swift has no word for.

#ifndef CPREFETCH_SHIM_H
#define CPREFETCH_SHIM_H

// Brings the cache line of an address near, to be written soon. Never faults, whatever the address.
static inline void cprefetch_for_writing(const void *address) { __builtin_prefetch(address, 1, 3); }

#endif
