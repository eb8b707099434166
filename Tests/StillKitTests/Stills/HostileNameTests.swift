// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import Foundation
import StillKit
import Testing

@Suite("Hostile file names")
struct HostileNameTests {
    private static let time = WallTime(seconds: 1_709_219_096, nanoseconds: 0, utcOffset: 0)

    @Test(
        "Invalid templates of names are refused with the option that has them",
        arguments: [
            "", "%", "a%", "%5", "%00000n", "%-5n", "%+Y", "%E", "%Oy", "%5Y", "%c", "%D", "%n%", "a\0", "\0", "%\0",
            "% n",
            "%é", "%１n", String(repeating: "a", count: 5000), "%999999999999999999999n",
        ])
    func refused(template: String) {
        #expect { try FileNameTemplate(parsing: template) } throws: { error in
            (error as? CaptureError)?.code == .usage && (error as? CaptureError)?.subject == "output"
        }
    }

    @Test(
        "Text of a template that is not a field stays as it was written",
        arguments: [
            ("../%n", "../7"), ("./../.%n", "./../.7"), ("%%n", "%n"), ("%%%n", "%7"), ("a b\n%n", "a b\n7"),
            ("☕️%n", "☕️7"),
            ("%99n", String(repeating: "0", count: 98) + "7"), ("%0n", "7"), ("%1n", "7"), ("e\u{301}%n", "e\u{301}7"),
            ("/%n/%n//", "/7/7//"), ("-%n", "-7"), ("%n%n%n", "777"), ("%Y%m%d", "20240229"),
        ])
    func kept(template: String, name: String) throws {
        #expect(try FileNameTemplate(parsing: template).render(Self.time, sequence: 7) == name)
    }

    @Test("No template traps, and fields of time never contain a slash", arguments: 0..<10)
    func random(seed: UInt64) {
        var generator = SplitMix(seed)
        let characters = Array("%%%%%%0159naAbBdeFgGHIjklmMpsSuUVwWyYzZ\u{301}é☕️\n ")
        for _ in 0..<500 {
            let length = Int.random(in: 0...12, using: &generator)
            let text = String(
                (0..<length).map { _ in characters[.random(in: 0..<characters.count, using: &generator)] })
            guard let template = try? FileNameTemplate(parsing: text) else { continue }
            let name = template.render(Self.time, sequence: .random(in: 0...Int.max, using: &generator))
            #expect(!name.contains("/") && !name.utf8.contains(0))
            _ = template.nextSequence(Self.time)
        }
    }

    @Test(
        "The numbers of a template continue at any place in the name",
        arguments: [
            ("a-%n.jpg", "a-12.jpg", 13), ("%n.jpg", "12.jpg", 13), ("%05n", "00012", 13),
            ("%n-%Y%m%d.jpg", "12-20230101.jpg", 13),
            ("%Y%m%d%n.jpg", "2023010112.jpg", 13), ("%H%n%M.jpg", "091207.jpg", 13), ("%03n%%.jpg", "012%.jpg", 13),
            ("%n_%03n.jpg", "12_012.jpg", 13), ("%n1.jpg", "121.jpg", 13), ("1%n.jpg", "112.jpg", 13),
            ("é%n☕️.jpg", "é12☕️.jpg", 13),
            ("a-%n.jpg", "a-999999999999999998.jpg", 999_999_999_999_999_999), ("a-%02n.jpg", "a-120.jpg", 121),
            ("%n/x.jpg", "12/x.jpg", 13), ("a/b-%03n/x.jpg", "a/b-012/x.jpg", 13), ("%n/%n.jpg", "12/12.jpg", 13),
            ("%n/%02n-%H/%M.jpg", "12/12-09/59.jpg", 13), ("%n//./x.jpg", "12/x.jpg", 13),
        ])
    func continuing(template: String, name: String, next: Int) throws {
        let folder = try TemporaryFolder()
        let template = try FileNameTemplate(parsing: folder.path + "/" + template)
        #expect(template.nextSequence(Self.time) == 1)
        try folder.write(name, "")
        #expect(template.nextSequence(Self.time) == next)
        // The name must be free.
        #expect(!FileManager.default.fileExists(atPath: template.render(Self.time, sequence: next)))
    }

    @Test(
        "Files whose names do not match a template do not change its number",
        arguments: [
            ("a-%n.jpg", "a-.jpg"), ("a-%n.jpg", "a--5.jpg"), ("a-%n.jpg", "a-5.jpg~"), ("a-%n.jpg", "ba-5.jpg"),
            ("a-%n.jpg", "a-5x.jpg"), ("a-%n.jpg", "a-٥.jpg"), ("a-%n.jpg", "a-99999999999999999999999.jpg"),
            ("a-%n.jpg", "a-9223372036854775807.jpg"), ("a-%n.jpg", "a-9223372036854775806.jpg"),
            ("%n_%n.jpg", "5_6.jpg"),
            ("a.jpg", "a.jpg"), ("%H.jpg", "12.jpg"), ("%n/x.jpg", "5"), ("%n/x.jpg", "5/y.jpg"),
            ("%n/x.jpg", "a5/x.jpg"), ("%n/%n.jpg", "5/6.jpg"), ("%n/%H.jpg", "5/123.jpg"),
        ])
    func foreign(template: String, name: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(name, "")
        #expect(try FileNameTemplate(parsing: folder.path + "/" + template).nextSequence(Self.time) == 1)
    }

    @Test("Numbers in the names of folders continue after the highest folder with a picture")
    func numberedFolders() throws {
        let folder = try TemporaryFolder()
        for name in ["2/left.jpg", "10/left.jpg", "7/left.jpg", "11/right.jpg"] { try folder.write(name, "") }
        try FileManager.default.createDirectory(atPath: folder.path + "/30", withIntermediateDirectories: false)
        for (name, next) in [("left", 11), ("right", 12), ("middle", 1)] {
            let template = try FileNameTemplate(parsing: "\(folder.path)/%n/\(name).jpg")
            #expect(template.nextSequence(Self.time) == next)
        }
    }

    @Test("The numbers of a template begin with 1 if the folder does not exist or is a file")
    func noFolder() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "")
        for place in ["nowhere", "file", "file/deeper", "\u{1}"] {
            #expect(try FileNameTemplate(parsing: "\(folder.path)/\(place)/%n.jpg").nextSequence(Self.time) == 1)
        }
    }
}
