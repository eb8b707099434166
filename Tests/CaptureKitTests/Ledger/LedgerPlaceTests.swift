// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit
import Testing

@testable import CaptureKit
@testable import LedgerKit
@testable import ScheduleKit

@Suite("The path of a ledger")
struct LedgerPlaceTests {
    @Test(
        "The ledger is in the constant part of the folder, and named after the rest",
        arguments: [
            ("/srv/garden/%Y-%m-%d/%H%M%S.jpg", "/srv/garden/.gst-capture/%Y-%m-%d+%H%M%S.jpg.ledger"),
            ("%05n.jpg", ".gst-capture/%05n.jpg.ledger"), ("a/b.jpg", "a/.gst-capture/b.jpg.ledger"),
            ("/%n.jpg", "/.gst-capture/%n.jpg.ledger"), ("a%%b/%n.jpg", "a%b/.gst-capture/%n.jpg.ledger"),
            ("x/50%%-%n.jpg", "x/.gst-capture/50%%-%n.jpg.ledger"),
        ])
    func standard(template: String, path: String) throws {
        #expect(Ledger.standardPath(for: try FileNameTemplate(parsing: template)) == path)
    }

    @Test("Characters that a file system refuses are replaced, and the names stay distinct")
    func oddNames() throws {
        let templates = ["%H:%M.jpg", "%H?%M.jpg", "%H+%M/%n.jpg", "%H/%M+%n.jpg", "a\u{1}%n.jpg"]
        let names = try templates.map { try name(of: $0) }
        #expect(Set(names).count == names.count)
        #expect(
            names.allSatisfy { $0.allSatisfy { !"\"*/:<>?\\|".contains($0) && $0.asciiValue.map { $0 >= 32 } ?? true } }
        )
    }

    @Test("Names are short enough for the suffixes that SQLite appends", arguments: ["x", "ü", "👨‍👩‍👧‍👦", "%Y/"])
    func longNames(piece: String) throws {
        let long = String(repeating: piece, count: 3000 / piece.utf8.count) + "%n.jpg"
        let parts = long.hasPrefix("%") ? long : "%d" + long
        #expect(try name(of: parts).utf8.count <= 247)
    }

    @Test("Pictures have paths relative to the folder of the series, others absolute ones")
    func paths() {
        let place = LedgerPlace("/srv/garden/.gst-capture/a.ledger")
        #expect(place.relative("/srv/garden/x/1.jpg") == "x/1.jpg")
        #expect(place.relative("/srv/garden2/1.jpg") == "/srv/garden2/1.jpg")
        #expect(place.relative("/srv/garden/../other/1.jpg") == "/srv/other/1.jpg")
        #expect(place.absolute("x/1.jpg") == "/srv/garden/x/1.jpg")
        #expect(LedgerPlace("/srv/a.ledger").relative("/srv/1.jpg") == "1.jpg")
    }

    @Test(
        "Slots are parsed from numbers and ranges that count from 1",
        arguments: [("5", 4...4), ("5-20", 4...19), ("-20", 0...19)])
    func slots(text: String, slots: ClosedRange<Int>) throws {
        #expect(try LedgerFilter.slots(parsing: text) == slots)
    }

    @Test(
        "Invalid ranges of slots are refused",
        arguments: ["", "-", "0", "20-5", "a", "1-b", "--", "99999999999999999999"])
    func noSlots(text: String) { #expect(throws: CaptureError.self) { try LedgerFilter.slots(parsing: text) } }

    @Test(
        "Moments in the past are parsed: a day, a time of today, a duration",
        arguments: [
            ("2026-11-20", "2026-11-20 00:00:00"), ("2026-11-20 18:30", "2026-11-20 18:30:00"),
            ("23:59", "2026-11-21 23:59:00"), ("00:01", "2026-11-21 00:01:00"), ("2h", "2026-11-21 10:00:00"),
            ("2h ago", "2026-11-21 10:00:00"),
        ])
    func moments(text: String, moment: String) throws {
        let noon = try WallClockTarget(parsing: "2026-11-21 12:00")
        let now = WallTime(seconds: noon.secondsSince1970(after: 0), nanoseconds: 0)
        #expect(try LedgerFilter.moment(parsing: text, now: now).formatted("%Y-%m-%d %H:%M:%S") == moment)
    }

    @Test("Invalid moments are refused", arguments: ["", "x", "25:00", "2026-13-01", "2 hours", " ago", "ago"])
    func noMoments(text: String) { #expect(throws: CaptureError.self) { try LedgerFilter.moment(parsing: text) } }

    private func name(of template: String) throws -> String {
        let path = Ledger.standardPath(for: try FileNameTemplate(parsing: template))
        return String(path.split(separator: "/").last ?? "")
    }
}
