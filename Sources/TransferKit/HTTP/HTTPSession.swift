// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import UploadKit

/// The file that a target has under the name of a picture.
enum ReadBack {
    /// The same picture.
    case same
    /// Another file.
    case other
    /// No file.
    case missing

    /// - Throws: A fault unless the target has the picture.
    func confirmation() throws(TransferFault) -> Confirmation {
        switch self {
        case .same: return .readBack
        case .other: throw .nameTaken("the file at the server has another content than the picture")
        case .missing: throw .damaged("the picture is gone from the server")
        }
    }

    /// The end of a delivery whose name existed.
    func delivery() throws(TransferFault) -> Delivery {
        if case .missing = self {
            throw .unreachable("the server says that the file exists, but does not have it", pause: nil)
        }
        return .confirmed(try confirmation())
    }
}

/// Requests to a server of HTTP, each with the same credentials.
struct HTTPSession {
    let session: CurlSession
    private let options: [CurlOption]

    init(_ session: CurlSession, _ options: [CurlOption]) { (self.session, self.options) = (session, options) }

    /// Creates a session with a user and a password, which are sent at once (`Authorization: Basic`).
    init(_ session: CurlSession, _ login: UploadTarget.Login) throws(TransferFault) {
        var options: [CurlOption] = []
        if let user = login.user {
            options = [.number(CURLOPT_HTTPAUTH, ccurl_auth_basic), .text(CURLOPT_USERNAME, user)]
            options.append(.text(CURLOPT_PASSWORD, try login.password?.value() ?? ""))
        }
        self.init(session, options)
    }

    /// Runs a request, and returns its response with any status.
    func send(_ request: CurlRequest) throws(TransferFault) -> CurlResponse {
        do throws(CurlFailure) {
            return try perform(request)
        } catch {
            throw error.fault
        }
    }

    /// Runs a request as ``send(_:)``, for a caller that distinguishes the causes of a failure.
    func perform(_ request: CurlRequest) throws(CurlFailure) -> CurlResponse {
        var request = request
        request.options += options
        return try session.perform(request)
    }

    /// Reads a file of the server, and compares it with a picture. A file that is longer is not read to its end.
    func readBack(_ upload: Upload, _ address: String, headers: [String] = []) throws(TransferFault) -> ReadBack {
        var request = CurlRequest("GET", address, headers: headers)
        request.answer = .digest(most: upload.byteCount)
        let response: CurlResponse
        do throws(CurlFailure) {
            response = try perform(request)
        } catch {
            if case .tooLong = error.cause { return .other }
            throw error.fault
        }
        if [404, 410].contains(response.status) { return .missing }
        if let fault = TransferFault(response) { throw fault }
        return response.byteCount == upload.byteCount && response.sha256 == upload.sha256 ? .same : .other
    }

    /// Returns `true` if the server has a file.
    func has(_ address: String, headers: [String] = []) throws(TransferFault) -> Bool {
        let response = try send(CurlRequest("HEAD", address, headers: headers))
        if [404, 410].contains(response.status) { return false }
        if let fault = TransferFault(response) { throw fault }
        return true
    }

    /// Fetches a file.
    ///
    /// - Parameter faultOfProtocol: Returns a fault that only the protocol knows.
    /// - Returns: `false` if the server does not have the file.
    func fetch(
        _ download: Download, _ address: String, headers: [String] = [],
        faultOfProtocol: (CurlResponse) -> TransferFault? = { _ in nil }
    ) throws(TransferFault) -> Bool {
        try FetchedFile.fetch(download) { file throws(TransferFault) in
            var request = CurlRequest("GET", address, headers: headers)
            request.answer = .file(file)
            let response: CurlResponse
            do throws(CurlFailure) { response = try perform(request) } catch { throw error.fetchFault }
            if let fault = faultOfProtocol(response) { throw fault }
            if [404, 410].contains(response.status) { return false }
            if let fault = TransferFault(response) { throw fault }
            return true
        }
    }

    /// Erases a file.
    func erase(_ address: String, headers: [String] = []) throws(TransferFault) {
        let response = try send(CurlRequest("DELETE", address, headers: headers))
        if let fault = TransferFault(response), ![404, 410].contains(response.status) { throw fault }
    }
}
#endif
