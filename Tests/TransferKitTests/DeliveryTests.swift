// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Testing
import UploadKit

@testable import TransferKit

/// The promises of each transport, shown with a real server.
@Suite("Delivery to targets", .timeLimit(.minutes(2))) struct DeliveryTests {
    @Test(arguments: StoreKind.allCases)
    func `A picture is stored under its name in folders that are created`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        let upload = try store.folder.picture(1, 100_000)
        let confirmation = try await transport.send(upload)
        #expect(confirmation == (kind == .http ? .answer : transport.confirmation))
        #expect(try await store.files() == [upload.name: upload.bytes])
        #expect(try await transport.confirm(upload) == .readBack)
    }

    @Test(arguments: StoreKind.allCases)
    func `A second delivery of the same picture is a success and leaves one file`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        let upload = try store.folder.picture(1, 50_000)
        _ = try await transport.send(upload)
        #expect(try await transport.send(upload) >= UploadKit.Confirmation.readBack)
        #expect(try await store.files() == [upload.name: upload.bytes])
    }

    @Test(arguments: StoreKind.allCases, [50_000, 50_001])
    func `Another picture under the same name leaves the first`(kind: StoreKind, size: Int) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        let first = try store.folder.picture(1, 50_000)
        _ = try await transport.send(first)
        #expect(await transport.fault(try store.folder.picture(2, size))?.kind == "nameTaken")
        #expect(try await store.files() == [first.name: first.bytes])
    }

    @Test(arguments: StoreKind.allCases)
    func `A file with another content than its account never arrives`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        var upload = try store.folder.picture(1, 1000)
        upload.sha256 = try store.folder.picture(2, 1000).sha256
        #expect(await transport.fault(upload)?.kind == "changed")
        upload.byteCount = 999
        #expect(await transport.fault(upload)?.kind == "changed")
        upload.path += ".gone"
        #expect(await transport.fault(upload) == .changed("the file is gone"))
        #expect(try await store.files().isEmpty)
    }

    // The scripted server asks for no password.
    @Test(arguments: StoreKind.allCases.filter { $0 != .http })
    func `A wrong password or key is a fault of access`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target(isWrong: true))
        #expect(await transport.fault(try store.folder.picture(1, 1000))?.kind == "access")
        #expect(try await store.files().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `An erased picture is gone and erasing it again is a success`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        let upload = try store.folder.picture(1, 1000)
        _ = try await transport.send(upload)
        try await transport.erase(upload.name)
        try await transport.erase(upload.name)
        #expect(try await store.files().isEmpty)
        await #expect(throws: TransferFault.damaged("the picture is gone from the server")) {
            try await transport.confirm(upload)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A test of a target leaves no file`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let trip = try await Transports.test(store.target())
        #expect(trip.isErased)
        #expect(try await store.files().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `Several pictures can be sent at a time`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let transport = try Transports.make(store.target())
        let uploads = try (0..<6).map { try store.folder.picture($0, 20_000, as: "2026/05/photo-\($0).jpg") }
        try await withThrowingTaskGroup { group in
            for upload in uploads { group.addTask { try await transport.send(upload) } }
            try await group.waitForAll()
        }
        #expect(try await store.files() == Dictionary(uniqueKeysWithValues: uploads.map { ($0.name, $0.bytes) }))
    }

    @Test(arguments: [StoreKind.nginx, .apache, .http, .s3])
    func `Two senders of the same picture store it once`(kind: StoreKind) async throws {
        let store = try await TestStore.start(kind)
        let upload = try store.folder.picture(1, 300_000)
        let transports = try (0..<2).map { _ in try Transports.make(store.target()) }
        // One of them may have to send it again.
        await withTaskGroup { group in
            for transport in transports { group.addTask { _ = await transport.fault(upload) } }
        }
        _ = try await transports[0].send(upload)
        #expect(try await store.files()[upload.name] == upload.bytes)
    }
}
#endif
