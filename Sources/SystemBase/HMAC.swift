// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGLib

/// Keyed hashes (RFC 2104).
package enum HMAC {
    /// Returns the 32 bytes of HMAC-SHA256 (`g_hmac_new`).
    package static func sha256(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        let hmac = g_hmac_new(G_CHECKSUM_SHA256, key, gsize(key.count))
        defer { g_hmac_unref(hmac) }
        g_hmac_update(hmac, bytes, gssize(bytes.count))
        var (digest, count) = ([UInt8](repeating: 0, count: 32), gsize(32))
        g_hmac_get_digest(hmac, &digest, &count)
        return digest
    }
}

/// Base64 (RFC 4648).
package enum Base64 {
    /// Returns the bytes as text (`g_base64_encode`).
    package static func encoded(_ bytes: [UInt8]) -> String {
        guard let text = g_base64_encode(bytes, gsize(bytes.count)) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Returns the bytes of a text (`g_base64_decode`); `nil` if it is not Base64 with its padding.
    package static func decoded(_ text: String) -> [UInt8]? {
        var count = gsize(0)
        guard !text.isEmpty, let bytes = g_base64_decode(text, &count) else { return nil }
        defer { g_free(bytes) }
        let decoded = Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
        // GLib skips other characters.
        return encoded(decoded) == text ? decoded : nil
    }
}
