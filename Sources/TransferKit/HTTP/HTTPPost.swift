// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import UploadKit

/// Sends messages to one address with `POST`. Its connections stay open between calls, and any task may call it.
package struct HTTPPost: Sendable {
    private let address: String
    private let limit: Int
    private let client: CurlClient

    /// - Parameters:
    ///   - address: The address, `http://…` or `https://…`. A redirection to another one is not followed.
    ///   - limit: How long a request may take, in seconds.
    package init(_ address: String, limit: Int = 30) {
        (self.address, self.limit) = (address, limit)
        client = CurlClient(CurlClient.Settings(protocols: "http,https", stallLimit: limit))
    }

    /// Sends a message, and returns when the server has answered with a status from 200 to 299. It ends soon after its
    /// task is canceled.
    ///
    /// - Parameters:
    ///   - body: The message.
    ///   - headers: The lines of the head, such as `Content-Type: application/json`.
    /// - Throws: The fault of another status, which means the same as for a picture, or of the connection.
    package func send(_ body: [UInt8], headers: [String]) async throws(TransferFault) {
        try await client.run { session throws(TransferFault) in
            // An empty field keeps libcurl from waiting for `100 Continue`.
            var request = CurlRequest("POST", address, headers: headers + ["Expect:"], body: .bytes(body))
            request.options = [.number(CURLOPT_TIMEOUT, limit)]
            let response = try HTTPSession(session, []).send(request)
            guard let fault = TransferFault(response, item: "message", place: "address") else { return }
            // A message has no name that it could change.
            if case .nameTaken = fault { throw .refused("the server refuses the message (\(response.status))") }
            throw fault
        }
    }
}
#endif
