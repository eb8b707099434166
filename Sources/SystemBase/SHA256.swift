// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGLib

/// The SHA-256 hash of bytes that are added in one or more parts (GLib's `GChecksum`).
package struct SHA256: ~Copyable {
    private let checksum: OpaquePointer?

    /// Creates a hash of no bytes.
    package init() { checksum = g_checksum_new(G_CHECKSUM_SHA256) }

    deinit { g_checksum_free(checksum) }

    /// Adds bytes to the hash.
    package func add(_ bytes: UnsafeRawBufferPointer) {
        g_checksum_update(checksum, bytes.bindMemory(to: UInt8.self).baseAddress, gssize(bytes.count))
    }

    /// Returns the hash as 64 hexadecimal digits in lower case.
    package consuming func digits() -> String { g_checksum_get_string(checksum).map { String(cString: $0) } ?? "" }

    /// Returns the hash of `bytes` as 64 hexadecimal digits in lower case.
    package static func digits(of bytes: [UInt8]) -> String {
        let sum = SHA256()
        bytes.withUnsafeBytes { sum.add($0) }
        return sum.digits()
    }
}
