// Part of gst-capture. Apache License 2.0, see LICENSE.

#include <nettle/sha2.h>
#include <nettle/version.h>

// Writes the hash, and begins a new one. Nettle 4 has no length of the digest.
static inline void cnettle_sha256_digest(struct sha256_ctx *context, uint8_t digest[SHA256_DIGEST_SIZE]) {
#if NETTLE_VERSION_MAJOR < 4
    sha256_digest(context, SHA256_DIGEST_SIZE, digest);
#else
    sha256_digest(context, digest);
#endif
}
