// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import Testing

@testable import FrameLink

@Suite("Responses of a service")
struct LocalResponseTests {
    /// A response that a service has sent before it closed the connection.
    private static func response(_ text: String) throws -> LocalResponse {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { send(pair[1], $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(pair[1], Int32(SHUT_WR))
        let connection = LocalConnection(descriptor: pair[0])
        let response = Result { try LocalResponse(to: LocalRequest(target: "/"), on: connection) }
        // A peer that closes with an unread request resets the connection.
        var request = [UInt8](repeating: 0, count: 4096)
        _ = recv(pair[1], &request, request.count, 0)
        close(pair[1])
        return try response.get()
    }

    private static func text(_ response: LocalResponse) throws -> String {
        String(decoding: try response.body(), as: UTF8.self)
    }

    @Test("A body of a stated length")
    func length() throws {
        let response = try Self.response("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nhello and more")
        #expect(response.status == 404)
        #expect(try Self.text(response) == "hello")
    }

    @Test("A body in chunks, whose lines and frames cross their bounds")
    func chunks() throws {
        let response = try Self.response(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n6;x=y\r\n\": 1}\n\r\n4\r\nwxyz\r\n2\r\nb\n\r\n0\r\n\r\n"
        )
        #expect(try response.line() == "{\"a\": 1}")
        var bytes = [UInt8](repeating: 0, count: 4)
        try bytes.withUnsafeMutableBytes { try response.read(into: $0) }
        #expect(bytes == Array("wxyz".utf8))
        #expect(try response.line() == "b")
        #expect(try response.line() == nil)
    }

    @Test("A body until the end of the connection")
    func unbounded() throws {
        #expect(try Self.text(Self.response("HTTP/1.0 200 OK\r\n\r\nall of it")) == "all of it")
    }

    @Test(
        "A head that is not HTTP is an error",
        arguments: [
            "", "\r\n", "HTTP/1.1", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/2 200\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 20_000),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 10_000) + "\r\n", "HTTP/1.1 200 OK\r\n",
        ])
    func hostileHead(text: String) {
        #expect(throws: CaptureError.self) { try Self.response(text) }
    }

    @Test(
        "A body that is cut off or has wrong chunks is an error",
        arguments: [
            "Content-Length: 9\r\n\r\nshort", "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
            "Transfer-Encoding: chunked\r\n\r\n-5\r\nab\r\n", "Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n",
            "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFF\r\nab", "Transfer-Encoding: chunked\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
        ])
    func hostileBody(text: String) throws {
        let response = try Self.response("HTTP/1.1 200 OK\r\n" + text)
        #expect(throws: CaptureError.self) { try response.body() }
    }

    @Test("A socket at which no service listens is an error with the path")
    func nobody() {
        let error = #expect(throws: CaptureError.self) { try LocalConnection("/nonexistent/serve.sock") }
        #expect(error?.code == .noInput)
        #expect(error?.subject == "unix:/nonexistent/serve.sock")
        #expect(throws: CaptureError.self) { try LocalConnection(String(repeating: "x", count: 4096)) }
    }
}
