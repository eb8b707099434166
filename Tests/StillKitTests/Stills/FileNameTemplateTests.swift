// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Foundation
import StillKit
import Testing

@Suite struct `A file name with fields` {
    private static let time = WallTime(seconds: 0, nanoseconds: 0, utcOffset: 0)

    @Test(arguments: [
        ("a.jpg", "a.jpg"), ("%Y/%m/%d-%05n.jpg", "1970/01/01-00042.jpg"), ("100%%-%n", "100%-42"),
        ("%H-%M-%S", "00-00-00"),
    ])
    func `The fields of a template are replaced by the time and the number`(_ template: String, _ name: String) throws {
        #expect(try FileNameTemplate(parsing: template).render(Self.time, sequence: 42) == name)
    }

    @Test(arguments: ["", "%", "%5", "%q", "a%0", "%999n", "a\0b"])
    func `A template with an invalid field is refused`(_ template: String) {
        #expect(throws: CaptureError.self) { try FileNameTemplate(parsing: template) }
    }

    @Test func `A template continues after the highest number in its folder`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let template = try FileNameTemplate(parsing: folder + "/a-%03n.jpg")
        #expect(template.nextSequence(Self.time) == 1)
        for name in ["a-007.jpg", "a-12.png", "b-100.jpg", "a-x.jpg", "a-9.jpg.tmp"] {
            _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: nil)
        }
        #expect(template.nextSequence(Self.time) == 8)
    }
}
