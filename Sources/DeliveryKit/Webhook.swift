// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import AnalyticsKit
import CaptureBase
import TransferKit
import UploadKit

/// A receiver of events over HTTP, after the Standard Webhooks specification.
package struct Webhook: Sendable {
    private let post: HTTPPost
    private let secret: WebhookSecret

    /// Reads the secret from the first line of a file. Blocks.
    ///
    /// - Throws: `CaptureError` if it cannot be read, other users can read it, or it is too short.
    package init(_ address: String, secretFile path: String) throws(CaptureError) {
        post = HTTPPost(address)
        secret = try WebhookSecret(try SecretFile.line(path), file: path)
    }

    /// Sends an event, signed with the time of day. It ends soon after its task is canceled.
    ///
    /// - Throws: The fault of the server or the connection.
    package func send(_ entry: AnalyticsQueue.Entry) async throws(TransferFault) {
        let seconds = Int(WallTime.now().seconds)
        let headers = [
            "Content-Type: application/json", "webhook-id: \(entry.id)", "webhook-timestamp: \(seconds)",
            "webhook-signature: " + secret.signature(of: entry.text, id: entry.id, seconds: seconds),
        ]
        try await post.send(Array(entry.text.utf8), headers: headers)
    }
}
#endif
