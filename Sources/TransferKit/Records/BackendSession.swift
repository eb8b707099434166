// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import CaptureBase
import RecordKit
import UploadKit

/// Requests to a backend with its credentials, on one thread that may block.
struct BackendSession {
    private let session: HTTPSession
    private let headers: [String]

    /// How long a request for records may take, and one for a file, in seconds.
    static let recordLimit = 600, fileLimit = 3600
    /// The longest answer about one record, in bytes.
    static let mostRecord = 1 << 20

    /// Reads the credentials.
    init(_ session: CurlSession, _ credentials: RecordBackend.Credentials) throws(TransferFault) {
        switch credentials {
        case .login(let login): (self.session, headers) = (try HTTPSession(session, login), [])
        case .token(let source):
            let token = try source.value()
            guard !token.contains(where: \.isControl) else { throw .access("the token contains a control character") }
            (self.session, headers) = (HTTPSession(session, []), ["Authorization: Bearer \(token)"])
        }
    }

    /// Runs a request, and returns its response with any status.
    func send(_ request: CurlRequest, limit: Int = recordLimit) throws(RecordRemoteFault) -> CurlResponse {
        guard let response = try response(request, limit: limit) else {
            throw .damaged("the answer of the backend is too long")
        }
        return response
    }

    /// Runs a request, and returns its response with any status; `nil` if it is longer than the request allows.
    func response(_ request: CurlRequest, limit: Int = recordLimit) throws(RecordRemoteFault) -> CurlResponse? {
        var request = request
        request.headers += headers
        request.options.append(.number(CURLOPT_TIMEOUT, limit))
        do throws(CurlFailure) {
            return try session.perform(request)
        } catch {
            if case .tooLong = error.cause { return nil }
            throw RecordRemoteFault(error.fault)
        }
    }

    /// Changes a record, and returns its new version.
    ///
    /// - Parameter etag: The ETag of the version before, which that of the new one exceeds.
    func version(_ request: CurlRequest, _ id: RecordID, after etag: Int?) throws(RecordRemoteFault) -> RemoteRecord {
        var request = request
        request.answer = .text(most: Self.mostRecord)
        let response = try send(request)
        let root = JSONPieces(response.body[...])
        if response.status == 412 {
            let existing = root?["details"].flatMap(JSONPieces.init)?["existing"]
            let record = existing.flatMap { try? RemoteRecord($0) }
            throw .changed(record?.id == id ? record : nil)
        }
        if let fault = RecordRemoteFault(response, .record) { throw fault }
        guard let data = root?["data"] else { throw .damaged("the answer of the backend has no record") }
        let record: RemoteRecord
        do throws(RecordChanges.Damaged) {
            record = try RemoteRecord(data)
        } catch {
            throw .damaged(error.reason)
        }
        guard record.id == id, record.etag > etag ?? 0 else {
            throw .damaged("the answer of the backend is about another version")
        }
        return record
    }

    /// Opens a file for sending. A file that is gone, or has another content, is refused.
    func open(_ upload: Upload) throws(RecordRemoteFault) -> PictureFile {
        do throws(TransferFault) {
            return try PictureFile(upload, session.session.cancellation)
        } catch {
            throw RecordRemoteFault(error)
        }
    }

    /// Fetches a file, checks its hash, and gives it its name.
    func fetch(_ address: String, _ file: FetchedFile) throws(CaptureError) -> Result<Void, RecordRemoteFault> {
        var request = CurlRequest("GET", address)
        request.answer = .file(file)
        do throws(RecordRemoteFault) {
            let response = try send(request, limit: Self.fileLimit)
            if let fault = RecordRemoteFault(response, .file) { return .failure(fault) }
        } catch {
            return .failure(error)
        }
        return try file.finish() ? .success(()) : .failure(.damaged("the file of the backend has another content"))
    }
}
#endif
