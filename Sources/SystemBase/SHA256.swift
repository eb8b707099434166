// Part of gst-capture. Apache License 2.0, see LICENSE.

import CNettle

/// The SHA-256 hash (FIPS 180-4) of bytes that are added in one or more parts.
///
/// Nettle computes it with the processor's instructions for SHA-256 if there are any.
package struct SHA256: ~Copyable {
    private var context = sha256_ctx()

    /// Creates a hash of no bytes.
    package init() { nettle_sha256_init(&context) }

    /// Adds bytes to the hash.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        nettle_sha256_update(&context, bytes.count, start)
    }

    /// Returns the hash as 64 hexadecimal digits in lower case.
    package consuming func digits() -> String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        cnettle_sha256_digest(&context, &digest)
        return String(unsafeUninitializedCapacity: 2 * digest.count) { text in
            for (index, byte) in digest.enumerated() {
                text[2 * index] = Self.digit(byte >> 4)
                text[2 * index + 1] = Self.digit(byte & 15)
            }
            return 2 * digest.count
        }
    }

    /// Returns the hash of `bytes` as 64 hexadecimal digits in lower case.
    package static func digits(of bytes: [UInt8]) -> String {
        var sum = SHA256()
        bytes.withUnsafeBytes { sum.add($0) }
        return sum.digits()
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
