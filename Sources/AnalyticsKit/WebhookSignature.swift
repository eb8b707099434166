// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import SystemBase

/// The signature of a webhook, as the Standard Webhooks specification defines it: HMAC-SHA256 of the ID, the time and the
/// body. A receiver that knows the secret can tell that the event is genuine, and was not sent before.
package struct WebhookSecret: Sendable {
    private let key: [UInt8]

    /// The minimum size of a secret, in bytes.
    package static let leastBytes = 24

    /// Reads a secret: `whsec_` and Base64, or any text of at least 24 bytes.
    ///
    /// - Throws: `CaptureError` `.configuration` if it is too short.
    package init(_ text: String, file: String) throws(CaptureError) {
        let prefix = "whsec_"
        let bytes =
            text.hasPrefix(prefix) ? Base64.decoded(String(text.dropFirst(prefix.utf8.count))) : Array(text.utf8)
        guard let bytes, bytes.count >= Self.leastBytes else {
            throw CaptureError(
                .configuration, "has no secret of at least \(Self.leastBytes) bytes in its first line", subject: file,
                advice: "make one with: echo whsec_$(openssl rand -base64 32)")
        }
        key = bytes
    }

    /// Returns the value of the field `webhook-signature`.
    ///
    /// - Parameter seconds: The time of the attempt, since 1970: the field `webhook-timestamp`.
    package func signature(of body: String, id: String, seconds: Int) -> String {
        "v1," + Base64.encoded(HMAC.sha256(of: Array("\(id).\(seconds).\(body)".utf8), key: key))
    }
}
