// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureTestSupport
import CropKit
import Foundation
import FrameMeasures
import OverlayCompositor
import StillKit
import Testing

@testable import SessionKit
@testable import SessionModel

@Suite("The record of a session")
struct SessionRecordTests {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)
    private static let backPicture = #""stage":"back","file":"back-002.jpg""#

    private static func record() -> SessionRecord {
        var session = SessionDescription.quick("front", "back")
        session.title = "Two \"sides\"\n of a \u{1F4B3}\\"
        var record = SessionRecord(
            session, begun: WallTime(seconds: 1_795_000_000, nanoseconds: 123_000_000, utcOffset: 3600))
        record.definition = "/srv/a \\b/c.yaml"
        var file = SessionFileRecord(name: "front-001.jpg", byteCount: 1234, sha256: digest, width: 4000, height: 3000)
        var still = SessionStill(number: 1, stage: "front", file: file)
        (still.role, still.camera, still.taken) = (.back, "usb-a", "2026-11-21T10:00:00.000+01:00")
        (still.offset, still.latency, still.bestOf, still.sharpness) = (.milliseconds(-5), .milliseconds(40), 5, 12.5)
        (still.exposureTime, still.sensitivity) = (0.01, 400)
        still.gates = [GateScore(kind: .steady, score: 0.75, threshold: 0.5, holds: true)]
        file.name = "front-001-crop.png"
        still.crop = SessionCrop(
            file: file,
            corners: Quadrilateral([PixelPoint(1, 2), PixelPoint(3.5, 2), PixelPoint(3, 4), PixelPoint(1, 4.25)]),
            confidence: 0.875)
        still.outline = SessionOutline(
            name: "card", position: UnitPoint(0.5, 0.25), size: 0.82, previewWidth: 1280, previewHeight: 720,
            picture: PixelBox(x: 160, y: 0, width: 960, height: 720))
        still.outline?.isMirrored = true
        var brought = SessionStill(
            number: 2, stage: "back",
            file: SessionFileRecord(name: "back-002.jpg", byteCount: 1, sha256: digest, width: 1, height: 1))
        (brought.origin, brought.source) = (.library, "/home/user/Bilder/Rückseite.jpg")
        var aside = brought
        (aside.number, aside.file.name) = (3, "back-003.jpg")
        record.progress.stages[0].pictures = [SessionPicture(number: 1, camera: .back)]
        record.progress.stages[0].state = .done
        record.progress.stages[1].former = [SessionPicture(number: 2, camera: nil)]
        record.progress.setAside = [SessionPicture(number: 3, camera: nil)]
        record.progress.nextPicture = 4
        record.progress.wasReviewed = true
        record.stills = [1: still, 2: brought, 3: aside]
        return record
    }

    @Test("A record is read back as it was written")
    func roundTrip() throws {
        let record = Self.record()
        #expect(try SessionRecord(bytes: Array(record.json.utf8), path: "session.json") == record)
    }

    /// A record whose second stage has a clip with its first picture.
    private static func clipRecord() -> SessionRecord {
        var record = record()
        var clip = SessionStill(
            number: 4, stage: "back",
            file: SessionFileRecord(name: "back-004.mp4", byteCount: 2, sha256: digest, width: 640, height: 480))
        (clip.duration, clip.role, clip.camera) = (.milliseconds(4967), .front, "scene")
        (clip.taken, clip.offset) = ("2026-11-21T10:00:00.000+01:00", .milliseconds(30))
        clip.poster = SessionFileRecord(
            name: "back-004.jpg", byteCount: 3, sha256: digest, width: 640, height: 480)
        record.progress.stages[1].pictures = [SessionPicture(number: 4, camera: .front)]
        record.progress.nextPicture = 5
        record.stills[4] = clip
        return record
    }

    @Test("A clip is listed like a picture, with its duration and its first picture, and is read back")
    func clip() throws {
        let record = Self.clipRecord()
        #expect(record.json.contains(#""width":640,"height":480,"duration_ms":4967"#))
        #expect(try SessionRecord(bytes: Array(record.json.utf8), path: "session.json") == record)
        #expect(record.stills[4]?.files.map(\.name) == ["back-004.mp4", "back-004.jpg"])
        var bare = record
        bare.stills[4]?.poster = nil
        #expect(try SessionRecord(bytes: Array(bare.json.utf8), path: "session.json") == bare)
    }

    @Test(
        "A damaged clip, or one that names other files, is refused",
        arguments: [
            (#""back-004.mp4""#, #""back-004.jpg""#), (#""back-004.mp4""#, #""back-003.mp4""#),
            (#""back-004.mp4""#, #""../back-004.mp4""#), (#""back-004.jpg""#, #""back-004.mp4""#),
            (#""back-004.jpg""#, #""session.json""#), (#""back-004.jpg""#, #""back-004-crop.jpg""#),
            (#""duration_ms":4967"#, #""duration_ms":0"#), (#""duration_ms":4967"#, #""duration_ms":-1"#),
            (#""duration_ms":4967"#, #""duration_ms":1e300"#), (#""duration_ms":4967,"#, ""),
            (#""poster":{"#, #""poster":"#), (#""poster":{"#, #""crop":{"corners":[[0,0],[1,0],[1,1],[0,1]],"#),
        ])
    func damagedClip(before: String, after: String) throws {
        let text = Self.clipRecord().json
        let changed = text.replacing(before, with: after)
        #expect(changed != text)
        #expect(throws: CaptureError.self) { try SessionRecord(bytes: Array(changed.utf8), path: "session.json") }
    }

    @Test("The largest record, with a retaken stage and pictures set aside, is read back as written")
    func largest() throws {
        var record = Self.record()
        var example = try #require(record.stills[1])
        example.gates = GateRequest.Kind.allCases.map { GateScore(kind: $0, score: 0.75, threshold: 0.5, holds: true) }
        func add(_ numbers: ClosedRange<Int>, _ stage: String) -> [SessionPicture] {
            for number in numbers {
                (example.number, example.stage) = (number, stage)
                example.file.name = SessionFileName(stage, number, .jpeg).text
                example.crop?.file.name = SessionFileName(stage, number, .png, .crop).text
                record.stills[number] = example
            }
            return numbers.map { SessionPicture(number: $0, camera: example.role) }
        }
        record.progress.stages[0].pictures = add(1...1000, "front")
        record.progress.stages[1].former = add(1001...2000, "back")
        record.progress.stages[1].pictures = add(2001...2999, "back")
        record.progress.setAside = add(3000...2999 + SessionProgress.mostSetAside, "front")
        record.progress.nextPicture = SessionRecord.mostPictures
        #expect(try SessionRecord(bytes: Array(record.json.utf8), path: "session.json") == record)
    }

    @Test("A retake of one picture is read back, and a retake of a missing picture is refused")
    func retaken() throws {
        var record = Self.record()
        record.progress.stages[1].retaken = 2
        #expect(try SessionRecord(bytes: Array(record.json.utf8), path: "session.json") == record)
        let wrong = record.json.replacing("\"retaken\":2", with: "\"retaken\":1")
        #expect(throws: CaptureError.self) { try SessionRecord(bytes: Array(wrong.utf8), path: "session.json") }
    }

    @Test("A record is valid JSON for any reader")
    func json() throws {
        let object = try JSONSerialization.jsonObject(with: Data(Self.record().json.utf8)) as? [String: Any]
        #expect(object?["format"] as? String == "gst-capture-session")
        #expect(object?["title"] as? String == "Two \"sides\"\n of a \u{1F4B3}\\")
    }

    @Test("A session, its title and a stage can have the name null")
    func null() throws {
        var session = SessionDescription.quick("null", "back")
        (session.name, session.title) = ("null", "null")
        let record = SessionRecord(session)
        #expect(try SessionRecord(bytes: Array(record.json.utf8), path: "session.json") == record)
    }

    @Test("A record in which another program escaped a character as two surrogates is read")
    func surrogates() throws {
        let text = Self.record().json.replacing("\u{1F4B3}", with: #"\ud83d\udcb3"#)
        #expect(text.contains(#"\ud83d"#))
        #expect(try SessionRecord(bytes: Array(text.utf8), path: "session.json") == Self.record())
    }

    @Test("Characters that YAML refuses or reads as line breaks are read back")
    func foreign() throws {
        var record = Self.record()
        record.stills[2]?.source = "/srv/R\u{C3}\u{84}, \u{85} \u{9F}/ \u{2028} \u{2029} \u{7F}\u{FFFE}\u{FFFF}.jpg"
        record.title = #"\u0084 \\#u{84}"#
        #expect(try SessionRecord(bytes: Array(record.json.utf8), path: "session.json") == record)
        // Another program need not escape them.
        var text = record.json
        for scalar in ["\u{7F}", "\u{85}", "\u{9F}", "\u{2028}", "\u{2029}", "\u{FFFE}", "\u{FFFF}"] as [Unicode.Scalar]
        {
            let escape = "\\u" + scalar.value.padded(to: 4, radix: 16)
            try #require(text.contains(escape))
            text = text.replacing(escape, with: String(scalar))
        }
        #expect(try SessionRecord(bytes: Array(text.utf8), path: "session.json") == record)
    }

    @Test("Unknown members are ignored")
    func unknown() throws {
        let text = Self.record().json.replacing(
            "\"version\": 1,", with: "\"version\": 1, \"later\": {\"a\": [1, {\"b\": 2}]},")
        #expect(try SessionRecord(bytes: Array(text.utf8), path: "session.json") == Self.record())
    }

    @Test(
        "A damaged record, or one that names files outside its folder, is refused with the place",
        arguments: [
            ("\"front-001.jpg\"", "\"../front.jpg\""), ("\"front-001.jpg\"", "\"/etc/passwd\""),
            ("\"front-001.jpg\"", "\".hidden\""), ("\"front-001.jpg\"", "\"\""),
            (backPicture, backPicture.replacing("back", with: "../back")),
            (backPicture, backPicture.replacing("back", with: #"back\u0000"#)),
            ("\"version\": 1", "\"version\": 2"), ("\"version\": 1", "\"version\": \"x\""),
            ("gst-capture-session", "something"), ("\"state\": \"open\"", "\"state\": \"shut\""),
            ("\"next_picture\": 4", "\"next_picture\": -4"), ("\"reviewed\": true", "\"reviewed\": 1"),
            ("\"bytes\":1234", "\"bytes\":1e99"),
            ("\"offset_ms\":-5", "\"offset_ms\":1e300"), ("\"offset_ms\":-5", "\"offset_ms\":nan"),
            (digest, "abc"), ("\"number\":2", "\"number\":1"), ("[1,2]", "[1]"), ("[1,2]", "1"),
            ("\"role\":\"back\"", "\"role\":\"a-b\""), ("\"holds\":true", "\"holds\":1"),
            ("\"stages\": [", "\"stages\": {"), ("}]", "}"),
            ("[0.5,0.25]", "[0.5]"), ("[0.5,0.25]", "[0.5,-3]"), ("\"size\":0.82", "\"size\":0"),
            ("\"size\":0.82", "\"size\":nan"), ("\"width\":1280", "\"width\":0"),
            ("[160,0,960,720]", "[160,0,960]"), ("[160,0,960,720]", "[160,0,0,720]"),
            ("[160,0,960,720]", "[900,0,960,720]"), ("[160,0,960,720]", "[160,0,960,1e300]"),
            ("\"mirrored\":true", "\"mirrored\":1"),
        ])
    func damaged(before: String, after: String) throws {
        let text = Self.record().json
        let changed = text.replacing(before, with: after)
        #expect(changed != text)
        let error = #expect(throws: CaptureError.self) {
            try SessionRecord(bytes: Array(changed.utf8), path: "a/session.json")
        }
        #expect(error?.subject?.hasPrefix("a/session.json") == true)
    }

    @Test("A record that is truncated anywhere is refused, and never traps")
    func cutOff() {
        let bytes = Array(Self.record().json.utf8)
        for count in stride(from: 0, to: bytes.count - 3, by: 37) {
            #expect(throws: CaptureError.self) { try SessionRecord(bytes: Array(bytes.prefix(count)), path: "s") }
        }
    }

    @Test("A record with random bytes is refused or read, and never traps")
    func mutated() {
        var random = SplitMix(5)
        let bytes = Array(Self.record().json.utf8)
        for _ in 0..<400 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? SessionRecord(bytes: changed, path: "s")
        }
    }

    @Test("Deeply nested and recursive values are refused")
    func deep() {
        for text in [
            String(repeating: "[", count: 100_000), "a: &a [*a]", String(repeating: "{\"a\":", count: 1000),
            "&a {format: gst-capture-session, version: 1, session: *a}",
        ] {
            #expect(throws: CaptureError.self) { try SessionRecord(bytes: Array(text.utf8), path: "s") }
        }
    }
}

@Suite("The folders of sessions")
struct SessionArchiveTests {
    @Test("A damaged session is reported when an older one is found")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let begun = WallTime(seconds: 1_795_000_000, nanoseconds: 0, utcOffset: 0)
        let text = SessionRecord(.quick("one"), begun: begun).json
        try folder.write("older/" + SessionRecord.fileName, text)
        try folder.write("newer/" + SessionRecord.fileName, String(text.dropLast(9)))
        var errors: [CaptureError] = []
        let entry = try SessionArchive.latestOpen(in: folder.path, report: { errors.append($0) })
        #expect(entry.path == folder.path + "/older")
        #expect(errors.count == 1 && errors.first?.subject?.hasPrefix(folder.path + "/newer/") == true)
    }
}

@Suite("Names of a session's files")
struct SessionFileNameTests {
    @Test(
        "A name is parsed into the parts that it was made of", arguments: [1, 42, 999, 12345],
        [SessionFileName.Kind.whole, .crop, .view(.back)])
    func names(number: Int, kind: SessionFileName.Kind) {
        let name = SessionFileName("front-left", number, .png, kind)
        #expect(SessionFileName(name.text, of: ["front-left"], roles: [.back]) == name)
        let clip = SessionFileName(clip: number, of: "front-left")
        #expect(clip.text.hasSuffix(".mp4") && SessionFileName(clip.text, of: ["front-left"]) == clip)
    }

    @Test(
        "Names of files that are not a session's are rejected",
        arguments: [
            "front-001.txt", "front-1.jpg", "side-001.jpg", "front.jpg", "front-001.jpeg", "front-000.jpg", "-001.jpg",
            "front-+01.jpg", "front-001-crop-crop.jpg", "front-001-left.jpg", "front-001-any.jpg", "front-.jpg",
            "holiday.jpg", "", ".jpg", "front-0x1.jpg", "front-1.mp4", "front-001-crop.mp4", "front-001.mp4.jpg",
            "front-001.MP4", ".mp4", "front.mp4", "side-001.mp4",
        ])
    func others(name: String) {
        #expect(SessionFileName(name, of: ["front"]) == nil)
    }
}
