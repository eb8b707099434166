// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import Foundation
import Testing
import UploadKit

@testable import TransferKit

/// Texts that users and pictures bring along.
@Suite("Names, addresses and templates") struct TextTests {
    @Test(arguments: [
        "", "/a", "a/", "a//b", ".", "..", "a/../b", "a b", "a\nb", "a%2Fb", "a\\b", "ä", "a\u{0}", "a\"b", "~",
    ])
    func `A name that is not safe is refused`(name: String) {
        #expect(throws: TransferFault.self) { try PictureName(name) }
    }

    @Test func `No target states a stronger confirmation than its transport has`() throws {
        let login = UploadTarget.Login()
        let services: [(UploadTarget.Service, isProof: Bool)] = [
            (.s3(.init(keyID: "A", secret: .variable("SECRET"))), true), (.webdav(login), true),
            (.http(.init()), false),
            (
                .sftp(.init(user: "me", password: .variable("SECRET"), hostKey: String(repeating: "A", count: 43))),
                true
            ),
        ]
        for (service, isProof) in services {
            var address = "https://example.com/photos"
            if case .sftp = service { address = "sftp://example.com/photos" }
            let target = UploadTarget(id: "a", service: service, address: address)
            #expect(try target.confirmation <= Transports.make(target).confirmation)
            #expect(target.confirmation.isProof == isProof)
        }
    }

    @Test func `A part has a hidden name with digits of the hash`() throws {
        let name = try PictureName("2026/a-b_c.jpg")
        #expect(name.part("0123456789abcdef") == "2026/.a-b_c.jpg.01234567.upload")
        #expect(name.folders == ["2026"])
        #expect(name.mediaType == "image/jpeg")
    }

    @Test func `A template is filled by its place`() throws {
        let values = ["camera": "front/door & \"yard\" ä", "id": "7"]
        let address = try Template("https://h/{camera}?id={id}", in: .address, subject: "address")
        #expect(try address.text(values) == "https://h/front%2Fdoor%20%26%20%22yard%22%20%C3%A4?id=7")
        let header = try Template("{id}: {secret}}", in: .header, subject: "X")
        #expect(try header.text(values, secret: "{id}") == "7: {id}}")
        #expect(throws: TransferFault.access("{secret} is used, but the target names no secret")) {
            try header.text(values)
        }
        #expect(throws: TransferFault.refused("the picture has no value {board}")) {
            try Template("{board}", in: .field, subject: "f").text(values)
        }
    }

    @Test(arguments: ["{", "{}", "{ id}", "{unknown}", "{id", "{{id}}", "{secret}", "a\r\nb", "a\u{0}", "a\u{7F}"])
    func `A hostile template is refused`(text: String) {
        #expect(throws: CaptureError.self) { try Template(text, in: .address, subject: "address") }
    }

    @Test(arguments: ["a\rb", "a\nb", "a\r\nb", "\u{0}", "a\u{7F}", "\u{85}"])
    func `A hostile value is refused in a header and encoded in an address`(value: String) throws {
        #expect(throws: TransferFault.self) {
            try Template("{id}", in: .header, subject: "X").text(["id": value])
        }
        #expect(throws: TransferFault.self) {
            try Template("{secret}", in: .header, subject: "X").text([:], secret: value)
        }
        let address = try Template("{id}", in: .address, subject: "address").text(["id": value])
        #expect(address.utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: "%") })
    }

    @Test func `An address is encoded once`() throws {
        let address = try ServerAddress("https://host:8443//a b/c%20d/\"e\"/%zz/?x=1", schemes: ["https"])
        #expect(address.url("n.jpg") == "https://host:8443/a%20b/c%20d/%22e%22/%25zz/n.jpg?x=1")
        #expect(address.decodedPath == "/a b/c d/\"e\"/%zz")
        #expect(address.folders(["x"]).last == "https://host:8443/a%20b/c%20d/%22e%22/%25zz/x/?x=1")
    }

    @Test func `A file that changes after its hash was compared is not read any more`() throws {
        let folder = try TestFolder()
        let upload = try folder.picture(1, 1000)
        let file = try PictureFile(upload, Cancellation())
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(bytes.withUnsafeMutableBytes { file.fill($0, at: 900) })
        #expect(bytes.elementsEqual(upload.bytes[900...]))
        let handle = try #require(FileHandle(forUpdatingAtPath: upload.path))
        try handle.seekToEnd()
        try handle.write(contentsOf: [0])
        #expect(!bytes.withUnsafeMutableBytes { file.fill($0, at: 0) })
    }

    @Test func `A path that leads to no file is a change`() throws {
        let folder = try TestFolder()
        var upload = try folder.picture(1, 0)
        upload.path = folder.path
        #expect(throws: TransferFault.changed("the path no longer leads to a file")) {
            try PictureFile(upload, Cancellation())
        }
    }

    @Test func `A secret is read from a file, a variable or a credential`() throws {
        let folder = try TestFolder()
        let file = try folder.write("secret", "word\n")
        #expect(try SecretSource.file(file).value() == "word")
        setenv("GST_CAPTURE_TEST_SECRET", "variable", 1)
        #expect(try SecretSource.variable("GST_CAPTURE_TEST_SECRET").value() == "variable")
        setenv("CREDENTIALS_DIRECTORY", folder.path, 1)
        #expect(try SecretSource.credential("secret").value() == "word")
        unsetenv("CREDENTIALS_DIRECTORY")
        chmod(file, 0o644)
        for source in [SecretSource.file(file), .variable("GST_CAPTURE_TEST_NONE"), .credential("secret")] {
            #expect(throws: TransferFault.self) { try source.value() }
        }
    }
}
#endif
