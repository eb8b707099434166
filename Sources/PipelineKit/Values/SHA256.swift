// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

/// The SHA-256 of bytes, which may come in parts (GLib's `GChecksum`).
package struct SHA256: ~Copyable {
    private let checksum: OpaquePointer?

    /// Begins with no bytes.
    package init() { checksum = g_checksum_new(G_CHECKSUM_SHA256) }

    deinit { g_checksum_free(checksum) }

    /// Takes more bytes.
    package func add(_ bytes: UnsafeRawBufferPointer) {
        g_checksum_update(checksum, bytes.bindMemory(to: UInt8.self).baseAddress, gssize(bytes.count))
    }

    /// 64 digits; no bytes can be added any more.
    package consuming func digits() -> String { g_checksum_get_string(checksum).map { String(cString: $0) } ?? "" }

    /// The digits of all bytes in one go.
    package static func digits(of bytes: [UInt8]) -> String {
        let sum = SHA256()
        bytes.withUnsafeBytes { sum.add($0) }
        return sum.digits()
    }
}
