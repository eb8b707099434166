// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import UploadKit

/// Sends pictures to a WebDAV server (RFC 4918).
///
/// A picture is stored under a hidden name, and renamed when it is complete (`MOVE` with `Overwrite: F`): some servers
/// ignore `If-None-Match` at `PUT`, and others keep what they have of a request that was cut.
struct WebDAVTransport: FetchingTransport {
    let confirmation = Confirmation.readBack
    let canErase = true
    private let address: ServerAddress
    private let login: UploadTarget.Login
    private let client: CurlClient

    init(_ target: UploadTarget, _ login: UploadTarget.Login, stallLimit: Int) throws(CaptureError) {
        address = try ServerAddress(target.address, schemes: ["https", "http"])
        self.login = login
        client = CurlClient(target, "http,https", stallLimit: stallLimit)
    }

    func deliver(
        _ upload: Upload, token: String?, keep: @escaping @Sendable (String) -> Void
    ) async throws(TransferFault) -> Delivery {
        let name = try PictureName(upload.name)
        return try await run { session throws(TransferFault) in
            let file = try PictureFile(upload, session.session.cancellation)
            let part = address.url(name.part(upload.sha256))
            do throws(TransferFault) {
                try store(file, part, name, session)
                return try rename(part, upload, session)
            } catch {
                // The next attempt overwrites the part, so a failure here is not a fault. A server that does not answer
                // would only take time.
                if !error.isOfConnection { try? session.erase(part) }
                throw error
            }
        }
    }

    func confirm(_ upload: Upload) async throws(TransferFault) -> Confirmation {
        let name = try PictureName(upload.name)
        return try await run { session throws(TransferFault) in
            try session.readBack(upload, address.url(name.text)).confirmation()
        }
    }

    func has(_ name: String) async throws(TransferFault) -> Bool {
        let name = try PictureName(name)
        return try await run { session throws(TransferFault) in try session.has(address.url(name.text)) }
    }

    func fetch(_ download: Download) async throws(TransferFault) -> Bool {
        let name = try PictureName(download.name)
        return try await run { session throws(TransferFault) in try session.fetch(download, address.url(name.text)) }
    }

    func erase(_ name: String) async throws(TransferFault) {
        let name = try PictureName(name)
        try await run { session throws(TransferFault) in try session.erase(address.url(name.text)) }
    }

    private func run<Success: Sendable>(
        _ body: @escaping @Sendable (HTTPSession) throws(TransferFault) -> Success
    ) async throws(TransferFault) -> Success {
        try await client.run { session throws(TransferFault) in try body(try HTTPSession(session, login)) }
    }

    /// Stores a picture under its hidden name, and creates its folders if they are missing.
    private func store(
        _ file: PictureFile, _ part: String, _ name: PictureName, _ session: HTTPSession
    ) throws(TransferFault) {
        let put = CurlRequest(
            "PUT", part, headers: ["Content-Type: \(name.mediaType)"], body: .file(file, 0..<file.byteCount))
        var response = try session.send(put)
        // RFC 4918 demands 409 for a missing folder. Some servers answer 404, and nginx 500.
        if [404, 409, 500].contains(response.status) {
            // A folder that exists is refused (405), and some servers deny access to those above the user's.
            for folder in address.folders(name.folders) { _ = try session.send(CurlRequest("MKCOL", folder)) }
            response = try session.send(put)
        }
        if response.status == 409 { throw .missing("the folder does not exist at the server, and cannot be created") }
        if let fault = TransferFault(response) { throw fault }
        let head = try session.send(CurlRequest("HEAD", part))
        if let size = head.header("content-length"), head.isSuccess, size != "\(file.byteCount)" {
            throw .damaged("the server has kept \(size) of \(file.byteCount) bytes")
        }
    }

    /// Gives the picture its name if no file has it.
    private func rename(_ part: String, _ upload: Upload, _ session: HTTPSession) throws(TransferFault) -> Delivery {
        let target = address.url(upload.name)
        let response = try session.send(
            CurlRequest("MOVE", part, headers: ["Destination: \(target)", "Overwrite: F"]))
        switch response.status {
        case 200...299: return .stored
        // Another sender of the same picture renamed the part.
        case 404: return try session.readBack(upload, target).delivery()
        case 412:
            let delivery = try session.readBack(upload, target).delivery()
            try? session.erase(part)
            return delivery
        default: throw TransferFault(response) ?? .refused("the server cannot rename the file (\(response.status))")
        }
    }
}

extension TransferFault {
    /// `true` if the server cannot be asked for more now.
    var isOfConnection: Bool {
        switch self {
        case .unreachable, .canceled: true
        default: false
        }
    }
}
#endif
