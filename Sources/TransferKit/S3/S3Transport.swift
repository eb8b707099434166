// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import UploadKit

/// Sends pictures to a bucket of an S3 store.
///
/// The store computes the hash of the body, and compares it with the signed one: a success confirms the picture.
struct S3Transport: FetchingTransport {
    let confirmation = Confirmation.hash
    let canErase = true
    private let address: ServerAddress
    private let bucket: UploadTarget.S3
    private let client: CurlClient

    /// Larger pictures are sent in parts.
    private static let largestWhole = 16 << 20

    init(_ target: UploadTarget, _ bucket: UploadTarget.S3, stallLimit: Int) throws(CaptureError) {
        address = try ServerAddress(target.address, schemes: ["https", "http"])
        let isSafe = address.path.utf8.allSatisfy {
            $0.isWordCharacter || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/")
        }
        guard !address.path.isEmpty, isSafe, !target.address.contains("?") else {
            throw CaptureError(
                .configuration, "is not the address of a bucket", subject: target.address,
                advice: "write https://HOST/BUCKET or https://HOST/BUCKET/PREFIX with letters, digits, -, _ and .")
        }
        self.bucket = bucket
        client = CurlClient(target, "http,https", stallLimit: stallLimit)
    }

    func deliver(
        _ upload: Upload, token: String?, keep: @escaping @Sendable (String) -> Void
    ) async throws(TransferFault) -> Delivery {
        let name = try PictureName(upload.name)
        return try await run { session throws(TransferFault) in
            let file = try PictureFile(upload, session.cancellation)
            if file.byteCount <= Self.largestWhole { return try put(file, upload, name, session) }
            return try MultipartUpload(upload, name, file, session).deliver(token: token, keep: keep)
        }
    }

    func confirm(_ upload: Upload) async throws(TransferFault) -> Confirmation {
        let name = try PictureName(upload.name)
        return try await run { session throws(TransferFault) in try session.compare(upload, name).confirmation() }
    }

    func has(_ name: String) async throws(TransferFault) -> Bool {
        let name = try PictureName(name)
        return try await run { session throws(TransferFault) in try session.has(name) }
    }

    func fetch(_ download: Download) async throws(TransferFault) -> Bool {
        let name = try PictureName(download.name)
        return try await run { session throws(TransferFault) in try session.fetch(download, name) }
    }

    func erase(_ name: String) async throws(TransferFault) {
        let name = try PictureName(name)
        try await run { session throws(TransferFault) in try session.erase(name.text) }
    }

    private func run<Success: Sendable>(
        _ body: @escaping @Sendable (S3Session) throws(TransferFault) -> Success
    ) async throws(TransferFault) -> Success {
        try await client.run { session throws(TransferFault) in try body(try S3Session(session, address, bucket)) }
    }

    private func put(
        _ file: PictureFile, _ upload: Upload, _ name: PictureName, _ session: S3Session
    ) throws(TransferFault) -> Delivery {
        let response = try session.send(
            "PUT", name.text,
            headers: [
                "Content-Type: \(name.mediaType)", "If-None-Match: *",
                "x-amz-checksum-sha256: \(upload.sha256.base64OfHexadecimal)",
            ],
            body: .file(file, 0..<file.byteCount), sha256: upload.sha256)
        if response.status == 412 { return try session.compare(upload, name).delivery() }
        if let fault = S3Fault.fault(response) { throw fault }
        return .confirmed(.hash)
    }
}
#endif
