// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import ProgramTestSupport
import Testing

@Suite("Access to a service", .ownThread, .serialized, .timeLimit(.minutes(5)))
struct AccessTests {
    private static let cameras = "  garden: { camera: scene, width: 320, height: 240 }\n"
    private static let snap = "/api/v1/cameras/garden/snap"

    /// A folder that is removed at the end of a test.
    private final class Folder: Sendable {
        let url: URL
        init() throws { url = try ServedProgram.makeFolder() }
        deinit { try? FileManager.default.removeItem(at: url) }
    }

    @Test("Each request has the role that the OpenAPI document states, and is refused without it")
    func roles() async throws {
        let folder = try Folder()
        let view = try await ServedProgram.token("reader", "view", in: folder.url)
        let capture = try await ServedProgram.token("camera", "capture", in: folder.url)
        let kiosk = try await ServedProgram.token("booth", "kiosk", in: folder.url)
        let admin = try await ServedProgram.token("boss", "admin", in: folder.url)
        let program = try ServedProgram(Self.cameras, in: folder.url)
        let fields = ["view": view, "kiosk": kiosk, "capture": capture, "admin": admin]
        let paths = try #require(
            try program.get("/api/v1/openapi.json", view).json["paths"] as? [String: [String: [String: Any]]])
        var roles: Set<String> = []
        for (path, operations) in paths where path != "/api/v1/events" {
            // The page needs no token, but the pictures at its address do.
            let concrete = path == "/" ? "/?action=snapshot" : path.replacing(/\{[a-z]+\}/, with: "x")
            for (method, operation) in operations {
                let security = try #require(operation["security"] as? [[String: [String]]], "\(path)")
                guard let role = security.first?["token"]?.first else {
                    // The page has no secrets, and the secret of a link stands for a token.
                    let open = ["/healthz", "/pair/", "/page/", "/kiosk/", "/share/", "/api/v1/shared/"]
                    #expect(open.contains { path.hasPrefix($0) }, "\(path)")
                    continue
                }
                roles.insert(role)
                let anonymous = try program.head(method.uppercased(), concrete)
                #expect(anonymous.status == 401 && anonymous.text.contains("WWW-Authenticate: Bearer"), "\(path)")
                let order = ["view", "kiosk", "capture", "admin"]
                for weaker in order.prefix(while: { $0 != role }) {
                    let status = try program.head(method.uppercased(), concrete, fields[weaker] ?? "").status
                    #expect(status == 403, "\(method) \(path) \(weaker)")
                }
                let status = try program.head(method.uppercased(), concrete, fields[role] ?? "").status
                #expect(![401, 403].contains(status), "\(method) \(path) \(role) \(status)")
            }
        }
        #expect(roles.isSuperset(of: ["view", "capture"]))
        #expect(try program.request("POST", Self.snap, capture).status == 200)
        #expect(try program.request("POST", Self.snap, admin).status == 200)
        #expect(program.log.contains("who=token camera"))
        for field in fields.values { #expect(!program.log.contains(field.dropFirst(22))) }
    }

    @Test("Without a token file, this machine needs no token and other machines do")
    func reach() async throws {
        let local = try ServedProgram(Self.cameras)
        #expect(try local.get("/api/v1/status").status == 200)
        let network = try ServedProgram(Self.cameras, listen: "0.0.0.0:0")
        #expect(try network.get("/api/v1/status").status == 401 && network.get("/healthz").status == 200)
        #expect(network.log.contains("there is no token yet") && network.log.contains("not encrypted"))
        let open = try ServedProgram(Self.cameras, listen: "0.0.0.0:0", arguments: ["--insecure"])
        #expect(try open.request("POST", Self.snap).status == 200)
        #expect(open.log.contains("because of --insecure") && open.log.contains("who=anonymous"))
    }

