// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import RecordKit
import Synchronization
import UploadKit

/// A backend of records whose pictures are at a target of the outbox.
///
/// A picture is stored under its hash, below the address of the target: `blobs/ab/abcd….jpg`. The reasons of the target's
/// faults begin with its ID.
package final class SplitBackend: RecordRemote {
    private let records: any RecordRemote
    private let transport: any FetchingTransport
    private let target: String
    private let board: BoardName
    /// The tokens with which interrupted deliveries resume, by the hashes of their pictures.
    private let tokens = Mutex<[String: String]>([:])

    /// - Parameters:
    ///   - records: The backend that has the records.
    ///   - target: The target that has the pictures.
    ///   - board: The name of this board in headers of the target.
    /// - Throws: `CaptureError` if the target's address or a template is invalid, or a program is missing.
    package convenience init(
        _ records: any RecordRemote, _ target: UploadTarget, board: BoardName
    ) throws(CaptureError) {
        self.init(records, try Transports.make(target), target.id, board: board)
    }

    init(_ records: any RecordRemote, _ transport: any FetchingTransport, _ target: String, board: BoardName) {
        (self.records, self.transport, self.target, self.board) = (records, transport, target, board)
    }

    /// Returns the name of a picture at the target.
    static func name(of sha256: String) -> String { "blobs/\(sha256.prefix(2))/\(sha256).jpg" }

    // MARK: Records

    package func changes(
        of kind: String, since etag: Int?, page: RecordChanges.Next?
    ) async throws(RecordRemoteFault) -> RecordChanges {
        try await records.changes(of: kind, since: etag, page: page)
    }

    package func put(
        _ id: RecordID, _ content: RecordContent, of kind: String, over etag: Int?
    ) async throws(RecordRemoteFault) -> Int {
        try await records.put(id, content, of: kind, over: etag)
    }

    package func delete(_ id: RecordID, of kind: String, over etag: Int) async throws(RecordRemoteFault) -> Int {
        try await records.delete(id, of: kind, over: etag)
    }

    // MARK: Pictures

    package func hasBlob(_ sha256: String) async throws(RecordRemoteFault) -> Bool {
        try await attempt { () throws(TransferFault) in try await transport.has(Self.name(of: sha256)) }
    }

    package func putBlob(_ path: String, _ blob: RecordBlob) async throws(RecordRemoteFault) {
        let upload = upload(path, blob)
        try await attempt { () throws(TransferFault) in
            let delivery = try await transport.deliver(
                upload, token: tokens.withLock { $0[blob.sha256] },
                keep: { [self] token in tokens.withLock { $0[blob.sha256] = token } })
            tokens.withLock { $0[blob.sha256] = nil }
            if case .stored = delivery { try await confirm(upload) }
        }
    }

    package func getBlob(_ blob: RecordBlob, to path: String) async throws(RecordRemoteFault) {
        let download = Download(
            name: Self.name(of: blob.sha256), byteCount: blob.byteCount, sha256: blob.sha256, path: path)
        let isThere = try await attempt { () throws(TransferFault) in try await transport.fetch(download) }
        guard isThere else { throw .missing("target \(target): does not have the picture") }
    }

    package var needsErasure: Bool { transport.canErase }

    package func eraseBlob(_ sha256: String) async throws(RecordRemoteFault) {
        try await attempt { () throws(TransferFault) in try await transport.erase(Self.name(of: sha256)) }
    }

    /// Reads a picture back that was stored. One that arrived damaged is erased: its name belongs to its hash.
    private func confirm(_ upload: Upload) async throws(TransferFault) {
        do throws(TransferFault) {
            _ = try await transport.confirm(upload)
        } catch {
            guard case .nameTaken = error else { throw error }
            try await transport.erase(upload.name)
            throw .damaged("the picture arrived with another content")
        }
    }

    private func upload(_ path: String, _ blob: RecordBlob) -> Upload {
        let name = Self.name(of: blob.sha256)
        let values = [
            "board": board.description, "series": "records", "camera": "", "run": "", "stage": "",
            "taken": WallTime.now().iso8601, "file": "\(blob.sha256).jpg", "name": name, "sha256": blob.sha256,
            "bytes": "\(blob.byteCount)", "id": blob.sha256,
        ]
        return Upload(path: path, byteCount: blob.byteCount, sha256: blob.sha256, name: name, values: values)
    }

    private func attempt<Success: Sendable>(
        _ body: () async throws(TransferFault) -> Success
    ) async throws(RecordRemoteFault) -> Success {
        do throws(TransferFault) { return try await body() } catch { throw fault(error) }
    }

    private func fault(_ fault: TransferFault) -> RecordRemoteFault {
        let reason = "target \(target): \(fault.reason)"
        return switch fault {
        // A missing bucket is no missing picture: a person has to act.
        case .missing: .unauthorized(reason)
        // Another file has the name of the hash. Only this picture waits for a person.
        case .nameTaken: .refused(reason)
        default: RecordRemoteFault(fault).withReason(reason)
        }
    }
}
#endif
