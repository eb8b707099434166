// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import AccessKit
import AnalyticsKit
import CCurl
import CaptureBase
import SystemBase

/// A receiver of events over HTTP, after the Standard Webhooks specification.
package struct Webhook: Sendable {
    private let address: String
    private let secret: WebhookSecret

    /// How long the connection and the whole exchange may take, in seconds.
    private static let (connectLimit, limit) = (10, 30)
    /// The longest pause that a receiver can ask for.
    private static let longestPause = Duration.seconds(3600)
    private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Reads the secret from the first line of a file. Blocks.
    ///
    /// - Throws: `CaptureError` if it cannot be read, other users can read it, or it is too short.
    package init(_ address: String, secretFile path: String) throws(CaptureError) {
        self.address = address
        secret = try WebhookSecret(try SecretFile.line(path), file: path)
    }

    /// Sends an event (`curl_easy_perform`). If the task is canceled, the attempt ends soon.
    package func send(_ entry: AnalyticsQueue.Entry) async -> DeliveryOutcome {
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await BlockingWork.run { [self] in perform(entry, cancellation) }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func perform(_ entry: AnalyticsQueue.Entry, _ cancellation: Cancellation) -> DeliveryOutcome {
        guard Self.isInitialized, let handle = curl_easy_init() else {
            return .failed("libcurl cannot be used", pause: nil)
        }
        defer { curl_easy_cleanup(handle) }
        let seconds = Int(WallTime.now().seconds)
        var fields: UnsafeMutablePointer<curl_slist>?
        for line in [
            "Content-Type: application/json", "webhook-id: \(entry.id)", "webhook-timestamp: \(seconds)",
            "webhook-signature: " + secret.signature(of: entry.text, id: entry.id, seconds: seconds), "Expect:",
        ] {
            fields = curl_slist_append(fields, line)
        }
        defer { curl_slist_free_all(fields) }
        let received = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        received.initialize(to: 0)
        defer { received.deallocate() }
        _ = ccurl_set_text(handle, CURLOPT_URL, address)
        _ = ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        _ = ccurl_set_text(handle, CURLOPT_USERAGENT, "gst-capture")
        // libcurl copies this text.
        _ = ccurl_set_text(handle, CURLOPT_COPYPOSTFIELDS, entry.text)
        _ = ccurl_set_list(handle, CURLOPT_HTTPHEADER, fields)
        _ = ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        _ = ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT, Self.connectLimit)
        _ = ccurl_set_number(handle, CURLOPT_TIMEOUT, Self.limit)
        received.withMemoryRebound(to: Int.self, capacity: 1) { pointer in
            _ = pointer.withMemoryRebound(to: size_t.self, capacity: 1) { ccurl_discard_body(handle, $0) }
        }
        ccurl_watch(handle, cancellation.flag)
        let code = curl_easy_perform(handle)
        guard code == CURLE_OK else { return .failed(String(cString: curl_easy_strerror(code)), pause: nil) }
        return Self.outcome(status: ccurl_status(handle), pause: ccurl_retry_after(handle))
    }

    /// The meaning of a response: 2xx is success. A receiver that finds a mistake in the event would find it again.
    static func outcome(status: Int, pause: Int) -> DeliveryOutcome {
        switch status {
        case 200...299: .delivered
        case 400, 413, 415, 422: .refused("status \(status)")
        default:
            .failed("status \(status)", pause: pause > 0 ? min(.seconds(pause), longestPause) : nil)
        }
    }
}

/// Ends a transfer from another thread. `@unchecked Sendable`: C reads and writes the flag atomically.
private final class Cancellation: @unchecked Sendable {
    let flag = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    init() { flag.initialize(to: 0) }

    deinit { flag.deallocate() }

    func cancel() { ccurl_cancel(flag) }
}
#endif
