// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import CaptureBase
import RecordKit
import UploadKit

/// Sends records and their pictures to a backend, and fetches them.
///
/// The requests for records are those of Kinto's API 1.23. Answers are untrusted: their size and their depth are limited,
/// and requests go only to the addresses of the settings.
package struct BackendClient: RecordRemote {
    private let records: ServerAddress
    private let blobs: ServerAddress
    private let backend: RecordBackend
    private let client: CurlClient
    private let entries: Int

    /// - Throws: `CaptureError` if an address is invalid. It does not connect yet.
    package init(_ backend: RecordBackend) throws(CaptureError) { try self.init(backend, stallLimit: 60) }

    /// - Parameters:
    ///   - stallLimit: How long the server may be silent, in seconds.
    ///   - entries: The records of a page.
    init(_ backend: RecordBackend, stallLimit: Int, entries: Int = 500) throws(CaptureError) {
        records = try Self.address(backend.records)
        let parts = records.path.split(separator: "/").map(String.init)
        guard parts.count >= 2, parts[parts.count - 2] == "buckets" else {
            throw CaptureError(
                .configuration, "is not the address of a bucket", subject: backend.records,
                advice: "write https://HOST/v1/buckets/NAME")
        }
        let version = parts.dropLast(2).map { "/" + $0 }.joined()
        blobs = try Self.address(backend.blobs ?? "\(records.server)\(version)/blobs")
        (self.backend, self.entries) = (backend, entries)
        client = CurlClient(
            CurlClient.Settings(
                protocols: "http,https", authorityFile: backend.authorityFile, byteRate: nil, stallLimit: stallLimit))
    }

    private static func address(_ text: String) throws(CaptureError) -> ServerAddress {
        guard !text.contains("?") else { throw CaptureError(.configuration, "contains ?", subject: text) }
        return try ServerAddress(text, schemes: ["https", "http"])
    }

    // MARK: Records

    package func changes(
        of kind: String, since etag: Int?, page: RecordChanges.Next?
    ) async throws(RecordRemoteFault) -> RecordChanges {
        let list = RecordList(address(kind), since: etag, entries: entries)
        return try await run { session throws(RecordRemoteFault) in
            do throws(RecordRemoteFault) {
                return try list.page(page, session)
            } catch {
                // A collection that a backend had once is not created again: that it is gone is for people to decide.
                guard case .missing = error, etag == nil, page == nil else { throw error }
                try create(kind, session)
                return try list.page(page, session)
            }
        }
    }

    package func put(
        _ id: RecordID, _ content: RecordContent, of kind: String, over etag: Int?
    ) async throws(RecordRemoteFault) -> Int {
        try await run { session throws(RecordRemoteFault) in
            let request = request(id, content, of: kind, over: etag)
            do throws(RecordRemoteFault) {
                return try session.version(request, id, after: etag).etag
            } catch {
                guard case .missing = error, etag == nil else { throw error }
                try create(kind, session)
                return try session.version(request, id, after: etag).etag
            }
        }
    }

    package func delete(_ id: RecordID, of kind: String, over etag: Int) async throws(RecordRemoteFault) -> Int {
        try await run { session throws(RecordRemoteFault) in
            let request = CurlRequest("DELETE", "\(address(kind))/\(id)", headers: ["If-Match: \"\(etag)\""])
            let version = try session.version(request, id, after: etag)
            guard version.content == nil else { throw .damaged("the backend has not deleted the record") }
            return version.etag
        }
    }

    /// Returns the request that creates a record, or replaces it.
    private func request(
        _ id: RecordID, _ content: RecordContent, of kind: String, over etag: Int?
    ) -> CurlRequest {
        let members = [JSONValue.Member(name: "id", value: .string(id.description))] + content.members
        let body = JSONValue.object(["data": .object(members)])
        let condition = etag.map { "If-Match: \"\($0)\"" } ?? "If-None-Match: *"
        return CurlRequest(
            "PUT", "\(address(kind))/\(id)", headers: ["Content-Type: application/json", condition],
            body: .bytes(Array(body.text.utf8)))
    }

    /// Returns the address of the records of a collection.
    private func address(_ kind: String) -> String {
        records.url("collections/\(ServerAddress.encoded(kind))/records")
    }

    /// Creates a collection if it does not exist.
    private func create(_ kind: String, _ session: BackendSession) throws(RecordRemoteFault) {
        let response = try session.send(
            CurlRequest(
                "PUT", records.url("collections/\(ServerAddress.encoded(kind))"),
                headers: ["Content-Type: application/json", "If-None-Match: *"], body: .bytes(Array("{}".utf8))))
        if response.status != 412, let fault = RecordRemoteFault(response, .collection) { throw fault }
    }

    // MARK: Pictures

    package func hasBlob(_ sha256: String) async throws(RecordRemoteFault) -> Bool {
        try await run(backend.blobCredentials) { session throws(RecordRemoteFault) in
            let response = try session.send(CurlRequest("HEAD", blobs.url(ServerAddress.encoded(sha256))))
            if response.status == 404 { return false }
            if let fault = RecordRemoteFault(response, .file) { throw fault }
            return true
        }
    }

    package func putBlob(_ path: String, _ blob: RecordBlob) async throws(RecordRemoteFault) {
        let upload = Upload(path: path, byteCount: blob.byteCount, sha256: blob.sha256, name: blob.sha256)
        try await run(backend.blobCredentials) { session throws(RecordRemoteFault) in
            let file = try session.open(upload)
            let digest = "Content-Digest: sha-256=:\(blob.sha256.base64OfHexadecimal):"
            let request = CurlRequest(
                "PUT", blobs.url(blob.sha256), headers: ["If-None-Match: *", "Content-Type: image/jpeg", digest],
                body: .file(file, 0..<file.byteCount))
            let response = try session.send(request, limit: BackendSession.fileLimit)
            // The name is the hash, so the file that is there is the same.
            if response.status != 412, let fault = RecordRemoteFault(response, .file) { throw fault }
        }
    }

    package func getBlob(_ blob: RecordBlob, to path: String) async throws(RecordRemoteFault) {
        try await run(backend.blobCredentials) { session throws(RecordRemoteFault) in
            let result: Result<Void, RecordRemoteFault>
            do throws(CaptureError) {
                let file = try FetchedFile(path, byteCount: blob.byteCount, sha256: blob.sha256)
                result = try session.fetch(blobs.url(blob.sha256), file)
            } catch {
                throw .temporary("the picture cannot be stored: \(error)", pause: nil)
            }
            try result.get()
        }
    }

    /// A backend removes the files that no record of it names.
    package var needsErasure: Bool { false }

    package func eraseBlob(_ sha256: String) async throws(RecordRemoteFault) {
        throw .refused("the backend erases no files on request")
    }

    /// - Parameter credentials: `nil` for those of records.
    private func run<Success: Sendable>(
        _ credentials: RecordBackend.Credentials? = nil,
        _ body: @escaping @Sendable (BackendSession) throws(RecordRemoteFault) -> Success
    ) async throws(RecordRemoteFault) -> Success {
        let credentials = credentials ?? backend.credentials
        let result: Result<Success, RecordRemoteFault>
        do throws(TransferFault) {
            result = try await client.run { session throws(TransferFault) -> Result<Success, RecordRemoteFault> in
                let session = try BackendSession(session, credentials)
                do throws(RecordRemoteFault) { return .success(try body(session)) } catch { return .failure(error) }
            }
        } catch {
            throw RecordRemoteFault(error)
        }
        return try result.get()
    }
}
#endif
