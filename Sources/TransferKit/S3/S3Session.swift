// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import SystemBase
import UploadKit

/// Signed requests to an S3 store.
///
/// libcurl signs them. Its version 7.88 has rules: the hash of the body is a header of ours; no header is removed with
/// `Name:`; addresses contain only safe characters; each part of a query has a `=`, and they are sorted; there is no
/// `X-Amz-Date` of ours; and no header's name begins with that of another.
struct S3Session {
    private let http: HTTPSession
    private let address: ServerAddress

    init(
        _ session: CurlSession, _ address: ServerAddress, _ bucket: UploadTarget.S3
    ) throws(TransferFault) {
        self.address = address
        http = HTTPSession(
            session,
            [
                .text(CURLOPT_AWS_SIGV4, "aws:amz:\(bucket.region):s3"), .text(CURLOPT_USERNAME, bucket.keyID),
                .text(CURLOPT_PASSWORD, try bucket.secret.value()),
            ])
    }

    /// Ends the work soon after its task was canceled.
    var cancellation: Cancellation { http.session.cancellation }

    /// The header of a request without a body.
    private static let emptyBody = "x-amz-content-sha256: " + SHA256.digits(of: [])

    /// Sends a request with a body whose hash is known.
    ///
    /// - Parameters:
    ///   - query: With its question mark.
    ///   - sha256: The hash of the body.
    func send(
        _ method: String, _ name: String, query: String = "", headers: [String] = [], body: CurlRequest.Body,
        sha256: String
    ) throws(TransferFault) -> CurlResponse {
        var request = CurlRequest(
            method, address.url(name) + query, headers: ["x-amz-content-sha256: \(sha256)"] + headers, body: body)
        // A store can take minutes to join the parts of an object.
        if method == "POST" { request.stallLimit = 600 }
        return try http.send(request)
    }

    /// Sends a request without a body.
    func send(_ method: String, _ name: String, query: String = "") throws(TransferFault) -> CurlResponse {
        try http.send(CurlRequest(method, address.url(name) + query, headers: [Self.emptyBody]))
    }

    /// Compares the object under the name of a picture with it. Only objects of the same size are read.
    func compare(_ upload: Upload, _ name: PictureName) throws(TransferFault) -> ReadBack {
        let head = try send("HEAD", name.text)
        if head.status == 404 { return .missing }
        if head.status == 400 { throw .access("the store refuses the request: are the region and the key right?") }
        if let fault = S3Fault.fault(head) { throw fault }
        guard head.header("content-length") == "\(upload.byteCount)" else { return .other }
        return try http.readBack(upload, address.url(name.text), headers: [Self.emptyBody])
    }

    /// Returns `true` if the store has an object. A store refuses `HEAD` without a reason, and of an object that is missing
    /// it does so if the user may not list the bucket: the next request shows the reason.
    func has(_ name: PictureName) throws(TransferFault) -> Bool {
        let head = try send("HEAD", name.text)
        if [400, 403, 404].contains(head.status) { return false }
        if let fault = S3Fault.fault(head) { throw fault }
        return true
    }

    /// Fetches an object.
    ///
    /// - Returns: `false` if the store does not have it.
    func fetch(_ download: Download, _ name: PictureName) throws(TransferFault) -> Bool {
        try http.fetch(download, address.url(name.text), headers: [Self.emptyBody]) { response in
            let isMissing = response.status == 404 && S3Fault.code(response) != "NoSuchBucket"
            return isMissing ? nil : S3Fault.fault(response)
        }
    }

    /// Erases an object.
    func erase(_ name: String) throws(TransferFault) {
        let response = try send("DELETE", name)
        if let fault = S3Fault.fault(response), S3Fault.code(response) != "NoSuchKey" { throw fault }
    }
}

/// The faults of S3 stores.
enum S3Fault {
    /// Returns the code in the body of a response; `nil` if it has none.
    static func code(_ response: CurlResponse) -> String? { XMLText(response.body).text("Code") }

    /// Returns the fault of a response; `nil` if it succeeded.
    static func fault(_ response: CurlResponse) -> TransferFault? {
        // The answer to CompleteMultipartUpload can have an error although its status is 200.
        guard let code = code(response) else { return faultWithoutCode(response) }
        return fault(code, response.pause) ?? TransferFault(response)
            ?? .unreachable("the store reports \(code)", pause: response.pause)
    }

    /// Returns the fault of a response without a body, such as that to `HEAD`.
    private static func faultWithoutCode(_ response: CurlResponse) -> TransferFault? {
        let isSkewed = response.status == 403 && response.clockDifference.map { $0 > mostSkew } == true
        return isSkewed ? fault("RequestTimeTooSkewed", nil) : TransferFault(response)
    }

    /// The difference of clocks beyond which stores refuse requests, in seconds.
    private static let mostSkew = 15 * 60

    private static func fault(_ code: String, _ pause: Duration?) -> TransferFault? {
        switch code {
        case "RequestTimeTooSkewed": .clock("the clock of this machine differs from that of the store")
        case "SignatureDoesNotMatch": .access("the store refuses the secret key")
        case "InvalidAccessKeyId": .access("the store does not know the access key")
        case "AccessDenied": .access("the store denies access")
        case "ExpiredToken", "InvalidToken": .access("the credentials have expired")
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException":
            .access("the bucket is in another region")
        case "NoSuchBucket": .missing("the bucket does not exist")
        case "BadDigest", "XAmzContentSHA256Mismatch", "InvalidDigest":
            .damaged("the picture arrived with another content")
        case "NoSuchUpload", "InvalidPart": .damaged("the store has lost parts of the picture")
        case "NoSpaceLeft", "QuotaExceeded", "XMinioStorageFull": .full("the store has no room")
        case "RequestTimeout", "SlowDown", "OperationAborted", "ConditionalRequestConflict", "InternalError":
            .unreachable("the store has no time now (\(code))", pause: pause)
        case "EntityTooLarge": .refused("the store refuses a file of this size")
        default: nil
        }
    }
}
#endif
