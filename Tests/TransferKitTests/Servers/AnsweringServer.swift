// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import RecordKit
import Testing

@testable import TransferKit

/// A server that sends prepared bytes, one answer for each request, and keeps the requests.
struct AnsweringServer {
    let port: Int
    private let folder: TestFolder
    private let process: TestProcess

    /// Starts a server. The last answer is also that of all further requests.
    init(_ answers: [String]) async throws {
        folder = try TestFolder()
        for (index, answer) in answers.enumerated() { try folder.write("answer-\(index + 1)", answer) }
        let python = try TestProcess.path("python3", advice: "apt install python3")
        port = TestProcess.freePort()
        process = try TestProcess(python, ["-u", "-c", Self.script, "\(port)", folder.path])
        try await process.wait(for: "ready")
    }

    /// Returns an answer with a body.
    static func answer(_ status: Int, _ body: String = "", _ headers: [String] = []) -> String {
        (["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)"] + headers).joined(separator: "\r\n")
            + "\r\n\r\n" + body
    }

    /// Returns a list of records, whose ETag is 9.
    static func list(_ records: String, _ headers: [String] = []) -> String {
        answer(200, "{\"data\": [\(records)]}", ["ETag: \"9\""] + headers)
    }

    /// A client of this server, with the token `token-of-board-1`.
    func client(entries: Int = 500) throws -> BackendClient {
        let token = try folder.write("token", "token-of-board-1\n")
        return try BackendClient(
            RecordBackend(
                records: "http://127.0.0.1:\(port)/v1/buckets/site1", credentials: .token(.file(token))),
            stallLimit: 60, entries: entries)
    }

    /// The first lines of the requests, such as `GET /v1/…`.
    var requests: [String] {
        (1...).lazy.map { FileManager.default.contents(atPath: "\(folder.path)/request-\($0)") }
            .prefix { $0 != nil }.compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    private static let script = #"""
        import os, socket, sys
        port, folder = int(sys.argv[1]), sys.argv[2]
        listener = socket.create_server(("127.0.0.1", port))
        print("ready", flush=True)
        number = 0
        while True:
            client, _ = listener.accept()
            with client, client.makefile("rb") as stream:
                head, length = b"", 0
                while (line := stream.readline()) not in (b"", b"\r\n"):
                    head += line
                    if line.lower().startswith(b"content-length:"): length = int(line.split(b":")[1])
                if not head: continue
                body = stream.read(length)
                number += 1
                with open(f"{folder}/request-{number}", "wb") as file: file.write(head + b"\r\n" + body)
                last = max(n for n in range(1, number + 1) if os.path.exists(f"{folder}/answer-{n}"))
                with open(f"{folder}/answer-{last}", "rb") as file: client.sendall(file.read())
        """#
}
#endif
