// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Testing

@Suite("Notices")
struct NoticeTests {
    private let error = CaptureError(
        .permission, "cannot be removed", subject: "/srv/1.jpg", advice: "choose a folder that you may write")

    @Test("A notice about an error has the text of the error")
    func ofError() {
        let notice = Notice(.pictureNotRemoved, error)
        #expect(notice.description == "\(error)")
        #expect(notice.subject == error.subject && notice.message == error.message && notice.advice == error.advice)
        let bare = CaptureError(.temporary, "was canceled")
        #expect(Notice(.flashNotLit, bare).description == "was canceled")
    }

    @Test("A notice has its subject before the message, and its advice after it")
    func parts() {
        let notice = Notice(.flashNotLit, "has no flash control", subject: "usb-1", advice: "name one")
        #expect(notice.description == "usb-1: has no flash control; name one")
        #expect(Notice(.settingsReloaded, "settings reloaded").description == "settings reloaded")
    }

    @Test("A notice whose message names the subject does not repeat it")
    func sentence() {
        let notice = Notice(.hookFailed, about: "--exec-after", "--exec-after ended with status 3")
        #expect(notice.description == "--exec-after ended with status 3")
        #expect(notice.subject == "--exec-after")
        let stopping = Notice(.stopping, about: "--exec-after", "waiting for --exec-after", advice: "a signal ends it")
        #expect(stopping.description == "waiting for --exec-after; a signal ends it")
    }

    @Test("A notice has its consequence before the error, and the advice of the error last")
    func consequence() {
        let notice = Notice(.reloadRefused, about: error.subject, "settings not reloaded", because: error)
        #expect(notice.description == "settings not reloaded: \(error)")
        #expect(notice.subject == "/srv/1.jpg" && notice.advice == "choose a folder that you may write")
    }

    @Test("The codes of notices are different words in kebab case")
    func codes() {
        let words = Notice.Code.allCases.map(\.rawValue)
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { word in word.allSatisfy { ("a"..."z").contains($0) || $0 == "-" } })
    }
}
