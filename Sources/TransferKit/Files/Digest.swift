// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import SystemBase

extension String {
    /// The bytes of a hash in hexadecimal digits, in Base64.
    var base64OfHexadecimal: String {
        let digits = Array(utf8)
        return Base64.encoded(
            stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
            })
    }
}
#endif
