// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import Testing
import UploadKit

@testable import TransferKit

/// The properties of the transport of rclone alone.
@Suite("Delivery with rclone", .timeLimit(.minutes(2))) struct RcloneTests {
    @Test func `A missing rclone is an error with its remedy`() throws {
        let target = UploadTarget(id: "cloud", service: .rclone, address: "remote:folder")
        do throws(CaptureError) {
            _ = try RcloneTransport(target, searchPath: "/nowhere:")
            Issue.record("rclone is not missed")
        } catch {
            #expect(error.description == "cloud: rclone is not installed; apt install rclone")
        }
    }

    @Test(arguments: ["folder", "--config=/x:y", "", "a:b\u{0}c"])
    func `An address that is no remote is refused`(address: String) throws {
        _ = try TestProcess.path("rclone", advice: "apt install rclone")
        #expect(throws: CaptureError.self) {
            try Transports.make(UploadTarget(id: "t", service: .rclone, address: address))
        }
    }

    @Test func `A remote that rclone does not know is a fault in words`() async throws {
        _ = try TestProcess.path("rclone", advice: "apt install rclone")
        let folder = try TestFolder()
        let transport = try Transports.make(UploadTarget(id: "t", service: .rclone, address: "no-such-remote:x"))
        let fault = await transport.fault(try folder.picture(1, 1000))
        #expect(fault == .access("rclone does not know the remote: see rclone config"))
    }

    @Test func `A server that does not answer is unreachable`() async throws {
        _ = try TestProcess.path("rclone", advice: "apt install rclone")
        let folder = try TestFolder()
        // No program listens on port 1.
        let address = ":webdav,url='http://127.0.0.1:1',vendor=other:"
        let transport = try Transports.make(UploadTarget(id: "t", service: .rclone, address: address))
        #expect(await transport.fault(try folder.picture(1, 1000))?.kind == "unreachable")
    }

    @Test(arguments: [
        ("Failed to copyto: 507 Insufficient Storage", "full"), ("write /x: no space left on device", "full"),
        ("ssh: handshake failed: ssh: unable to authenticate", "access"), ("", "unreachable"),
        ("x509: certificate has expired or is not yet valid: current time A is after B", "access"),
        ("x509: certificate has expired or is not yet valid: current time A is before B", "clock"),
        ("\u{1B}[2J\n", "unreachable"),
    ])
    func `The last line of rclone is a fault`(line: String, kind: String) {
        var result = RcloneProcess.Result()
        (result.status, result.messages) = (1, Array(line.utf8))
        #expect(RcloneFault.fault(result)?.kind == kind)
    }
}
#endif
