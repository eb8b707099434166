// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing
import UploadKit

@testable import TransferKit

/// The faults of servers, in words.
@Suite("Faults of targets", .timeLimit(.minutes(2))) struct FaultTests {
    @Test(arguments: [
        (400, TransferFault.refused("the server refuses the file (400)")),
        (401, .access("the server refuses the user or the password (401)")),
        (403, .access("the server denies access (403)")),
        (404, .missing("the folder does not exist at the server (404)")),
        (307, .access("the server redirects to another address (307): correct the address")),
        (405, .access("the server accepts no files here (405): correct the address")),
        (408, .unreachable("the server asks to send it again (408)", pause: .seconds(7))),
        (413, .refused("the server refuses a file of this size (413)")),
        (415, .refused("the server refuses this kind of file (415)")),
        (422, .refused("the server refuses the file (422)")),
        (425, .unreachable("the server asks to send it again (425)", pause: .seconds(7))),
        (429, .unreachable("the server asks for fewer requests (429)", pause: .seconds(7))),
        (500, .unreachable("the server reports an internal fault (500)", pause: .seconds(7))),
        (503, .unreachable("the server reports an internal fault (503)", pause: .seconds(7))),
        (507, .full("the server has no room (507)")),
    ])
    func `A status is a fault in words`(status: Int, fault: TransferFault) async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        let transport = try Transports.make(Self.target(server.port, "status-\(status)"))
        #expect(await transport.fault(try folder.picture(1, 2_000_000)) == fault)
    }

    @Test(arguments: [
        ("early", "refused"), ("empty", "unreachable"), ("endless", "unreachable"),
    ])
    func `A server that misbehaves is a fault`(behavior: String, kind: String) async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        let transport = try Transports.make(Self.target(server.port, behavior))
        #expect(await transport.fault(try folder.picture(1, 3_000_000))?.kind == kind)
    }

    @Test func `A port without a server is a target that does not answer`() async throws {
        let folder = try TestFolder()
        let transport = try Transports.make(Self.target(1, "plain"))
        let fault = await transport.fault(try folder.picture(1, 1000))
        #expect(fault == .unreachable("the server does not answer", pause: nil))
    }

    @Test func `A name that cannot be resolved is a target that is not reached`() async throws {
        let folder = try TestFolder()
        let target = UploadTarget(id: "t", service: .http(.init()), address: "http://nowhere.invalid/")
        let fault = await (try Transports.make(target)).fault(try folder.picture(1, 1000))
        #expect(fault == .unreachable("the name of the server cannot be resolved", pause: nil))
    }

    @Test(arguments: [
        ("20200101000000Z", "20210101000000Z", TransferFault.access("the certificate of the server has expired")),
        (
            "20980101000000Z", "20990101000000Z",
            .clock("the certificate of the server is not yet valid: is the clock of this machine right?")
        ),
    ])
    func `A certificate outside its time is a fault in words`(
        start: String, end: String, fault: TransferFault
    ) async throws {
        let folder = try TestFolder()
        let certificate = try await Self.certificate(folder, start, end)
        let server = try await ScriptedServer.start(try folder.makeFolder("root"), certificate: certificate)
        var target = Self.target(server.port, "plain", scheme: "https")
        target.authorityFile = certificate
        #expect(await (try Transports.make(target)).fault(try folder.picture(1, 1000)) == fault)
    }

    @Test func `A certificate of an unknown authority is refused and of a known one accepted`() async throws {
        let folder = try TestFolder()
        let certificate = try await Self.certificate(folder, "20200101000000Z", "20990101000000Z")
        _ = try folder.makeFolder("root/plain")
        let server = try await ScriptedServer.start(folder.path + "/root", certificate: certificate)
        var target = Self.target(server.port, "plain", scheme: "https")
        let upload = try folder.picture(1, 1000, as: "a.jpg")
        let fault = await (try Transports.make(target)).fault(upload)
        #expect(
            fault
                == .access("the certificate of the server is not signed by an authority that this machine knows"))
        target.authorityFile = certificate
        #expect(try await Transports.make(target).send(upload) == .answer)
    }

    @Test func `A changed host key is a fault of access`() async throws {
        let store = try await TestStore.start(.sshd)
        var target = store.target()
        guard case .sftp(var login) = target.service else { return }
        login.hostKey = String(login.hostKey.reversed().dropFirst()) + "A"
        target.service = .sftp(login)
        #expect(await (try Transports.make(target)).fault(try store.folder.picture(1, 1000))?.kind == "access")
        #expect(try await store.files().isEmpty)
    }

    @Test(arguments: [StoreKind.sshd, .apache])
    func `A full disk is reported as such`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let mount = try TestProcess.path("mount", advice: "apt install mount")
        let root = store.folder.path + "/root"
        _ = try await TestProcess.run(mount, ["-t", "tmpfs", "-o", "size=1m,mode=777", "tmpfs", root])
        defer { umount2(root, Int32(MNT_DETACH)) }
        guard try await TestProcess.run(mount, []).contains(root) else {
            try SkippedTest.skip("root must mount a disk")
        }
        let fault = await (try Transports.make(store.target())).fault(try store.folder.picture(1, 3_000_000))
        #expect(fault?.kind == "full")
        #expect(try await store.files().isEmpty)
    }

    @Test func `A server that keeps less than it confirms is found before the picture has its name`() async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        _ = try folder.makeFolder("root/truncate")
        let address = "http://127.0.0.1:\(server.port)/truncate"
        let transport = try Transports.make(UploadTarget(id: "t", service: .webdav(.init()), address: address))
        #expect(await transport.fault(try folder.picture(1, 1000, as: "a.jpg"))?.kind == "damaged")
        #expect(TestFolder.files(folder.path + "/root/truncate").isEmpty)
    }

    @Test func `A byte that changed on its way is found by reading back`() async throws {
        let folder = try TestFolder()
        let server = try await ScriptedServer.start(try folder.makeFolder("root"))
        _ = try folder.makeFolder("root/flip")
        let address = "http://127.0.0.1:\(server.port)/flip"
        let transport = try Transports.make(UploadTarget(id: "t", service: .webdav(.init()), address: address))
        #expect(await transport.fault(try folder.picture(1, 1000, as: "a.jpg"))?.kind == "nameTaken")
    }

    private static func target(_ port: Int, _ behavior: String, scheme: String = "http") -> UploadTarget {
        UploadTarget(id: "t", service: .http(.init()), address: "\(scheme)://127.0.0.1:\(port)/\(behavior)")
    }

    /// Makes a certificate that signs itself, and returns the file with it and its key.
    private static func certificate(_ folder: TestFolder, _ start: String, _ end: String) async throws -> String {
        let openssl = try TestProcess.path("openssl", advice: "apt install openssl")
        let path = folder.path
        try folder.write("index", "")
        try folder.write(
            "ca.conf",
            """
            [ca]
            default_ca = own
            [own]
            database = \(path)/index
            new_certs_dir = \(path)
            rand_serial = yes
            default_md = sha256
            policy = any
            x509_extensions = names
            [any]
            commonName = supplied
            [names]
            subjectAltName = IP:127.0.0.1
            basicConstraints = CA:TRUE
            """)
        _ = try await TestProcess.run(
            openssl,
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=test",
                "-keyout", path + "/key.pem", "-out", path + "/request.pem",
            ])
        _ = try await TestProcess.run(
            openssl,
            [
                "ca", "-config", path + "/ca.conf", "-batch", "-selfsign", "-keyfile", path + "/key.pem", "-in",
                path + "/request.pem", "-out", path + "/certificate.pem", "-startdate", start, "-enddate", end,
                "-notext",
            ])
        let files = ["key.pem", "certificate.pem"]
        let texts = try files.map { try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8) }
        return try folder.write("both.pem", texts.joined())
    }
}
#endif
