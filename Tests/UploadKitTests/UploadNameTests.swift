// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Testing

@testable import UploadKit

@Suite("Names at a target")
struct UploadNameTests {
    private static let picture: UploadPicture = {
        var picture = UploadPicture(
            line: 1204, path: "/srv/Gärten/a b.JPG", byteCount: 5,
            sha256: String(repeating: "0123456789abcdef", count: 4),
            taken: WallTime(seconds: 1_800_000_000, nanoseconds: 7_000_000, utcOffset: 3600))
        (picture.board, picture.series, picture.camera) = ("pi-1", "Gärten", "front")
        return picture
    }()

    @Test(arguments: [
        ("{board}/{series}/{file}.{extension}", "pi-1/G--rten/a-b.JPG"),
        ("%Y/%m/%d/%H%M%S{ms}-{hash}.{extension}", "2027/01/15/090000007-01234567.JPG"),
        ("{camera}-{line}.jpg", "front-1204.jpg"),
    ])
    func `Fields become names of plain characters`(template: String, name: String) throws {
        #expect(try UploadName(template).name(of: Self.picture) == name)
    }

    @Test func `The standard name begins with the board and has the hash`() {
        #expect(UploadName.standard.name(of: Self.picture) == "pi-1/G--rten/2027/01/15/090000-01234567.JPG")
    }

    @Test(arguments: [
        "", "{colour}/{hash}", "{hash", "{board}/{series}", "/{hash}", "../{hash}", "a//{hash}", "{hash}/", ".{hash}",
        "%Q{hash}",
        "a b{hash}", "ä{hash}", "{hash}%", String(repeating: "a", count: 600) + "{hash}",
    ])
    func `A template that leads out of the target, or gives no name, is refused`(template: String) {
        #expect(throws: InvalidValue.self) { _ = try UploadName(template) }
    }

    @Test func `Random fields never give a name that leads out of the target`() throws {
        var generator = SplitMix(3)
        let template = try UploadName("{board}/{series}/{camera}/{file}.{extension}")
        let characters = Array("./\\ä\u{0}\n a%{}~-")
        for _ in 0..<2000 {
            var picture = Self.picture
            func text() -> String {
                String(
                    (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                        characters.randomElement(using: &generator)!
                    })
            }
            (picture.board, picture.series, picture.camera) = (text(), text(), text())
            picture.path = "/" + text() + ".jpg"
            let parts = template.name(of: picture).split(separator: "/", omittingEmptySubsequences: false)
            #expect(parts.count == 4)
            #expect(parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") })
            #expect(parts.joined().utf8.allSatisfy { $0.isWordCharacter || $0 == UInt8(ascii: ".") })
        }
    }

    @Test func `A name that is taken gets a number before its extension`() {
        #expect(UploadName.alternative(to: "a/b.c/d.jpg", 2) == "a/b.c/d-2.jpg")
        #expect(UploadName.alternative(to: "a/b.c/d-2.jpg", 3) == "a/b.c/d-3.jpg")
        #expect(UploadName.alternative(to: "a.b/d", 2) == "a.b/d-2")
    }
}
