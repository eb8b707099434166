// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Glibc
import Testing

@testable import StillKit

@Suite struct `The trial of a picture's name` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func error(_ name: String, _ trial: NameTrial = NameTrial(), acceptsFullDisk: Bool = false) -> CaptureError?
    {
        do throws(CaptureError) {
            try trial.run(folder.path + "/" + name, acceptsFullDisk: acceptsFullDisk)
            return nil
        } catch {
            return error
        }
    }

    private func refusing(_ number: Int32) -> NameTrial { NameTrial(create: { _ in number }) }

    @Test(
        arguments: [
            "a.jpg", "09:46.jpg", "a\nb.jpg", "e\u{301}.jpg", "\u{E9}.jpg", " .jpg ", "A.jpg", "\u{1F4F7}",
            String(repeating: "x", count: 255),
        ])
    func `A name that the file system stores is accepted, and the trial leaves nothing`(name: String) {
        #expect(error(name) == nil)
        #expect(DeviceFiles.names(in: folder.path).isEmpty)
    }

    @Test func `A name that is too long is refused`() throws {
        let refusal = try #require(error(String(repeating: "\u{E9}", count: 128)))
        #expect(refusal.systemError == ENAMETOOLONG && refusal.code == .cannotCreate && refusal.advice != nil)
        #expect(DeviceFiles.names(in: folder.path).isEmpty)
    }

    @Test(arguments: [EINVAL, EILSEQ])
    func `A name with a character that FAT lacks is refused with the remedy`(number: Int32) throws {
        let refusal = try #require(error("09:46.jpg", refusing(number)))
        #expect(refusal.code == .cannotCreate && refusal.subject == folder.path + "/09:46.jpg")
        #expect(refusal.message.contains("refuses this name") && refusal.advice?.contains("exFAT") == true)
        #expect(error("a.jpg", refusing(number))?.advice == "choose another name")
    }

    @Test func `A name that the file system would change is refused`() throws {
        let trial = NameTrial(names: { _ in ["e\u{301}.jpg"] })
        #expect(error("\u{E9}.jpg", trial)?.message.contains("would store this name as") == true)
        #expect(error("e\u{301}.jpg", trial) == nil)
    }

    @Test(arguments: [ENOSPC, EDQUOT])
    func `A full disk is refused unless pictures can be removed`(number: Int32) {
        #expect(error("a.jpg", refusing(number))?.isFullDisk == true)
        #expect(error("a.jpg", refusing(number), acceptsFullDisk: true) == nil)
    }

    @Test func `Another error leaves the decision to the first picture`() {
        #expect(error("a.jpg", refusing(EIO)) == nil)
        #expect(error("nowhere/a.jpg") == nil)
    }
}
