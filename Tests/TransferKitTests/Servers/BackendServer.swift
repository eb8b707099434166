// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import CropKit
import Foundation
import RecordKit
import Synchronization
import SystemBase
import Testing

@testable import TransferKit

/// A backend of records that a test uses.
enum BackendKind: CaseIterable {
    /// `Examples/backend/backend.py`.
    case example
    /// Kinto on PostgreSQL, at the address in `GST_CAPTURE_KINTO`.
    case kinto
}

/// A backend of records with a bucket for one test.
final class BackendServer: Sendable {
    let kind: BackendKind
    let folder: TestFolder
    /// The address of the bucket.
    let records: String
    private let process: Mutex<TestProcess?>

    static let examples = #filePath.split(separator: "/Tests/")[0] + "/Examples/backend/"

    private init(_ kind: BackendKind, _ folder: TestFolder, _ records: String, _ process: TestProcess?) {
        (self.kind, self.folder, self.records) = (kind, folder, records)
        self.process = Mutex(process)
    }

    /// Starts a backend with an empty bucket. Skips the test if the backend is not installed.
    static func start(_ kind: BackendKind) async throws -> BackendServer {
        let folder = try TestFolder()
        switch kind {
        case .example:
            try folder.write("secrets", "token-of-board-1\nboard1:s3cret-word\n")
            let port = TestProcess.freePort()
            let process = try await startExample(folder, port)
            return BackendServer(kind, folder, "http://127.0.0.1:\(port)/v1/buckets/site1", process)
        case .kinto:
            guard let address = ProcessInfo.processInfo.environment["GST_CAPTURE_KINTO"] else {
                try SkippedTest.skip("GST_CAPTURE_KINTO is not set: it is the address of Kinto at 127.0.0.1")
            }
            try folder.write("secrets", "board1:s3cret-word\n")
            let server = BackendServer(kind, folder, "\(address)/buckets/b\(UUID().uuidString.lowercased())", nil)
            try await server.curl("PUT", server.records)
            return server
        }
    }

    private static func startExample(_ folder: TestFolder, _ port: Int) async throws -> TestProcess {
        let python = try TestProcess.path("python3", advice: "apt install python3")
        let process = try TestProcess(
            python,
            [
                "-u", examples + "backend.py", folder.path + "/backend", "--secrets", folder.path + "/secrets",
                "--port", "\(port)",
            ])
        try await process.wait(for: "/v1/buckets/site1")
        return process
    }

    /// The port of the backend.
    var port: Int { URL(string: records)?.port ?? 0 }

    /// Kills the backend with `SIGKILL`.
    func kill() { process.withLock { $0 = nil } }

    /// Starts the backend again.
    func restart() async throws {
        kill()
        let new = try await Self.startExample(folder, port)
        process.withLock { $0 = new }
    }

    /// Makes a collection lose all its records, as if it had been dropped and created again.
    func lose(_ collection: String) async throws {
        switch kind {
        case .example:
            kill()
            for end in ["", "-wal", "-shm"] { unlink("\(folder.path)/backend/records.db\(end)") }
            try await restart()
        case .kinto:
            for method in ["DELETE", "PUT"] { try await curl(method, "\(records)/collections/\(collection)") }
        }
    }

    private func curl(_ method: String, _ address: String) async throws {
        let curl = try TestProcess.path("curl", advice: "apt install curl")
        let arguments = [
            "-s", "-o", "/dev/null", "-w", "%{http_code}\n", "-u", "board1:s3cret-word", "-X", method, address,
        ]
        var status = ""
        // Buckets that several tests create at once are in conflict.
        for _ in 0..<100 {
            status = try await TestProcess.run(curl, arguments)
            guard ["409", "503"].contains(status) else { break }
        }
        #expect(status.hasPrefix("2"))
    }

    /// The settings of a client with a user and a password.
    var backend: RecordBackend {
        get throws {
            RecordBackend(
                records: records,
                credentials: .login(.init(user: "board1", password: .file(try folder.write("word", "s3cret-word\n")))))
        }
    }

    /// Returns a client.
    ///
    /// - Parameter entries: The records of a page.
    func client(entries: Int = 500) throws -> BackendClient {
        try BackendClient(try backend, stallLimit: 60, entries: entries)
    }
}

extension RecordContent {
    /// A content with all that a record can have.
    static func example(_ name: String = "Ann") -> RecordContent {
        let blob = { (digit: String, width: Int) in
            RecordBlob(sha256: String(repeating: digit, count: 64), byteCount: 81_234, width: width, height: 638)
        }
        guard let front = blob("a", 1012), let whole = blob("b", 1920) else { return RecordContent() }
        let origin = RecordPicture.Origin(
            whole, outline: "card", adjustment: CropAdjustment(moveX: 0.125, moveY: -0.5, zoom: 1.5, turn: -2.5))
        return RecordContent(
            values: ["identifier": "4006381333931", "name": name, "notes": "two\nlines: \"quoted\" \\ ✓ 😀 é\u{301}"],
            sides: ["front": RecordPicture(front, origin: origin), "back": RecordPicture(whole)])
    }
}

extension RecordRemote {
    /// Returns all changes since an ETag, from all pages.
    func allChanges(of kind: String, since etag: Int?) async throws(RecordRemoteFault) -> [RecordChanges] {
        var pages = [try await changes(of: kind, since: etag, page: nil)]
        while let next = pages.last?.next { pages.append(try await changes(of: kind, since: etag, page: next)) }
        return pages
    }
}

/// Returns the fault of a request; `nil` for a success.
func fault(_ request: () async throws(RecordRemoteFault) -> Void) async -> RecordRemoteFault? {
    do throws(RecordRemoteFault) {
        try await request()
        return nil
    } catch {
        return error
    }
}
#endif
