// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import Foundation
import Synchronization
import Testing
import UploadKit

@testable import TransferKit

/// The properties of the S3 transport alone.
@Suite("Delivery to S3", .timeLimit(.minutes(2))) struct S3Tests {
    @Test func `A large picture is sent in parts and resumes where it was cut`() async throws {
        let store = try await TestStore.start(.s3)
        let proxy = try await ScriptedServer.startProxy(to: store.port, limit: 18 << 20, .cut(1))
        let upload = try store.folder.picture(1, 20 << 20)
        let tokens = Mutex<[String]>([])
        let transport = try Transports.make(store.target(port: proxy.port))
        await #expect(throws: TransferFault.self) {
            try await transport.deliver(upload, token: nil) { token in tokens.withLock { $0.append(token) } }
        }
        #expect(try await store.files().isEmpty)
        let token = try #require(tokens.withLock { $0.first })
        // The rest fits through another proxy, the whole picture would not.
        let other = try await ScriptedServer.startProxy(to: store.port, limit: 6 << 20, .cut(9))
        let second = try Transports.make(store.target(port: other.port))
        let delivery = try await second.deliver(upload, token: token) { token in tokens.withLock { $0.append(token) } }
        #expect(delivery == .confirmed(.hash))
        #expect(tokens.withLock { $0.count } == 1)
        #expect(try await store.files() == [upload.name: upload.bytes])
        #expect(try await transport.deliver(upload, token: token) { _ in } == .confirmed(.readBack))
        #expect(await transport.fault(try store.folder.picture(2, 20 << 20))?.kind == "nameTaken")
    }

    @Test(arguments: ["", "x", "unknown-id"])
    func `A token that the store does not know begins a new upload`(id: String) async throws {
        let store = try await TestStore.start(.s3)
        let upload = try store.folder.picture(1, 17 << 20)
        let transport = try Transports.make(store.target())
        let delivery = try await transport.deliver(upload, token: id.isEmpty ? "x" : "\(upload.sha256) \(id)") { _ in }
        #expect(delivery == .confirmed(.hash))
    }

    @Test func `An upload in parts that cannot be completed is aborted`() async throws {
        let store = try await TestStore.start(.s3)
        let proxy = try await ScriptedServer.startProxy(to: store.port, limit: 10 << 20, .cut(2))
        let cut = try Transports.make(store.target(port: proxy.port))
        let transport = try Transports.make(store.target())
        let upload = try store.folder.picture(1, 17 << 20)
        let tokens = Mutex<[String]>([])
        for _ in 0..<2 {
            await #expect(throws: TransferFault.self) {
                try await cut.deliver(upload, token: nil) { token in tokens.withLock { $0.append(token) } }
            }
        }
        let (first, second) = tokens.withLock { ($0[0], $0[1]) }
        #expect(try await store.s3.openUploads() == 2)
        // The token of another picture.
        let other = try store.folder.picture(2, 18 << 20)
        #expect(try await transport.deliver(other, token: first) { _ in } == .confirmed(.hash))
        #expect(try await store.s3.openUploads() == 1)
        // The token of a picture whose name is taken by now.
        await #expect(throws: TransferFault.self) { try await transport.deliver(upload, token: second) { _ in } }
        #expect(try await store.s3.openUploads() == 0)
        #expect(try await store.files() == [other.name: other.bytes])
    }

    @Test func `A bucket that does not exist is a fault in words`() async throws {
        let store = try await TestStore.start(.s3)
        var target = store.target()
        target.address = "http://127.0.0.1:\(store.port)/no-such-bucket"
        let transport = try Transports.make(target)
        for size in [1000, 17 << 20] {
            let fault = await transport.fault(try store.folder.picture(1, size))
            #expect(fault == .missing("the bucket does not exist"))
        }
    }

    @Test func `An unknown key and a wrong secret are faults in words`() async throws {
        let store = try await TestStore.start(.s3)
        let upload = try store.folder.picture(1, 1000)
        let fault = await (try Transports.make(store.target(isWrong: true))).fault(upload)
        #expect(fault == .access("the store refuses the secret key"))
        var target = store.target()
        target.service = .s3(.init(keyID: "nobody", secret: .file(store.folder.path + "/key")))
        #expect(await (try Transports.make(target)).fault(upload)?.kind == "access")
    }

    @Test(arguments: [
        ("RequestTimeTooSkewed", 403, "clock"), ("AccessDenied", 403, "access"), ("NoSuchBucket", 404, "missing"),
        ("BadDigest", 400, "damaged"), ("XAmzContentSHA256Mismatch", 400, "damaged"), ("SlowDown", 503, "unreachable"),
        ("InternalError", 200, "unreachable"), ("Other", 200, "unreachable"), ("RequestTimeout", 400, "unreachable"),
        ("NoSuchUpload", 404, "damaged"), ("QuotaExceeded", 403, "full"), ("EntityTooLarge", 400, "refused"),
        ("MalformedXML", 400, "refused"), ("AuthorizationHeaderMalformed", 400, "access"),
    ])
    func `A code of the store is a fault`(code: String, status: Int, kind: String) {
        var response = CurlResponse()
        response.status = status
        response.body = Array("<?xml version='1.0'?><Error><Code>\(code)</Code></Error>".utf8)
        #expect(S3Fault.fault(response)?.kind == kind)
    }

    @Test(arguments: [("Sat, 01 Jan 2000 00:00:00 GMT", "clock"), ("nonsense", "access"), ("", "access")])
    func `An answer without a code shows a wrong clock by its date`(date: String, kind: String) {
        var response = CurlResponse()
        response.status = 403
        response.addHead("Date: \(date)")
        #expect(S3Fault.fault(response)?.kind == kind)
    }

    @Test func `An answer of a store is read`() {
        let text = XMLText(
            Array(
                """
                <?xml version="1.0"?><ListPartsResult xmlns="x"><IsTruncated>false</IsTruncated>
                <Part><PartNumber>1</PartNumber><ETag>&quot;a&#34;</ETag></Part><Part><PartNumber>2</PartNumber></Part>
                </ListPartsResult>
                """.utf8))
        #expect(text.elements("Part").map { $0.text("PartNumber") } == ["1", "2"])
        #expect(text.elements("Part").first?.text("ETag") == "\"a\"")
        #expect(text.text("IsTruncated") == "false")
    }

    @Test(arguments: [
        "", "<", "<Code>", "</Code><Code>", "<Code>a", "<Code><b/></Code>", "<Code>&xxe;</Code>", "<Code>&amp</Code>",
        "<Code>&#x41;</Code>", "<Code>" + String(repeating: "a", count: 2000) + "</Code>",
        String(repeating: "<Code>", count: 10_000), String(repeating: "<", count: 65_536),
        "<!DOCTYPE a [<!ENTITY b \"c\">]><Code>&b;</Code>", "<Code>\u{0}&lt;</Cod",
    ])
    func `A hostile answer has no code`(text: String) { #expect(XMLText(Array(text.utf8)).text("Code") == nil) }

    @Test func `A text of invalid bytes has no code`() {
        #expect(XMLText(Array("<Code>".utf8) + [0xFF, 0xC0] + Array("</Code>".utf8)).text("Code") == nil)
    }
}
#endif
