// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing

/// Requests to `Examples/backend/backend.py` that no good client sends.
@Suite("Hostile requests to the example of a backend", .timeLimit(.minutes(2))) struct HostileRequestTests {
    @Test func `Each request is refused with 4xx, and the next one is answered`() async throws {
        let server = try await BackendServer.start(.example)
        let python = try TestProcess.path("python3", advice: "apt install python3")
        #expect(try await TestProcess.run(python, ["-c", Self.script, "\(server.port)"]) == "")
    }

    @Test func `A file of secrets that others can read, or with a short one, is refused`() async throws {
        let folder = try TestFolder()
        let python = try TestProcess.path("python3", advice: "apt install python3")
        for (text, mode) in [
            ("token-of-board-1\n", mode_t(0o644)), ("short\n", 0o600), ("", 0o600), ("me:short", 0o600),
        ] {
            let file = try folder.write("secrets", text, mode: mode)
            let lines = try await TestProcess.run(
                python, [BackendServer.examples + "backend.py", folder.path, "--secrets", file, "--port", "0"])
            #expect(lines.hasPrefix("backend: \(file): "), "\(lines)")
        }
    }

    /// Sends each request on a separate connection, and prints those whose status is not the expected one.
    private static let script = #"""
        import hashlib, socket, sys
        PORT, AUTH = int(sys.argv[1]), "Authorization: Bearer token-of-board-1\r\n"
        LIST = "/v1/buckets/site1/collections/card/records"
        ONE = LIST + "/00000000-0000-4000-8000-000000000000"
        SHA = "/v1/blobs/" + hashlib.sha256(b"x").hexdigest()

        def send(request):
            with socket.create_connection(("127.0.0.1", PORT), timeout=30) as connection:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                answer = b""
                while part := connection.recv(65536): answer += part
            return int(answer.split()[1]) if answer.startswith(b"HTTP/") else answer[:40]

        def request(line, head="", body=b"", length=None, condition="If-None-Match: *\r\n"):
            if body and length is None: length = len(body)
            size = "" if length is None else f"Content-Length: {length}\r\n"
            return (f"{line} HTTP/1.1\r\nHost: x\r\n{AUTH}{condition}{size}{head}\r\n").encode() + body

        def put(body, **more): return request("PUT " + ONE, body=body, **more)
        def deep(count): return b'{"data":{"a":' + b"[" * count + b"]" * count + b"}}"

        CASES = [
            (request("GET //[?"), 404), (request("GET /"), 404), (request("GET " + LIST + "/"), 404),
            (request("GET " + LIST.replace("card", "..")), 404), (request("GET " + LIST.replace("card", "a%2fb")), 404),
            (request("GET " + LIST.replace("card", "a" * 65)), 404), (request("GET /" + "a" * 70000), 414),
            (request("POST " + LIST, body=b"{}"), 405), (request("PATCH " + ONE, body=b"{}"), 405),
            (request("DELETE " + LIST), 405), (request("GET " + ONE), 405), (request("HEAD " + LIST), 405),
            (request("DELETE " + SHA), 405), (request("GET " + LIST + "?_since"), 400),
            (request("GET " + LIST + "?_since=1&_since=2", condition=""), 400),
            (request("GET " + LIST + "?a=1", condition=""), 400), (request("GET " + LIST + "?_sort=id", condition=""), 400),
            (request("GET " + LIST + "?_limit=0", condition=""), 400),
            (request("GET " + LIST + "?_since=" + "9" * 17, condition=""), 400),
            (request("GET " + LIST + "?_since=%D9%A1", condition=""), 400),
            (request("GET " + LIST, condition="If-None-Match: x\r\n"), 400),
            (request("PUT " + ONE + "?a=1", body=b"{}"), 400), (request("PUT " + LIST + "/x", body=b"{}"), 404),
            (put(b"{}", condition=""), 428), (request("DELETE " + ONE, condition=""), 428),
            (put(b"{}", condition="If-Match: *\r\n"), 400), (put(b'{"data":{}}', condition='If-Match: "0"\r\n'), 400),
            (put(b""), 411), (put(b"", length=0), 400), (put(b"{}", length=-1), 400), (put(b"{}", length="0x2"), 400),
            (put(b"{}", head="Content-Length: 2\r\n"), 411), (put(b"{}", head="Transfer-Encoding: chunked\r\n"), 411),
            (request("PUT " + ONE, head="Transfer-Encoding: chunked\r\n"), 411),
            (put(b"x" * (256 * 1024 + 1)), 413), (put(b"x", length=1 << 40), 413), (put(b"x", length="9" * 20), 400),
            (put(deep(31)), 201), (put(deep(33)), 400), (put(deep(5000)), 400), (put(deep(100000)), 400),
            (put(b'{"data":{"a":NaN}}'), 400), (put(b'{"data":{"a":1e999}}'), 400),
            (put(b'{"data":{"a":' + b"9" * 5000 + b"}}"), 400), (put(b'{"data":{"a":"\\ud800"}}'), 400),
            (put(b'{"data":{"\\ud800":"a"}}'), 400), (put(b"\xff\xfe{"), 400), (put(b"[" * 100), 400),
            (request("PUT " + SHA, body=b"y"), 400), (request("PUT " + SHA, length=(32 << 20) + 1), 413),
            (request("PUT " + SHA, head="Expect: 100-continue\r\n", length=1 << 40), 413),
            (b"GET " + LIST.encode() + b" HTTP/1.1\r\nHost: x\r\n\r\n", 401),
            (b"GET " + LIST.encode() + b" HTTP/1.1\r\nAuthorization: Basic token-of-board-1\r\n\r\n", 401),
            (b"GET " + LIST.encode() + b" HTTP/1.1\r\nAuthorization: Bearer board1:s3cret-word\r\n\r\n", 401),
            (b"GET " + LIST.encode() + b" HTTP/1.1\r\nAuthorization: Basic \xff\xff\r\n\r\n", 401),
            (b"GET " + LIST.encode() + b" HTTP/1.1\r\nAuthorization:\r\n\r\n", 401),
            (request("GET " + LIST, head="".join(f"x{n}: y\r\n" for n in range(200))), 431),
            (request("GET " + LIST, head="x: " + "y" * 70000 + "\r\n"), 431),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n", None), (b"\r\n" * 10, None),
        ]
        for data, expected in CASES:
            found = send(data)
            good = found == expected or expected is None and (isinstance(found, bytes) or 400 <= found < 500)
            if not good: print(data[:100], "expected", expected, "found", found)
            alive = send(request("GET " + LIST, condition=""))
            if alive != 200: print("after", data[:100], "the server answers", alive)
        # A body that ends early, twice at once with a good request behind it on the same connection.
        two = put(b'{"data":{}}', condition="") + request("GET " + LIST, condition="")
        if send(two) != 428: print("pipelined", send(two))
        if send(put(b"{}", length=100)) != b"": print("a short body has an answer")
        """#
}
#endif
