// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureKit
import SessionKit
import TerminalKit
import Testing

@testable import gst_capture

@Suite("Notices as JSON")
struct NoticeEventTests {
    private static let missing = Notice(.pictureMissing, about: "1.jpg", "1.jpg is gone from the session's folder")
    private static let unflashed = Notice(
        .flashNotLit, "has no flash control", subject: "usb-1", advice: "name one with --flash-control")

    private static func expect(_ notice: Notice, in event: Event) {
        #expect(event.name == "notice")
        #expect(event["code"] == notice.code.rawValue)
        #expect(event["subject"] == notice.subject)
        #expect(event["message"] == notice.description)
    }

    @Test("The JSON of a capture's notice has its code, subject and whole line", arguments: [missing, unflashed])
    func capture(notice: Notice) throws {
        Self.expect(notice, in: try Event(try #require(JSONEventPrinter.line(.notice(notice))).text))
    }

    @Test("The JSON of a session's notice has its code, subject and whole line", arguments: [missing, unflashed])
    func session(notice: Notice) throws {
        let file = try SessionFile(path: "quick.yaml", bytes: Array(SessionDesk.session().utf8))
        Self.expect(notice, in: try Event(SessionEvent.notice(notice).json(of: file.session).text))
    }

    @Test("The JSON of a notice without a subject has no member for it")
    func withoutSubject() throws {
        let line = try #require(JSONEventPrinter.line(.notice(Notice(.settingsReloaded, "settings reloaded")))).text
        #expect(!line.contains("subject"))
        #expect(line.hasSuffix(#""code":"settings-reloaded","message":"settings reloaded"}"#), "\(line)")
    }

    @Test("The notice of dropped reports states their number")
    func gap() {
        #expect(Wording.gap(1).description == "1 report dropped here: nothing read them in time")
        #expect(Wording.gap(20).code == .reportsDropped)
    }
}
