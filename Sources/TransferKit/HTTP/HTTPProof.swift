// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// Finds in a response the hash that a server has computed.
struct HTTPProof {
    private let response: CurlResponse

    init(_ response: CurlResponse) { self.response = response }

    /// Returns `true` if the response names this hash: in `Repr-Digest` or `Content-Digest` (RFC 9530), as the `ETag`,
    /// or as `sha256` or `checksum` in a JSON object. Another hash there says nothing: it can be that of the response.
    func shows(_ sha256: String) -> Bool {
        let base64 = sha256.base64OfHexadecimal
        let digests = ["repr-digest", "content-digest"].compactMap(response.header).flatMap { $0.split(separator: ",") }
        return digests.contains { FixedText.trimmed(String($0)) == "sha-256=:\(base64):" }
            || response.header("etag") == "\"\(sha256)\""
            || membersOfBody.contains { $0 == base64 || $0 == sha256 }
    }

    private var membersOfBody: [String] {
        guard let text = String(validating: response.body, as: UTF8.self),
            let root = try? JSONNode(text, path: "answer", levels: 8, mostValues: 1000)
        else { return [] }
        return ["sha256", "checksum"].compactMap { try? root.optionalText($0) }
    }
}
#endif
