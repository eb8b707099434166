// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Testing

/// An HTTP server in Python that also does wrong, and a proxy that cuts connections.
enum ScriptedServer {
    /// Starts the server. The first folder of an address is its behavior:
    ///
    /// - `plain`, `digest`, `wrong-digest`, `etag`, `json`: stores files with `PUT`, `MOVE` and `POST`, and answers so;
    /// - `status-CODE` answers `PUT` and `POST` with a status, and `Retry-After: 7`;
    /// - `truncate` keeps half of a picture; `flip` changes a byte;
    /// - `stall` never answers, and prints `stalled`; `endless` answers without end, also `GET`;
    /// - `early` refuses with 413 before it has read the body;
    /// - `empty` closes the connection.
    ///
    /// - Parameters:
    ///   - folder: The folder in which it stores files.
    ///   - certificate: The file with the key and the certificate for TLS.
    static func start(_ folder: String, certificate: String = "") async throws -> (process: TestProcess, port: Int) {
        try await start(server, [folder, certificate])
    }

    /// The action of a proxy when the client has sent too many bytes on one connection.
    enum Interruption {
        /// Cuts the connection, this many times.
        case cut(Int)
        /// Passes nothing more, and prints `stalled`.
        case stall
    }

    /// Starts a proxy that passes bytes to a port until the client has sent more than `limit` on one connection.
    static func startProxy(
        to port: Int, limit: Int, _ interruption: Interruption
    ) async throws -> (process: TestProcess, port: Int) {
        let count = if case .cut(let count) = interruption { count } else { 0 }
        return try await start(proxy, ["\(port)", "\(limit)", "\(count)"])
    }

    private static func start(_ script: String, _ arguments: [String]) async throws -> (TestProcess, Int) {
        let python = try TestProcess.path("python3", advice: "apt install python3")
        let port = TestProcess.freePort()
        let process = try TestProcess(python, ["-u", "-c", script, "\(port)"] + arguments)
        try await process.wait(for: "ready")
        return (process, port)
    }

    private static let server = #"""
        import base64, hashlib, http.server, os, ssl, sys, threading, urllib.parse
        port, root, certificate = int(sys.argv[1]), sys.argv[2], sys.argv[3]

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def file(self, address=None):
                path = urllib.parse.unquote(urllib.parse.urlsplit(address or self.path).path)
                self.mode = path.split("/")[1]
                return root + path
            def answer(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
                if "Content_Length" not in headers: self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD": self.wfile.write(body)
            def drop(self):
                self.close_connection = True
            def flood(self):
                self.answer(200, Content_Length=str(1 << 40))
                try:
                    while True: self.wfile.write(bytes(65536))
                except OSError: self.drop()
            def do_PUT(self):
                file = self.file()
                if self.mode == "stall":
                    print("stalled", flush=True)
                    threading.Event().wait()
                if self.mode == "early":
                    self.drop()
                    return self.answer(413)
                size = int(self.headers["Content-Length"])
                body = self.rfile.read(size)
                if len(body) < size: return self.drop()
                if self.mode == "empty": return self.drop()
                if self.mode.startswith("status-"):
                    return self.answer(int(self.mode[7:]), Retry_After="7", Location="http://127.0.0.1:1/")
                if self.mode == "endless": return self.flood()
                form = self.command == "POST"
                if form:
                    file += "/form"
                    os.makedirs(os.path.dirname(file), exist_ok=True)
                if not os.path.isdir(os.path.dirname(file)): return self.answer(409)
                if os.path.exists(file) and self.headers["If-None-Match"] == "*": return self.answer(412)
                if self.mode == "truncate": body = body[:len(body) // 2]
                if self.mode == "flip": body = bytes([body[0] ^ 1]) + body[1:]
                with open(file, "wb") as target: target.write(body)
                with open(root + "/head", "w") as target: target.write(str(self.headers))
                digest = hashlib.sha256(body).digest()
                if self.mode == "wrong-digest": digest = bytes(32)
                name = "sha-256=:" + base64.b64encode(digest).decode() + ":"
                if self.mode.endswith("digest"): return self.answer(201, Content_Digest=name)
                if self.mode == "etag": return self.answer(201, ETag='"' + digest.hex() + '"')
                if self.mode == "json":
                    return self.answer(201, b'{"checksum": "' + base64.b64encode(digest) + b'"}')
                self.answer(201)
            do_POST = do_PUT
            def do_GET(self):
                self.file()
                if self.mode == "endless": return self.flood()
                if not os.path.isfile(self.file()): return self.answer(404)
                with open(self.file(), "rb") as source: self.answer(200, source.read())
            do_HEAD = do_GET
            def do_DELETE(self):
                if not os.path.isfile(self.file()): return self.answer(404)
                os.remove(self.file())
                self.answer(204)
            def do_MKCOL(self):
                try: os.mkdir(self.file())
                except FileExistsError: return self.answer(405)
                except OSError: return self.answer(409)
                self.answer(201)
            def do_MOVE(self):
                source, target = self.file(), self.file(self.headers["Destination"])
                if os.path.exists(target): return self.answer(412)
                os.rename(source, target)
                self.answer(201)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        print("ready", flush=True)
        server.serve_forever()
        """#

    private static let proxy = #"""
        import socket, sys, threading
        port, target, limit, cuts = map(int, sys.argv[1:])
        lock, left = threading.Lock(), [cuts]

        def cut(*sockets):
            for one in sockets:
                try: one.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        def client(source, sink, ended):
            total = 0
            try:
                while data := source.recv(16384):
                    total += len(data)
                    if total > limit and not cuts:
                        print("stalled", flush=True)
                        threading.Event().wait()
                    with lock:
                        ends = total > limit and left[0] > 0
                        left[0] -= ends
                    if ends: break
                    sink.sendall(data)
            except OSError: pass
            cut(source, sink)
            # If unread bytes are left, closing resets the connection.
            ended.wait()
            source.close()
            sink.close()
        def server(source, sink, ended):
            try:
                while data := source.recv(65536): sink.sendall(data)
            except OSError: pass
            cut(source, sink)
            ended.set()
        listener = socket.create_server(("127.0.0.1", port))
        print("ready", flush=True)
        while True:
            ours, _ = listener.accept()
            theirs = socket.create_connection(("127.0.0.1", target))
            ended = threading.Event()
            threading.Thread(target=client, args=(ours, theirs, ended), daemon=True).start()
            threading.Thread(target=server, args=(theirs, ours, ended), daemon=True).start()
        """#
}
#endif
