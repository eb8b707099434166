// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing
import UploadKit

@testable import TransferKit

/// Connections that break, servers that are silent, and tasks that are canceled.
@Suite("Interrupted deliveries", .timeLimit(.minutes(2))) struct InterruptionTests {
    @Test(arguments: StoreKind.allCases)
    func `A cut leaves no file under the name and the next attempt succeeds`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        // The SFTP transport resumes once by itself, and rclone tries again, as often as it likes.
        let proxy = try await ScriptedServer.startProxy(to: store.port, limit: 1_000_000, .cut(1000))
        let transport = try Transports.make(store.target(port: proxy.port))
        let upload = try store.folder.picture(1, 3_500_000)
        #expect(await transport.fault(upload)?.kind == "unreachable")
        #expect(try await store.files()[upload.name] == nil)
        #expect(try await Transports.make(store.target()).send(upload) >= UploadKit.Confirmation.answer)
        #expect(try await store.files() == [upload.name: upload.bytes])
    }

    @Test func `An SFTP upload resumes its own part`() async throws {
        let store = try await TestStore.start(.sshd)
        let proxy = try await ScriptedServer.startProxy(to: store.port, limit: 1_000_000, .cut(2))
        let transport = try Transports.make(store.target(port: proxy.port))
        let upload = try store.folder.picture(1, 2_900_000)
        #expect(await transport.fault(upload)?.kind == "unreachable")
        let part = try #require(try await store.files().values.first)
        // Two connections of at most 1,000,000 bytes each.
        #expect(part.count > 1_000_000)
        #expect(part.elementsEqual(upload.bytes.prefix(part.count)))
        // The rest fits through this proxy, the whole picture would not.
        let other = try await ScriptedServer.startProxy(to: store.port, limit: 2_000_000, .cut(9))
        _ = try await Transports.make(store.target(port: other.port)).send(upload)
        #expect(try await store.files() == [upload.name: upload.bytes])
    }

    @Test func `A part with another content is sent again`() async throws {
        let store = try await TestStore.start(.sshd)
        let upload = try store.folder.picture(1, 100_000)
        let transport = try Transports.make(store.target())
        _ = try await transport.send(upload)
        let folder = "root/a \"b'\\c/2026/05/"
        for size in [50_000, 100_000, 150_000] {
            try await transport.erase(upload.name)
            let part = folder + ".photo-1.jpg.\(upload.sha256.prefix(8)).upload"
            try store.folder.write(part, [UInt8](repeating: 0, count: size))
            #expect(try await transport.send(upload) == .readBack)
            #expect(try await store.files() == [upload.name: upload.bytes])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A canceled delivery ends`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let proxy = try await ScriptedServer.startProxy(to: store.port, limit: 500_000, .stall)
        let transport = try Transports.make(store.target(port: proxy.port))
        let upload = try store.folder.picture(1, 3_000_000)
        let delivery = Task { await transport.fault(upload) }
        try await proxy.process.wait(for: "stalled")
        delivery.cancel()
        #expect(await delivery.value == .canceled)
        #expect(try await store.files()[upload.name] == nil)
    }

    @Test(arguments: [StoreKind.nginx, .sshd, .http, .s3])
    func `A silent server is not waited for without end`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let proxy = try await ScriptedServer.startProxy(to: store.port, limit: 500_000, .stall)
        let transport = try Transports.make(store.target(port: proxy.port), stallLimit: 1)
        let fault = await transport.fault(try store.folder.picture(1, 3_000_000))
        #expect(fault == .unreachable("the server stopped answering", pause: nil))
    }

    @Test func `A server that is silent from the first byte is not waited for without end`() async throws {
        let store = try await TestStore.start(.sshd)
        let proxy = try await ScriptedServer.startProxy(to: store.port, limit: 0, .stall)
        let transport = try Transports.make(store.target(port: proxy.port), stallLimit: 1)
        #expect(await transport.fault(try store.folder.picture(1, 1000))?.kind == "unreachable")
    }

    @Test func `A task that is canceled before sends nothing`() async throws {
        let store = try await TestStore.start(.http)
        let transport = try Transports.make(store.target())
        let upload = try store.folder.picture(1, 1000)
        let delivery = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await transport.fault(upload)
        }
        #expect(await delivery.value == .canceled)
        #expect(try await store.files().isEmpty)
    }
}
#endif
