// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureTestSupport
import Foundation
import SystemBase
import Testing

/// An HTTP server in Python that answers with given statuses, and prints the type of each event. It ends with the last
/// reference.
final class EventServer: Sendable {
    let address: String
    private let process: ChildProcess
    /// The lines that the server prints.
    private let lines: AsyncStream<String>

    private static let program = #"""
        import http.server, json, sys
        statuses = [int(status) for status in sys.argv[1].split(",")]
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def do_POST(self):
                event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
                self.send_header("Retry-After", sys.argv[2])
                self.send_header("Content-Length", "0")
                self.end_headers()
                print(event["type"], flush=True)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """#

    /// Starts a server, and waits until it listens.
    ///
    /// - Parameter statuses: The statuses of its responses, in their order; the last one is repeated.
    init(statuses: [Int], retryAfter: Int = 0, in folder: TemporaryFolder) async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        let reader = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        let list = statuses.map(String.init).joined(separator: ",")
        process = try ChildProcess(
            "/usr/bin/python3", arguments: ["python3", "-c", Self.program, list, "\(retryAfter)"],
            environment: OwnEnvironment.lines, streams: [.null, .descriptor(ends[1]), .descriptor(STDERR_FILENO)])
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        Thread.detachNewThread {
            var rest = ""
            while case let data = reader.availableData, !data.isEmpty {
                rest += String(decoding: data, as: UTF8.self)
                let complete = rest.split(separator: "\n", omittingEmptySubsequences: false)
                for line in complete.dropLast() { continuation.yield(String(line)) }
                rest = String(complete.last ?? "")
            }
            continuation.finish()
        }
        var iterator = lines.makeAsyncIterator()
        let port = try #require(await iterator.next(), "the server has ended")
        address = "http://127.0.0.1:\(port)/events"
    }

    deinit {
        process.signal(SIGKILL)
        _ = process.reap()
    }

    /// Waits for events, and returns their types.
    func types(_ count: Int) async throws -> [String] {
        var types: [String] = []
        for await line in lines {
            types.append(line)
            if types.count == count { return types }
        }
        Issue.record("the server has ended after \(types)")
        return types
    }
}
#endif
