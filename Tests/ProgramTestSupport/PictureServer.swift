// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// A small HTTP server for pictures: `PUT` creates a file, and never overwrites one.
///
/// While the folder has a file `down`, it answers 503; while it has `refuse`, 413.
package final class PictureServer {
    /// The folder that the server fills.
    package let folder: URL
    package let address: String
    private let process: ChildProgram

    package static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
    package static let advice: Comment = "python3 is not installed; scripts/setup test installs it"

    package init(in parent: URL) throws {
        folder = parent.appendingPathComponent("server")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let output = Pipe()
        process = try ChildProgram(["python3", "-c", Self.script, folder.path], output: .pipe(output))
        let port = try #require(Int(try output.line()))
        address = "http://127.0.0.1:\(port)/pictures"
    }

    deinit { process.send(SIGKILL) }

    /// The paths of the pictures below the folder `pictures`.
    package var pictures: [String] { files(".jpg") }

    /// Returns the paths of the files with an ending below the folder `pictures`.
    package func files(_ ending: String) -> [String] {
        let base = folder.appendingPathComponent("pictures").path
        let paths = FileManager.default.enumerator(atPath: base)?.allObjects as? [String] ?? []
        return paths.filter { $0.hasSuffix(ending) }.sorted()
    }

    package func mark(_ name: String, _ isOn: Bool) throws {
        let file = folder.appendingPathComponent(name)
        if isOn { try Data().write(to: file) } else { try FileManager.default.removeItem(at: file) }
    }

    private static let script = #"""
        import base64, hashlib, http.server, os, sys
        root = sys.argv[1]

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def answer(self, status, **headers):
                self.send_response(status)
                for name, value in headers.items(): self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", "0")
                self.end_headers()
            def do_PUT(self):
                size = int(self.headers["Content-Length"])
                body = self.rfile.read(size)
                if len(body) < size: return
                if os.path.exists(root + "/down"): return self.answer(503)
                if os.path.exists(root + "/refuse"): return self.answer(413)
                path = root + self.path
                if os.path.exists(path): return self.answer(412)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path + ".part", "wb") as file: file.write(body)
                os.rename(path + ".part", path)
                digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
                self.answer(201, Content_Digest="sha-256=:" + digest + ":")
            def do_GET(self):
                if not os.path.isfile(root + self.path): return self.answer(404)
                with open(root + self.path, "rb") as file: body = file.read()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "GET": self.wfile.write(body)
            do_HEAD = do_GET
            def do_DELETE(self):
                if os.path.isfile(root + self.path): os.remove(root + self.path)
                self.answer(204)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """#
}