    @Test("A running service requires the first token, and closes the connections of a token that is removed")
    func reload() async throws {
        let program = try ServedProgram(Self.cameras)
        let token = try await ServedProgram.token("phone", "view", in: program.folder)
        program.hangUp()
        while try program.get("/api/v1/status").status == 200 {}
        #expect(try program.get("/api/v1/status", token).status == 200)
        let events = try EventClient(program, "", token)
        #expect(events.next()?.name == "snapshot")
        let line = [ServedProgram.program.path, "token", "remove", "phone", "--state", program.folder.path + "/state"]
        #expect(try await ServedProgram.run(line, in: program.folder).status == 0)
        while events.next() != nil {}
        #expect(try program.get("/api/v1/status", token).status == 401)
        let again = try await ServedProgram.run(line, in: program.folder)
        #expect(again.status == 66 && again.error.contains("there is no token of this name"))
        try Data("{".utf8).write(to: program.folder.appendingPathComponent("state/tokens.json"))
        while !program.log.contains("tokens not reloaded") {}
        try FileManager.default.removeItem(at: program.folder.appendingPathComponent("state/tokens.json"))
        program.hangUp()
        #expect(try program.get("/api/v1/status").status == 401)
    }

    @Test("A pairing link gives one browser a cookie: its page does not use it up, and a second use is refused")
    func pairing() async throws {
        let program = try ServedProgram(Self.cameras, listen: "0.0.0.0:0")
        let url = "http://127.0.0.1:\(program.port)"
        let made = try await ServedProgram.run(
            [
                ServedProgram.program.path, "pair", "--role", "capture", "--name", "tablet", "--url", url, "--state",
                program.folder.path + "/state",
            ], in: program.folder)
        let link = try #require(made.output.split(separator: "\n").first)
        #expect(made.status == 0 && link.hasPrefix(url + "/pair/") && made.output.contains("▀"))
        let path = String(link.dropFirst(url.count))
        for _ in 0..<2 {
            let page = try program.get(path)
            #expect(page.status == 200 && page.text.contains("<form method=\"post\">"))
            #expect(page.head.contains("frame-ancestors 'none'") && !page.head.contains("Set-Cookie"))
        }
        #expect(try program.request("POST", path, "Origin: http://evil.example").status == 403)
        let paired = try program.request("POST", path, "Origin: \(url)", "Content-Length: 0")
        let field = try #require(paired.head.firstMatch(of: /Set-Cookie: (gst-capture-[0-9]+=gst_[0-9a-f]{64}); (.*)/))
        #expect(paired.status == 200 && field.2.contains("HttpOnly") && field.2.contains("SameSite=Strict"))
        #expect(!field.2.contains("Secure") && paired.text.contains("tablet"))
        let replay = try program.request("POST", path)
        #expect(replay.status == 404 && !replay.head.contains("Set-Cookie"))
        #expect(try program.request("POST", Self.snap, "Cookie: a=b; \(field.1)").status == 200)
        #expect(try program.request("POST", Self.snap, "Cookie: x\(field.1)").status == 401)
        #expect(program.log.contains("who=token tablet") && !program.log.contains(path))
    }

    @Test("Wrong tokens are refused, then limited, and the right one still works")
    func wrongTokens() async throws {
        let folder = try Folder()
        let token = try await ServedProgram.token("phone", "view", in: folder.url)
        let program = try ServedProgram(Self.cameras, in: folder.url)
        let wrong = [
            "Authorization: Bearer x", "Authorization: Bearer ", "Authorization: Digest YTpi", "Authorization: x",
            "Authorization: Bearer \(String(repeating: "a", count: 5000))", "Cookie: gst-capture-\(program.port)=x",
            token.dropLast() + "!", token + "0", "Authorization: Bearer \u{FC}",
            "Authorization: Bearer ../../tokens.json",
        ]
        for field in wrong {
            let response = try program.get("/api/v1/status", field)
            #expect(response.status == 401, "\(field.prefix(60)): \(response.head)")
        }
        #expect(try program.get("/api/v1/status", token, token).status == 400)
        let limited = try program.get("/api/v1/status", wrong[0])
        #expect(limited.status == 429 && limited.head.contains("Retry-After: "))
        #expect(try program.request("POST", "/pair/0", token).status == 429)
        #expect(try program.get("/api/v1/status", token).status == 200)
        #expect(try program.get("/healthz", wrong[0]).status == 200)
    }

    @Test("Configured names are accepted as Host and Origin, with TLS of a proxy, and no others")
    func hosts() throws {
        let program = try ServedProgram(Self.cameras, head: "hosts: [camera.local]\n")
        let port = program.port
        #expect(try program.request("GET", "/healthz", "Host: camera.local").status == 200)
        #expect(try program.request("GET", "/healthz", "Host: CAMERA.local:\(port)").status == 200)
        for origin in ["http://camera.local", "https://camera.local"] {
            #expect(try program.request("POST", Self.snap, "Host: camera.local", "Origin: \(origin)").status == 200)
        }
        for host in ["camera.local.evil.example", "evil.example", "camera.local@evil", "camera.local:x", "192.168.1.5"]
        {
            #expect(try program.request("GET", "/healthz", "Host: \(host)").status == 421, "\(host)")
        }
        #expect(try program.request("POST", Self.snap, "Host: camera.local", "Origin: https://evil").status == 403)
        #expect(try program.request("POST", Self.snap, "Origin: https://127.0.0.1:\(port)").status == 403)
        #expect(try program.request("GET", "http://evil.example/healthz").status == 400)
    }

    @Test("A Unix socket admits its owner and group, names the user, and is not taken from a service that runs")
    func socket() async throws {
        let folder = try Folder()
        let path = folder.url.path + "/s.sock"
        let program = try ServedProgram(Self.cameras, in: folder.url, listen: "unix:\(path)")
        #expect(program.address == "unix:\(path)")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o660)
        let curl = ["curl", "-sS", "-o", "a.jpg", "-w", "%{http_code}", "--unix-socket", path, "-X", "POST"]
        #expect(try await ServedProgram.run(curl + ["http://localhost" + Self.snap], in: folder.url).output == "200")
        #expect(program.log.contains("(uid \(geteuid()))"))
        let second = try await ServedProgram.run(
            [ServedProgram.program.path, "serve.yaml", "--listen", "unix:\(path)", "--state", "state"], in: folder.url)
        #expect(second.status == 75 && second.error.contains("unix:\(path): gst-capture-ser, process "))
        #expect(try await ServedProgram.run(curl + ["http://localhost" + Self.snap], in: folder.url).output == "200")
        await program.kill()
        let third = try ServedProgram(Self.cameras, in: folder.url, listen: "unix:\(path)")
        #expect(await third.stop() == 0)
    }

    @Test("A new certificate is used without a restart, and a mistake in it keeps the earlier one")
    func certificates() async throws {
        let folder = try Folder()
        func make(_ name: String, _ host: String) async throws {
            let line = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)", "-keyout",
                "\(name)-key.pem", "-out", "\(name).pem",
            ]
            try #require(try await ServedProgram.run(line, in: folder.url).status == 0)
        }
        try await make("a", "a.local")
        try await make("b", "b.local")
        func use(_ certificate: String, _ key: String) throws {
            for (from, to) in [(certificate, "c.pem"), (key, "k.pem")] {
                let data = try Data(contentsOf: folder.url.appendingPathComponent(from))
                try data.write(to: folder.url.appendingPathComponent(to), options: .atomic)
            }
        }
        try use("a.pem", "a-key.pem")
        let head = "hosts: [a.local, b.local]\ntls: { certificate: FOLDER/c.pem, key: FOLDER/k.pem }\n"
        let program = try ServedProgram(Self.cameras, in: folder.url, head: head)
        #expect(program.address.hasPrefix("https://"))
        func request(_ host: String) async throws -> String {
            try await ServedProgram.run(
                [
                    "curl", "-sS", "--cacert", "\(host.prefix(1)).pem", "--resolve",
                    "\(host):\(program.port):127.0.0.1", "https://\(host):\(program.port)/healthz",
                ], in: folder.url
            ).output
        }
        #expect(try await request("a.local") == "ok")
        #expect(try await request("b.local") == "")
        #expect(try program.get("/healthz").status == 0)
        try Data("no certificate".utf8).write(to: folder.url.appendingPathComponent("c.pem"))
        while !program.log.contains("certificate not reloaded, the earlier one stays") {}
        #expect(try await request("a.local") == "ok")
        try use("b.pem", "b-key.pem")
        while !program.log.contains("certificate reloaded") {}
        #expect(try await request("b.local") == "ok")
        #expect(await program.stop() == 0)
        try use("a.pem", "b-key.pem")
        let wrong = try await ServedProgram.run(
            [ServedProgram.program.path, "serve.yaml", "--listen", "127.0.0.1:0", "--state", "state"], in: folder.url)
        #expect(wrong.status == 78 && wrong.error.contains("k.pem: is not the key of"))
    }
}
#endif
